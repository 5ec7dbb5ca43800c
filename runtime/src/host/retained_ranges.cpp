// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which released ranges keep their memory: as much as glibc's malloc keeps with its dynamic mmap threshold, no more, so
// that a program does not need more memory with Muster than without.
#include <algorithm>
#include <utility>

#include "host/host_memory_impl.h"

namespace muster::rt {

namespace {

constexpr std::size_t kLargestKept = std::size_t{32} << 20;  // glibc's DEFAULT_MMAP_THRESHOLD_MAX

}  // namespace

bool RetainedRanges::wants(std::size_t bytes) {
  if (bytes > kLargestKept) return false;
  if (bytes > threshold_) {
    threshold_ = bytes;
    return false;
  }
  return held_ + bytes <= 2 * threshold_;
}

void RetainedRanges::add(Range range) {
  held_ += range.bytes;
  ranges_.push_back(range);
}

std::optional<std::byte*> RetainedRanges::take(std::size_t bytes, std::size_t alignment) {
  const auto fits = [&](const Range& range) {
    return range.bytes == bytes && reinterpret_cast<std::uintptr_t>(range.begin) % alignment == 0;
  };
  const auto range = std::find_if(ranges_.rbegin(), ranges_.rend(), fits);
  if (range == ranges_.rend()) return std::nullopt;
  std::byte* begin = range->begin;
  held_ -= bytes;
  ranges_.erase(std::next(range).base());
  return begin;
}

std::vector<RetainedRanges::Range> RetainedRanges::takeAll() {
  held_ = 0;
  return std::exchange(ranges_, {});
}

}  // namespace muster::rt
