// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of callers that CUDA page-locked. It does so once for all cards of a process, and refuses to lock any of the
// memory again. A copy that takes only part of its bytes from such memory is refused, too, so nothing else is shared.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

#include "backends/cuda/api.h"

namespace muster::cdm {

// Threads may use it at the same time. A context is current.
class CudaLocks {
 public:
  // Until unlock() of the same start. It may lie within memory that is locked already.
  cuda::Error lock(const CudaApi& api, std::span<std::byte> memory);
  void unlock(const CudaApi& api, std::byte* start);

 private:
  struct Range {
    std::size_t bytes = 0;
    int users = 0;
  };
  using Ranges = std::map<std::byte*, Range>;
  // The one that the byte is in, or the end.
  Ranges::iterator rangeOf(std::byte* start);

  std::mutex mutex_;
  Ranges ranges_;
};

}  // namespace muster::cdm
