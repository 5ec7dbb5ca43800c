// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelBuilders: processes that build kernels and keep the binaries in the cache directory, where the devices of this
// process find them later. A driver builds one kernel at a time in a process (decision 0029), and some kernels take it
// many seconds. The program waits meanwhile, and sees nothing of them: they are no children of its process, so that it
// gets no SIGCHLD and its wait() finds none. They end with it.
//
// Thread-safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <unordered_set>
#include <utility>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::rt {

struct KernelToBuild {
  const cdm::KernelCode* code = nullptr;
  double iterations = 0;  // of a launch
};

class KernelBuilders {
 public:
  // How many for so many kernels, with so many hardware threads: at least one.
  [[nodiscard]] static unsigned processes(std::size_t kernels, unsigned threads);
  // muster-kernels beside libmuster.so; empty: it is not there.
  [[nodiscard]] static const std::filesystem::path& installed();

  // program, cache: neither may be empty.
  KernelBuilders(std::filesystem::path program, std::filesystem::path cache, unsigned threads)
      : program_(std::move(program)), cache_(std::move(cache)), threads_(threads) {}

  // What building so many takes, roughly. Some take much longer.
  [[nodiscard]] double seconds(std::size_t kernels) const;
  // Returns after so many seconds at the latest: the ids of kernels that were tried. What could not be built is for the
  // devices to build, or to report.
  [[nodiscard]] std::unordered_set<std::uint64_t> build(std::vector<KernelToBuild> kernels, double most) const;

 private:
  const std::filesystem::path program_, cache_;
  const unsigned threads_;
};

}  // namespace muster::rt
