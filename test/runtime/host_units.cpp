// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of host memory that are pure: page runs, ranges, fault blocks; each against a simple model.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "host/faults/fault_blocks.h"
#include "host/memory/host_memory_impl.h"
#include "host/space/mapping.h"
#include "host/space/page_access_map.h"
#include "host/space/range_allocator.h"

namespace muster::rt {
namespace {

// ---------------------------------------------------------------- PageAccessMap

std::optional<PageRange> differingByModel(const std::vector<PageAccess>& model, std::size_t lo, std::size_t hi,
                                          PageAccess access) {
  std::optional<PageRange> range;
  for (std::size_t page = lo; page < hi; ++page) {
    if (model[page] == access) continue;
    if (!range) range = PageRange{page, page};
    range->hi = page + 1;
  }
  return range;
}

template <class Matches>
std::optional<PageRange> firstByModel(const std::vector<PageAccess>& model, std::size_t lo, std::size_t hi,
                                      Matches matches) {
  const auto begin = std::find_if(model.begin() + lo, model.begin() + hi, matches);
  if (begin == model.begin() + hi) return std::nullopt;
  const auto end = std::find_if_not(begin, model.begin() + hi, matches);
  return PageRange{static_cast<std::size_t>(begin - model.begin()), static_cast<std::size_t>(end - model.begin())};
}

std::size_t runsOfModel(const std::vector<PageAccess>& model) {
  std::size_t runs = 1;
  for (std::size_t page = 1; page < model.size(); ++page) runs += model[page] != model[page - 1];
  return runs;
}

TEST(PageAccessMap, agreesWithAnArrayOfPages) {
  std::mt19937 random(7);
  for (const std::size_t pages : {1u, 2u, 5u, 40u}) {
    PageAccessMap map(pages, PageAccess::readWrite);
    std::vector<PageAccess> model(pages, PageAccess::readWrite);
    for (int round = 0; round < 4000; ++round) {
      const std::size_t lo = random() % pages;
      const std::size_t hi = lo + random() % (pages - lo + 1);
      const auto access = static_cast<PageAccess>(random() % 3);
      ASSERT_EQ(map.differing(lo, hi, access), differingByModel(model, lo, hi, access));
      ASSERT_EQ(map.firstAbove(lo, hi, access), firstByModel(model, lo, hi, [&](auto now) { return now > access; }));
      ASSERT_EQ(map.firstBelow(lo, hi, access), firstByModel(model, lo, hi, [&](auto now) { return now < access; }));
      map.assign(lo, hi, access);
      std::fill(model.begin() + lo, model.begin() + hi, access);
      for (std::size_t page = 0; page < pages; ++page) ASSERT_EQ(map.at(page), model[page]);
      ASSERT_EQ(map.runs(), runsOfModel(model));
    }
  }
}

// ---------------------------------------------------------------- RangeAllocator

TEST(RangeAllocator, neverGivesAUnitTwiceAndFindsRoom) {
  constexpr std::size_t kSize = 64;
  std::mt19937 random(3);
  RangeAllocator ranges(kSize);
  std::vector<bool> used(kSize, false);
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (int round = 0; round < 20'000; ++round) {
    if (random() % 2 == 0 && !taken.empty()) {
      const std::size_t pick = random() % taken.size();
      const auto [begin, count] = taken[pick];
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(pick));
      ranges.give(begin, count);
      std::fill_n(used.begin() + begin, count, false);
    } else {
      const std::size_t count = 1 + random() % 9;
      const std::size_t alignment = std::size_t{1} << random() % 4;
      bool room = false;
      for (std::size_t at = 0; at + count <= kSize; at += alignment) {
        room |= std::none_of(used.begin() + at, used.begin() + at + count, [](bool unit) { return unit; });
      }
      const auto begin = ranges.take(count, alignment);
      ASSERT_EQ(begin.has_value(), room);
      if (!begin) continue;
      ASSERT_EQ(*begin % alignment, 0u);
      ASSERT_LE(*begin + count, kSize);
      ASSERT_TRUE(std::none_of(used.begin() + *begin, used.begin() + *begin + count, [](bool unit) { return unit; }));
      std::fill_n(used.begin() + *begin, count, true);
      taken.emplace_back(*begin, count);
    }
    ASSERT_EQ(ranges.available(), static_cast<std::size_t>(std::count(used.begin(), used.end(), false)));
    ASSERT_EQ(ranges.unused(), taken.empty());
  }
}

// ---------------------------------------------------------------- FaultBlocks

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kArray = std::size_t{1} << 30;

TEST(FaultBlocks, forwardWalkDoublesUpToTheLargestBlock) {
  FaultBlocks blocks(kArray, kPage);
  std::size_t at = 0;
  std::size_t size = FaultBlocks::kFirst;
  int faults = 0;
  while (at < kArray) {
    const ByteRange block = blocks.next(at, false).bytes;
    ASSERT_EQ(block, (ByteRange{at, std::min(kArray, at + size)}));
    at = block.hi;
    size = std::min(size * 2, FaultBlocks::kLargest);
    ++faults;
  }
  EXPECT_LE(faults, 26);
}

TEST(FaultBlocks, backwardWalkDoublesToo) {
  FaultBlocks blocks(kArray + 100, kPage);
  std::size_t end = kArray + 100;
  int faults = 0;
  while (end > 0) {
    const ByteRange block = blocks.next(end - 1, false).bytes;
    ASSERT_EQ(block.hi, end);
    ASSERT_EQ(block.lo % kPage, 0u);
    end = block.lo;
    ++faults;
  }
  EXPECT_LE(faults, 27);
}

TEST(FaultBlocks, writeAfterReadGivesTheSameBlockAndDoesNotGrow) {
  FaultBlocks blocks(kArray, kPage);
  const ByteRange first = blocks.next(0, false).bytes;
  EXPECT_EQ(blocks.next(0, true).bytes, first);
  EXPECT_EQ(blocks.next(100, false).bytes, first);
  EXPECT_EQ(blocks.next(first.hi, false).bytes, (ByteRange{first.hi, first.hi + 2 * FaultBlocks::kFirst}));
}

// As of a program that has filled an array, and prints one element, or sets one, after each step.
TEST(FaultBlocks, anElementInTheLastBlockOfAWalkIsAJump) {
  for (const bool write : {false, true}) {
    FaultBlocks blocks(256 * kMegabyte, kPage);
    for (std::size_t at = 0; at < 256 * kMegabyte;) at = blocks.next(at, write).bytes.hi;
    (void)blocks.next(250 * kMegabyte, write);
    std::size_t fetched = 0;
    for (int step = 0; step < 10; ++step) {
      const ByteRange read = blocks.next(250 * kMegabyte + 777, false).bytes, again = blocks.next(read.lo, true).bytes;
      EXPECT_EQ(again, read);
      const ByteRange other = blocks.next(240 * kMegabyte + 777, write).bytes;
      fetched += read.hi - read.lo + other.hi - other.lo;
    }
    EXPECT_LE(fetched, 2 * 10 * FaultBlocks::kFirst);
  }
}

TEST(FaultBlocks, aWalkMayBeginInTheLastBlockOfAnother) {
  FaultBlocks blocks(64 * kMegabyte, kPage);
  for (std::size_t at = 0; at < 64 * kMegabyte;) at = blocks.next(at, false).bytes.hi;
  (void)blocks.next(50 * kMegabyte, false);
  int faults = 0;
  for (std::size_t at = 40 * kMegabyte; at < 64 * kMegabyte; ++faults) at = blocks.next(at, false).bytes.hi;
  EXPECT_LE(faults, 10);
}

TEST(FaultBlocks, jumpsShrinkTheBlockToAPageAndAWalkRestoresIt) {
  FaultBlocks blocks(kArray, kPage);
  std::size_t last = FaultBlocks::kFirst;
  for (std::size_t jump = 1; jump < 8; ++jump) {
    const ByteRange block = blocks.next(jump * (kArray / 10) + 12345, false).bytes;
    ASSERT_LE(block.hi - block.lo, last);
    last = block.hi - block.lo;
  }
  EXPECT_EQ(last, kPage);
  ByteRange walk = blocks.next(kArray / 10 * 9, false).bytes;
  for (int step = 0; step < 10; ++step) walk = blocks.next(walk.hi, false).bytes;
  EXPECT_GE(walk.hi - walk.lo, kMegabyte);
  const ByteRange fresh = blocks.next(kArray / 20, false).bytes;
  EXPECT_EQ(fresh.hi - fresh.lo, FaultBlocks::kFirst);
}

TEST(FaultBlocks, threadsWithAPartEachAllGrow) {
  constexpr std::size_t kThreads = 48;
  FaultBlocks blocks(kArray, kPage);
  std::vector<std::size_t> at(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) at[thread] = kArray / kThreads * thread / kPage * kPage;
  ByteRange block;
  for (int round = 0; round < 7; ++round) {
    for (std::size_t& position : at) {
      block = blocks.next(position, false).bytes;
      ASSERT_LE(block.lo, position);
      ASSERT_GT(block.hi, position);
      position = block.hi;
    }
  }
  EXPECT_GE(block.hi - block.lo, std::size_t{256} << 10);
}

TEST(FaultBlocks, everyBlockHoldsTheFaultAndStaysInside) {
  std::mt19937_64 random(5);
  for (const std::size_t bytes : {std::size_t{1}, kPage, kPage + 1, 3 * FaultBlocks::kFirst - 5, kArray + 77}) {
    FaultBlocks blocks(bytes, kPage);
    std::size_t offset = 0;
    for (int round = 0; round < 20'000; ++round) {
      // Steps of all sizes in both directions, among them short ones.
      const std::size_t step = random() % (std::size_t{1} << (1 + random() % 27));
      offset = random() % 2 == 0 ? std::min(bytes - 1, offset + step) : offset - std::min(offset, step);
      const ByteRange block = blocks.next(offset, false).bytes;
      ASSERT_LE(block.lo, offset);
      ASSERT_GT(block.hi, offset);
      ASSERT_EQ(block.lo % kPage, 0u);
      ASSERT_TRUE(block.hi % kPage == 0 || block.hi == bytes);
      ASSERT_LE(block.hi, bytes);
      ASSERT_LE(block.hi - block.lo, FaultBlocks::kLargest);
    }
  }
}

// How many faults, and bytes taken for writing, a pass has that reads each block and then writes those before
// `written`.
struct Pass {
  int faults = 0;
  std::size_t taken = 0;
};

Pass walkAll(FaultBlocks& blocks, std::size_t written) {
  Pass pass;
  for (std::size_t at = 0; at < kArray;) {
    FaultBlock block = blocks.next(at, false);
    ++pass.faults;
    if (!block.write && at < written) {
      block = blocks.next(at, true);
      ++pass.faults;
    }
    if (block.write) pass.taken += block.bytes.hi - block.bytes.lo;
    at = block.bytes.hi;
  }
  return pass;
}

TEST(FaultBlocks, aWalkThatWritesWhatItReadsFaultsOnceInMostBlocks) {
  FaultBlocks blocks(kArray, kPage);
  const Pass pass = walkAll(blocks, kArray);
  EXPECT_EQ(pass.taken, kArray);
  EXPECT_LE(pass.faults, 26 + 26 / 4 + 3);
}

TEST(FaultBlocks, aWalkThatOnlyReadsTakesNothingForWriting) {
  FaultBlocks blocks(kArray, kPage);
  EXPECT_EQ(walkAll(blocks, 0).taken, 0u);
  EXPECT_EQ(walkAll(blocks, 0).taken, 0u);
}

TEST(FaultBlocks, aWalkThatStopsWritingIsFoundOut) {
  FaultBlocks blocks(kArray, kPage);
  constexpr std::size_t kWritten = std::size_t{256} << 20;
  const Pass pass = walkAll(blocks, kWritten);
  EXPECT_GE(pass.taken, kWritten);
  EXPECT_LE(pass.taken, kWritten + 4 * FaultBlocks::kLargest);
}

// How many faults a pass over the first bytes of an array takes.
int faultsOf(FaultBlocks& blocks, std::size_t bytes) {
  int faults = 0;
  for (std::size_t at = 0; at < bytes; ++faults) at = blocks.next(at, false).bytes.hi;
  return faults;
}

TEST(FaultBlocks, aPassThatComesAgainGetsOneBlock) {
  constexpr std::size_t kBytes = 6 * kMegabyte;
  FaultBlocks blocks(kBytes, kPage);
  const int first = faultsOf(blocks, kBytes);
  EXPECT_GE(first, 6);
  int faults = 0;
  for (unsigned pass = 0; pass < 4 * FaultBlocks::kCheckPass; ++pass) faults += faultsOf(blocks, kBytes);
  EXPECT_EQ(static_cast<unsigned>(faults), 4 * (FaultBlocks::kCheckPass - 1 + static_cast<unsigned>(first)));
}

TEST(FaultBlocks, aPassThatEndsEarlierIsFoundOut) {
  FaultBlocks blocks(kArray, kPage);
  faultsOf(blocks, 32 * kMegabyte);
  for (unsigned pass = 0; pass < 2 * FaultBlocks::kCheckPass; ++pass) faultsOf(blocks, kMegabyte);
  const ByteRange now = blocks.next(0, false).bytes;
  EXPECT_GE(now.hi, kMegabyte / 2);
  EXPECT_LE(now.hi, 2 * kMegabyte);
}

// Pages that one thread's fault has brought do not fault in another one's part.
TEST(FaultBlocks, threadsWhosePartsComeAgainGetThemAtOnce) {
  constexpr std::size_t kThreads = 16, kPart = 4 * kMegabyte;
  FaultBlocks blocks(kThreads * kPart, kPage);
  std::size_t faults = 0;
  for (int pass = 0; pass < 4; ++pass) {
    faults = 0;
    std::vector<bool> isHere(kThreads * kPart / kPage);
    std::vector<std::size_t> at(kThreads);
    for (std::size_t thread = 0; thread < kThreads; ++thread) at[thread] = thread * kPart;
    for (bool going = true; going;) {
      going = false;
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        while (at[thread] < (thread + 1) * kPart && isHere[at[thread] / kPage]) at[thread] += kPage;
        if (at[thread] >= (thread + 1) * kPart) continue;
        const ByteRange block = blocks.next(at[thread], false).bytes;
        for (std::size_t page = block.lo / kPage; page < block.hi / kPage; ++page) isHere[page] = true;
        ++faults;
        going = true;
      }
    }
  }
  EXPECT_LE(faults, kThreads);
}

}  // namespace
}  // namespace muster::rt
