// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ranks of a host see the same GPUs, where ranks are programs of their own and send each other nothing. Some
// launchers show each rank all GPUs of the host, others only its own (CUDA_VISIBLE_DEVICES, Slurm's control groups).
// The ranks of one launch on one host share a piece of memory, of which each writes its own slot. Its name goes as soon
// as all ranks have it, so that a rank that is killed leaves nothing behind. What launches leave that end before is
// taken away by later ones of the same user.
//
// Thread-safety: one call at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "muster/cdm/launcher.h"

namespace muster::cdm {

class HostPeers {
 public:
  // What tells this launch from others of this user and host, by its environment.
  [[nodiscard]] static std::string launchName();

  // Says at once what the environment shows of GPUs. Without memory to share, all ranks count as seeing the same.
  HostPeers(const LaunchedPlace& place, const std::string& launch);
  ~HostPeers();
  HostPeers(const HostPeers&) = delete;
  HostPeers& operator=(const HostPeers&) = delete;

  // Of this rank among those that see the same GPUs.
  struct Place {
    int rank = 0, size = 1;
  };
  // `gpus`: all GPUs that this rank sees, by their hardware. Waits so long for the others to say theirs.
  // Of ranks that have not, their environment counts; ranks of which nothing is known see the same.
  [[nodiscard]] Place amongThoseWith(std::string_view gpus, std::chrono::milliseconds patience);

 private:
  struct Slot;
  [[nodiscard]] bool allSay(bool gpus) const;
  void removeLeftovers() const;

  LaunchedPlace place_;
  std::string name_;  // of the memory; empty: this rank was the last one to join
  Slot* slots_ = nullptr;
};

}  // namespace muster::cdm
