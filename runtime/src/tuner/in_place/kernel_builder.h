// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelBuilder: a process beside the program that builds kernels and keeps the binaries in the cache directory, where
// the devices of this process find them later. Some kernels take a driver many seconds. The program sees nothing of it:
// it is no child of its process, so that it gets no SIGCHLD and its wait() finds none. It ends with the program.
//
// Thread-safety: one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::rt {

struct KernelToBuild {
  const cdm::KernelCode* code = nullptr;
  double iterations = 0;  // of a launch
  // Bytes of its values, short ones: forms of the text ask for them.
  std::vector<std::vector<std::uint8_t>> scalars = {};
};

class KernelBuilder {
 public:
  // muster-kernels beside libmuster.so; empty: it is not there.
  [[nodiscard]] static const std::filesystem::path& installed();
  // program, cache: neither may be empty.
  KernelBuilder(std::filesystem::path program, std::filesystem::path cache)
      : program_(std::move(program)), cache_(std::move(cache)) {}
  ~KernelBuilder() { stop(); }
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  // What building so many more takes, roughly. Some take much longer.
  [[nodiscard]] double seconds(std::size_t kernels) const;

  struct Progress {
    // The ids of those that were tried since it was last asked. What could not be built is for the devices to build, or
    // to report.
    std::unordered_set<std::uint64_t> tried;
    bool goesOn = false;
  };
  // Asks for those that it was not asked for yet, and says how far it is. Does not wait. Short texts come first: as
  // many as may be are built when it is stopped. A process that cannot be started, or ends, has tried all of them.
  [[nodiscard]] Progress build(std::vector<KernelToBuild> kernels);
  // What it has built is kept.
  void stop();
  [[nodiscard]] std::size_t asked() const { return asked_.size(); }
  [[nodiscard]] std::size_t tried() const { return asked_.size() - left_.size(); }

 private:
  void exchange(Progress& now);
  void stopProcess();
  [[nodiscard]] bool isOpen() const;

  const std::filesystem::path program_, cache_;
  std::unordered_set<std::uint64_t> asked_;
  std::deque<std::uint64_t> left_;  // of these, in its order
  std::string unsent_;
  int file_ = -1;  // a socket, whose other end the process has
  ino_t node_ = 0;
  bool hasEnded_ = false;  // by itself
};

}  // namespace muster::rt
