// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which freed arrays are kept, for how long, and which of them is given again.
#include "engine/arrays/parked_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace muster::rt {
namespace {

using Arrays = std::vector<HostArray*>;

class PlainArray final : public HostArray {
 public:
  explicit PlainArray(std::size_t address) : address_(address) {}
  std::byte* user() const override { return reinterpret_cast<std::byte*>(address_); }
  std::byte* alias() const override { return user(); }
  std::size_t bytes() const override { return 0; }
  bool mirrored() const override { return true; }
  std::vector<ByteRange> untouched(std::size_t, std::size_t, std::size_t) const override { return {}; }
  void keepPages() override {}

 private:
  std::size_t address_;
};

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

struct Program {
  explicit Program(std::size_t mostBytes = SIZE_MAX) : parked(mostBytes) {}
  ParkedArrays parked;
  std::deque<PlainArray> arrays;
  std::uint32_t next = 0;

  struct Live {
    std::uint32_t id;
    HostArray* array;
    bool again;
  };
  Live allocate(const ParkedArrays::Kind& kind) {
    if (HostArray* array = parked.take(kind, 1)) {
      const auto same = [&](const PlainArray& known) { return &known == array; };
      return {static_cast<std::uint32_t>(std::find_if(arrays.begin(), arrays.end(), same) - arrays.begin()), array,
              true};
    }
    parked.noteCreated(kind);
    return {next++, &arrays.emplace_back(4096), false};
  }
  // Makes so many at a time and frees them, twice.
  void haveTwice(std::size_t count, const ParkedArrays::Kind& kind) {
    for (int step = 0; step < 2; ++step) {
      std::vector<Live> live;
      for (std::size_t i = 0; i < count; ++i) live.push_back(allocate(kind));
      for (const Live& array : live) free(kind, array);
    }
  }
  Arrays free(const ParkedArrays::Kind& kind, const Live& live) {
    parked.park(kind, live.id, *live.array);
    return parked.surplus();
  }
};

TEST(ParkedArrays, GivesWhatWasFreedAndIsAlike) {
  Program program;
  const auto live = program.allocate({100, 8});
  EXPECT_FALSE(live.again);
  EXPECT_EQ(program.parked.take({100, 8}, 1), nullptr) << "it lives";
  EXPECT_EQ(program.free({100, 8}, live), Arrays{});
  EXPECT_EQ(program.parked.take({100, 4}, 1), nullptr);
  EXPECT_EQ(program.parked.take({101, 8}, 1), nullptr);
  EXPECT_EQ(program.parked.take({99, 8}, 1), nullptr);
  EXPECT_EQ(program.parked.take({100, 8, true}, 1), nullptr) << "replicated";
  EXPECT_EQ(program.parked.take({100, 8}, 8192), nullptr) << "it begins an odd page";
  EXPECT_EQ(program.parked.take({100, 8}, 4096), live.array);
  EXPECT_EQ(program.parked.take({100, 8}, 1), nullptr);
  EXPECT_EQ(program.parked.count(), 0u);
  EXPECT_EQ(program.parked.bytes(), 0u);
}

TEST(ParkedArrays, OneTimeStepAfterTheOtherGetsTheSameArrays) {
  Program program;
  const ParkedArrays::Kind kind{8000, 8};
  for (int step = 0; step < 10; ++step) {
    std::vector<Program::Live> live;
    for (std::uint32_t i = 0; i < 6; ++i) {
      live.push_back(program.allocate(kind));
      EXPECT_EQ(live.back().id, i);
      EXPECT_EQ(live.back().again, step > 0);
    }
    for (int i = 0; i < step; ++i)
      std::next_permutation(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (const auto& array : live) EXPECT_EQ(program.free(kind, array), Arrays{});
  }
}

TEST(ParkedArrays, KeepsWhatTheProgramHadAShortTimeAgo) {
  Program program;
  program.haveTwice(10, {30 * kMegabyte, 8});
  EXPECT_EQ(program.parked.count(), 10u);
  EXPECT_GE(program.parked.bytes(), 300 * kMegabyte);
  // Others beside them: no more than there was, and some.
  for (int i = 0; i < 10; ++i) program.haveTwice(1, {30 * kMegabyte, 4});
  EXPECT_LE(program.parked.bytes(), 301 * kMegabyte + KeptMemory::spareBeyond(301 * kMegabyte));
  EXPECT_GE(program.parked.bytes(), 270 * kMegabyte);
}

// As LULESH at -s 90: one phase has 12 large arrays at a time, the next one 14 smaller ones for each of 11 regions.
TEST(ParkedArrays, PhasesOfOtherSizesHaveRoomBesideTheLargest) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    const auto phase = [&](std::size_t count, const ParkedArrays::Kind& kind) {
      std::vector<Program::Live> live;
      for (std::size_t i = 0; i < count; ++i) live.push_back(program.allocate(kind));
      for (const Program::Live& array : live) {
        if (step > 1) EXPECT_TRUE(array.again) << "step " << step << ", " << kind.bytes << " bytes";
        program.free(kind, array);
      }
    };
    phase(12, {45 * kMegabyte, 8});
    for (std::size_t region = 0; region < 11; ++region) phase(14, {(400 + 30 * region) << 10, 8});
  }
}

