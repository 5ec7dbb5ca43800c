// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of an array to bring to the host when a page of it faults. A thread that walks through an array gets blocks
// that double from 64 KiB to 64 MiB; a program that jumps about gets small ones. A walk that writes what it has read
// faults twice in each block, and the second fault changes all of the block's pages again: once that is seen, most of
// its further blocks are taken for writing at once, the others show whether it goes on like this. A walk that begins
// again where it began before gets in one block what the last one went through; from time to time it shows by steps
// whether it still goes so far. Elements that are looked at in the middle of a block that a walk had are jumps. Pure;
// not thread-safe (one object per array, used by the service thread).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "host/space/extent.h"

namespace muster::rt {

// What to bring to the host for a fault, and whether for writing.
struct FaultBlock {
  ByteRange bytes;
  bool write = false;
};

class FaultBlocks {
 public:
  static constexpr std::size_t kFirst = std::size_t{64} << 10;
  static constexpr std::size_t kLargest = std::size_t{64} << 20;
  static constexpr std::size_t kSmallest = std::size_t{4} << 10;
  // Blocks that a walk has read and then written before others are taken for writing, and how many of these are not.
  static constexpr unsigned kSure = 2;
  static constexpr unsigned kCheck = 4;
  // Of so many passes of a walk that comes again, one goes by steps.
  static constexpr unsigned kCheckPass = 8;

  // pageSize: a power of two of at most kFirst.
  FaultBlocks(std::size_t arrayBytes, std::size_t pageSize);

  // The block to fetch for a fault at `offset` < arrayBytes: holds offset, starts on a page, ends on a page or at the
  // end of the array. A write in the last block of a walk that read it gives that block again.
  FaultBlock next(std::size_t offset, bool write);

 private:
  // One thread's walk through the array. Several at a time, because the threads of a team each walk their own part.
  struct Walk {
    ByteRange last;
    std::size_t size = 0;  // of the next block in a row; 0: unused
    int direction = 0;     // 1: upwards, -1: downwards, 0: it has one block
    std::size_t begin = 0;
    std::size_t reached = 0;  // by the last pass that went by steps
    unsigned passes = 0;      // that came again
    bool inOneBlock = false;  // this pass
    std::uint64_t used = 0;
    unsigned written = 0;  // blocks that were, one after another; guesses do not count
    unsigned guesses = 0;
    bool wrote = false;    // the last block
    bool entered = false;  // a fault was in the last block, but not at its begin
    bool guessed = false;  // the last block was taken for writing by a read
  };

  Walk* inLastBlock(std::size_t offset, bool write);
  [[nodiscard]] bool comesAgain(const Walk& walk, std::size_t offset, bool write) const;
  void walkAgain(Walk& walk);
  Walk& startWalk(std::size_t offset);
  void continueWalk(Walk& walk, bool upwards);
  static FaultBlock take(Walk& walk, bool write);
  [[nodiscard]] ByteRange clipped(std::size_t lo, std::size_t size) const;

  std::size_t bytes_;
  std::size_t page_;
  std::size_t first_ =
      kFirst;  // block of a new walk: halved by every jump, back to kFirst with every walk that goes on
  std::uint64_t clock_ = 0;
  std::array<Walk, 64> walks_{};
};

}  // namespace muster::rt
