// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of an array to bring to the host when a page of it faults. A thread that walks through an array gets blocks
// that double from 64 KiB to 64 MiB; a program that jumps about gets small ones. Pure; not thread-safe (one object per
// array, used by the service thread).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace muster::rt {

struct ByteRange {
  std::size_t lo = 0, hi = 0;  // bytes [lo, hi) of the array
  bool operator==(const ByteRange&) const = default;
};

class FaultBlocks {
 public:
  static constexpr std::size_t kFirst = std::size_t{64} << 10;
  static constexpr std::size_t kLargest = std::size_t{64} << 20;
  static constexpr std::size_t kSmallest = std::size_t{4} << 10;

  // pageSize: a power of two of at most kFirst.
  FaultBlocks(std::size_t arrayBytes, std::size_t pageSize);

  // The block to fetch for a fault at `offset` < arrayBytes: holds offset, starts on a page, ends on a page or at the
  // end of the array. A fault in the last block of a walk (a write after a read) gives that block again.
  ByteRange next(std::size_t offset);

 private:
  // One thread's walk through the array. Several at a time, because the threads of a team each walk their own part.
  struct Walk {
    ByteRange last;
    std::size_t size = 0;  // of the next block in a row; 0: unused
    std::uint64_t used = 0;
  };

  ByteRange startWalk(std::size_t offset);
  ByteRange continueWalk(Walk& walk, bool upwards);
  [[nodiscard]] ByteRange clipped(std::size_t lo, std::size_t size) const;

  std::size_t bytes_;
  std::size_t page_;
  std::size_t first_ =
      kFirst;  // block of a new walk: halved by every jump, back to kFirst with every walk that goes on
  std::uint64_t clock_ = 0;
  std::array<Walk, 64> walks_{};
};

}  // namespace muster::rt