TEST(ParkedArrays, WhatMayNeverComeAgainIsNotKeptForLong) {
  Program program;
  EXPECT_EQ(program.free({1000 * kMegabyte, 8}, program.allocate({1000 * kMegabyte, 8})).size(), 1u);
  std::size_t released = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const ParkedArrays::Kind kind{20 * kMegabyte + i, 8};
    released += program.free(kind, program.allocate(kind)).size();
  }
  EXPECT_EQ(program.parked.count(), 3u);
  EXPECT_EQ(released, 7u);
  // What does come again is kept besides.
  program.haveTwice(1, {1000 * kMegabyte, 8});
  EXPECT_EQ(program.parked.count(), 4u);
}

TEST(ParkedArrays, TheMostIsAsItIsTold) {
  Program program(100 * kMegabyte);
  program.haveTwice(10, {30 * kMegabyte, 8});
  EXPECT_EQ(program.parked.count(), 3u);
}

TEST(ParkedArrays, GivesWayToNewArrays) {
  Program program;
  program.haveTwice(10, {30 * kMegabyte, 8});
  EXPECT_EQ(program.parked.count(), 10u);
  std::size_t released = 0;
  for (std::size_t i = 1; i <= 10; ++i) {
    program.allocate({30 * kMegabyte, 4});
    released += program.parked.surplus().size();
    EXPECT_LE(program.parked.bytes() + i * 30 * kMegabyte, 301 * kMegabyte + KeptMemory::spareBeyond(301 * kMegabyte));
  }
  EXPECT_GE(released, 7u);
}

TEST(ParkedArrays, WhatIsTooMuchDoesNotDisplaceWhatComesAgain) {
  Program program;
  const std::size_t each = KeptMemory::kSpareBytes / 8;
  int again = 0;
  for (int step = 0; step < 20; ++step) {
    for (std::size_t i = 0; i < 10; ++i) {  // one at a time, of ten sizes
      const ParkedArrays::Kind kind{each + i, 8};
      const auto live = program.allocate(kind);
      again += live.again;
      program.free(kind, live);
    }
  }
  EXPECT_GE(again, 19 * 7);
  EXPECT_LE(program.parked.bytes(), KeptMemory::kSpareBytes + 2 * each);
}

TEST(ParkedArrays, GivesUpWhatNobodyWantedForLong) {
  Program program;
  const auto old = program.allocate({kMegabyte, 8});
  EXPECT_EQ(program.free({kMegabyte, 8}, old), Arrays{});
  Arrays released;
  std::uint64_t steps = 0;
  for (; released.empty() && steps < 2 * KeptMemory::kShortTime; ++steps)
    released = program.free({8, 4}, program.allocate({8, 4}));
  EXPECT_EQ(released, Arrays{old.array});
  EXPECT_GE(steps, KeptMemory::kShortTime);
  EXPECT_EQ(program.parked.count(), 1u);
}

TEST(ParkedArrays, AHighMarkIsForgotten) {
  Program program;
  program.haveTwice(10, {100 * kMegabyte, 8});
  EXPECT_GE(program.parked.room(), 1000 * kMegabyte);
  EXPECT_GE(program.parked.bytes(), 1000 * kMegabyte);
  for (std::uint64_t i = 0; i < 3 * KeptMemory::kShortTime; ++i) program.free({8, 4}, program.allocate({8, 4}));
  EXPECT_LE(program.parked.room(), KeptMemory::kSpareBytes + kMegabyte);
  EXPECT_LE(program.parked.bytes(), 4096u);
}

TEST(ParkedArrays, IsBoundedInNumber) {
  Program program;
  std::vector<Program::Live> live;
  for (std::size_t i = 0; i < 2 * ParkedArrays::kMost; ++i) live.push_back(program.allocate({0, 8}));
  std::size_t released = 0;
  for (const auto& array : live) released += program.free({0, 8}, array).size();
  EXPECT_EQ(program.parked.count(), ParkedArrays::kMost);
  EXPECT_EQ(released, ParkedArrays::kMost);
  EXPECT_EQ(program.parked.takeAll().size(), ParkedArrays::kMost);
  EXPECT_EQ(program.parked.count(), 0u);
  EXPECT_EQ(program.parked.take({0, 8}, 1), nullptr);
}

}  // namespace
}  // namespace muster::rt
