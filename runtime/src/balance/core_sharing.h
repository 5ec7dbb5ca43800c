// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CoreSharing: devices that are the same CPU cores. Ranks of one host may have to share them, and OpenCL's CPU device
// has those of the native one: each computes faster when the others do not. Pure; may be copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::rt {

class CoreSharing {
 public:
  struct Device {
    std::string host;
    std::uint32_t threads = 0;  // on the host's cores; 0: it has processors of its own
  };
  struct Host {
    std::string name;
    std::uint32_t cores = 0;  // hardware threads that its ranks may use, each once
  };
  // Nothing is shared.
  CoreSharing() = default;
  // By device of the job's table. Devices of hosts that are not named share nothing.
  CoreSharing(const std::vector<Device>& devices, const std::vector<Host>& hosts);

  // How many times as long the device takes while those that `works` names compute than alone: 1 or more.
  [[nodiscard]] double slowdown(std::size_t device, const std::vector<bool>& works) const;

 private:
  struct Use {
    std::size_t host = 0;
    double part = 0;  // of the host's cores
  };
  std::vector<Use> uses_;  // by device; empty: nothing is shared
};

}  // namespace muster::rt
