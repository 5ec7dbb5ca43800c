// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises walks among the faults of an array.
#include "host/fault_blocks.h"

#include <algorithm>

namespace muster::rt {

FaultBlocks::FaultBlocks(std::size_t arrayBytes, std::size_t pageSize) : bytes_(arrayBytes), page_(pageSize) {}

ByteRange FaultBlocks::next(std::size_t offset) {
  ++clock_;
  for (Walk& walk : walks_) {
    if (walk.size == 0) continue;
    const ByteRange last = walk.last;
    if (offset >= last.lo && offset < last.hi) {
      walk.used = clock_;
      return last;
    }
    // A walk may skip a little: rows that are not read to their ends, boundary cells.
    if (offset >= last.hi && offset - last.hi < walk.size) return continueWalk(walk, true);
    if (offset < last.lo && last.lo - offset <= walk.size) return continueWalk(walk, false);
  }
  return startWalk(offset);
}

ByteRange FaultBlocks::continueWalk(Walk& walk, bool upwards) {
  walk.size = std::min(walk.size * 2, kLargest);
  walk.used = clock_;
  first_ = kFirst;
  if (upwards) {
    // From the last block on, so that what was skipped comes along.
    walk.last = clipped(walk.last.hi, walk.size);
  } else {
    const std::size_t end = walk.last.lo;
    walk.last = {end > walk.size ? end - walk.size : 0, end};
  }
  return walk.last;
}

ByteRange FaultBlocks::startWalk(std::size_t offset) {
  Walk& walk =
      *std::min_element(walks_.begin(), walks_.end(), [](const Walk& a, const Walk& b) { return a.used < b.used; });
  const std::size_t size = std::max(first_, page_);
  walk = {clipped(offset / size * size, size), size, clock_};
  first_ = std::max(first_ / 2, kSmallest);
  return walk.last;
}

ByteRange FaultBlocks::clipped(std::size_t lo, std::size_t size) const { return {lo, std::min(bytes_, lo + size)}; }

}  // namespace muster::rt
