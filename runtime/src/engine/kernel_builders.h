// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelBuilders: processes that build kernels beside each other and keep the binaries in the cache directory, where
// the devices of this process find them. A driver builds one kernel at a time in a process (decision 0029): 40 kernels
// take 3.4 s in one process, and 0.8 s in four. The program sees nothing of them: they are no children of its process,
// so that it gets no SIGCHLD and its wait() finds none. They end with it.
//
// Thread-safety: one thread at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::rt {

struct KernelToBuild {
  const cdm::KernelCode* code = nullptr;
  double iterations = 0;  // of a launch
};

class KernelBuilders {
 public:
  // As many as pay for so many kernels, with so many hardware threads; 0 where the program builds them as fast itself.
  [[nodiscard]] static unsigned processes(std::size_t kernels, unsigned threads);
  // What building them takes, roughly, in seconds.
  [[nodiscard]] static double seconds(std::size_t kernels, unsigned threads);
  // muster-kernels beside libmuster.so; empty: it is not there.
  [[nodiscard]] static const std::filesystem::path& installed();

  // Starts them. None where `program` or `cache` is empty, or a process cannot be started.
  KernelBuilders(const std::filesystem::path& program, const std::filesystem::path& cache, unsigned threads,
                 const std::vector<KernelToBuild>& kernels);
  ~KernelBuilders() { wait(); }
  KernelBuilders(const KernelBuilders&) = delete;
  KernelBuilders& operator=(const KernelBuilders&) = delete;

  [[nodiscard]] std::size_t running() const { return ends_.size(); }
  // Until all have ended. What they could not build is for the devices to build, or to report.
  void wait();

 private:
  std::vector<int> ends_;  // of pipes, the other ends of which processes have
};

}  // namespace muster::rt
