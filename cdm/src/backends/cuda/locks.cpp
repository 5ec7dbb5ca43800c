// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/locks.h"

#include <iterator>

namespace muster::cdm {

CudaLocks::Ranges::iterator CudaLocks::rangeOf(std::byte* start) {
  const auto after = ranges_.upper_bound(start);
  if (after == ranges_.begin()) return ranges_.end();
  const auto before = std::prev(after);
  return start < before->first + before->second.bytes ? before : ranges_.end();
}

cuda::Error CudaLocks::lock(const CudaApi& api, std::span<std::byte> memory) {
  const std::lock_guard guard(mutex_);
  const auto known = rangeOf(memory.data());
  if (known != ranges_.end() && memory.data() + memory.size() <= known->first + known->second.bytes) {
    ++known->second.users;
    return cuda::success;
  }
  const cuda::Error error = api.MemHostRegister_v2(memory.data(), memory.size(), cuda::hostMemoryPortable);
  if (error == cuda::success) ranges_.emplace(memory.data(), Range{memory.size(), 1});
  return error;
}

// An error has nobody left to tell.
void CudaLocks::unlock(const CudaApi& api, std::byte* start) {
  const std::lock_guard guard(mutex_);
  const auto range = rangeOf(start);
  if (range == ranges_.end() || --range->second.users > 0) return;
  (void)api.MemHostUnregister(range->first);
  ranges_.erase(range);
}

}  // namespace muster::cdm
