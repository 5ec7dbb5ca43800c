// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises walks among the faults of an array.
#include "host/faults/fault_blocks.h"

#include <algorithm>

namespace muster::rt {

FaultBlocks::FaultBlocks(std::size_t arrayBytes, std::size_t pageSize) : bytes_(arrayBytes), page_(pageSize) {}

FaultBlock FaultBlocks::next(std::size_t offset, bool write) {
  ++clock_;
  Walk* again = inLastBlock(offset, write);
  for (Walk& walk : walks_) {
    if (walk.size == 0) continue;
    if (comesAgain(walk, offset, write)) {
      walkAgain(walk);
      return take(walk, write);
    }
    if (&walk == again) {
      walk.used = clock_;
      walk.entered |= offset >= walk.last.lo + page_;
      if (!write) return take(walk, false);
      if (!walk.wrote) ++walk.written;
      walk.wrote = true;
      return {walk.last, true};
    }
    const ByteRange last = walk.last;
    // A walk may skip a little: rows that are not read to their ends, boundary cells.
    const bool upwards = walk.direction >= 0 && offset >= last.hi && offset - last.hi < walk.size;
    if (!upwards && !(walk.direction <= 0 && offset < last.lo && last.lo - offset <= walk.size)) continue;
    continueWalk(walk, upwards);
    return take(walk, write);
  }
  return take(startWalk(offset), write);
}

// The walk whose last block a fault asks for again, the latest of several: a write in it after a read, or anything at
// its begin, or elsewhere for the first time, as of a thread that comes into another one's block. What faults there
// again does so in another pass, and is no part of the walk: a program looks at an element.
FaultBlocks::Walk* FaultBlocks::inLastBlock(std::size_t offset, bool write) {
  Walk* latest = nullptr;
  for (Walk& walk : walks_)
    if (walk.size != 0 && offset >= walk.last.lo && offset < walk.last.hi && (!latest || walk.used > latest->used))
      latest = &walk;
  const bool isLook = latest && latest->entered && offset >= latest->last.lo + page_ && (!write || latest->wrote);
  return isLook ? nullptr : latest;
}

// A walk upwards that has gone on since. A write in the block where it is now comes after a read.
bool FaultBlocks::comesAgain(const Walk& walk, std::size_t offset, bool write) const {
  const bool atBegin = offset >= walk.begin && offset < walk.begin + page_;
  return atBegin && (walk.last.lo > walk.begin || (walk.inOneBlock && walk.last.lo == walk.begin && !write));
}

void FaultBlocks::walkAgain(Walk& walk) {
  if (!walk.inOneBlock) walk.reached = walk.last.hi;
  walk.inOneBlock = ++walk.passes % kCheckPass != 0;
  const std::size_t whole = (walk.reached - walk.begin + page_ - 1) / page_ * page_;
  walk.size = std::clamp(walk.inOneBlock ? whole : kFirst, page_, kLargest);
  walk.last = clipped(walk.begin, walk.size);
  walk.entered = false;
  walk.used = clock_;
}

FaultBlock FaultBlocks::take(Walk& walk, bool write) {
  if (!walk.wrote && !walk.guessed) walk.written = 0;
  walk.wrote = write;
  if (write) ++walk.written;
  walk.guessed = !write && walk.written >= kSure && ++walk.guesses % kCheck != 0;
  return {walk.last, write || walk.guessed};
}

void FaultBlocks::continueWalk(Walk& walk, bool upwards) {
  walk.size = std::min(walk.size * 2, kLargest);
  walk.used = clock_;
  first_ = kFirst;
  walk.direction = upwards ? 1 : -1;
  walk.entered = false;
  if (upwards) {
    // From the last block on, so that what was skipped comes along.
    walk.last = clipped(walk.last.hi, walk.size);
  } else {
    const std::size_t end = walk.last.lo;
    walk.last = {end > walk.size ? end - walk.size : 0, end};
  }
}

FaultBlocks::Walk& FaultBlocks::startWalk(std::size_t offset) {
  Walk& walk =
      *std::min_element(walks_.begin(), walks_.end(), [](const Walk& a, const Walk& b) { return a.used < b.used; });
  const std::size_t size = std::max(first_, page_);
  walk = {.last = clipped(offset / size * size, size), .size = size, .begin = offset / size * size, .used = clock_};
  first_ = std::max(first_ / 2, kSmallest);
  return walk;
}

ByteRange FaultBlocks::clipped(std::size_t lo, std::size_t size) const { return {lo, std::min(bytes_, lo + size)}; }

}  // namespace muster::rt
