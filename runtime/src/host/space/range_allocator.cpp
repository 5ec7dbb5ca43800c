// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First fit over a map of free ranges, merged with their neighbours when they come back.
#include "host/space/range_allocator.h"

namespace muster::rt {

RangeAllocator::RangeAllocator(std::size_t size) : size_(size) {
  if (size > 0) free_.emplace(0, size);
}

std::optional<std::size_t> RangeAllocator::take(std::size_t count, std::size_t alignment) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [begin, length] = *range;
    const std::size_t start = (begin + alignment - 1) & ~(alignment - 1);
    const std::size_t skipped = start - begin;
    if (skipped > length || length - skipped < count) continue;
    const std::size_t left = length - skipped - count;
    if (left > 0) free_.emplace_hint(std::next(range), start + count, left);
    if (skipped > 0) {
      range->second = skipped;
    } else {
      free_.erase(range);
    }
    used_ += count;
    return start;
  }
  return std::nullopt;
}

void RangeAllocator::give(std::size_t begin, std::size_t count) {
  used_ -= count;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == begin + count) {
    count += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      previous->second += count;
      return;
    }
  }
  free_.emplace_hint(next, begin, count);
}

}  // namespace muster::rt
