// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelBuilders: processes that build kernels and keep the binaries in the cache directory, where the devices of this
// process find them later. They use what the program leaves of the processors. A driver builds one kernel at a time in
// a process (decision 0029), and some kernels take it many seconds. The program sees nothing of them: they are no
// children of its process, so that it gets no SIGCHLD and its wait() finds none. They end with it.
//
// Thread-safety: one thread at a time.
#pragma once

#include <sys/types.h>

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
  ~KernelBuilders() { letGo(); }
  KernelBuilders(const KernelBuilders&) = delete;
  KernelBuilders& operator=(const KernelBuilders&) = delete;

  // Starts to build those that were not asked for before. True: none are being built any more. What could not be built
  // is for the devices to build, or to report.
  [[nodiscard]] bool have(const std::vector<KernelToBuild>& kernels);
  [[nodiscard]] std::size_t running() const { return ends_.size(); }

 private:
  // Of a pipe, the other end of which a process has. The program may close files that it does not know.
  struct End {
    int file = -1;
    dev_t device = 0;
    ino_t node = 0;
    [[nodiscard]] bool isOurs() const;
  };
  void start(const std::vector<KernelToBuild>& kernels);
  void letGo();

  const std::filesystem::path program_, cache_;
  const unsigned threads_;
  std::vector<End> ends_;
  std::unordered_set<std::uint64_t> asked_;  // ids of kernels
};

}  // namespace muster::rt
