// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies become messages: alone, packed, numbered between two ranks.
#include "executor/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace muster::cap {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30;

int sameRankAsMemory(MemoryId memory) { return static_cast<int>(memory); }

Largest atMost(std::size_t bytes) {
  return [bytes](MemoryId, MemoryId) { return bytes; };
}

Copy copyOf(MemoryId from, MemoryId to, std::int64_t lo, std::int64_t hi) { return {7, 8, {lo, hi}, from, to}; }

TEST(ExecutorMessages, SmallCopiesBetweenTwoMemoriesTravelTogether) {
  const std::vector<Copy> copies = {copyOf(0, 1, 0, 4), copyOf(0, 2, 4, 8), copyOf(0, 1, 100, 110), copyOf(1, 0, 0, 1)};
  const auto messages = groupCopies(copies, sameRankAsMemory, atMost(kLargest));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].copies.size(), 2u);
  EXPECT_EQ(messages[0].bytes, 14u * 8);
  EXPECT_EQ(messages[0].copies[1]->elements, (Interval{100, 110}));
  EXPECT_EQ(messages[1].to, 2u);
  EXPECT_EQ(messages[2].from, 1u);
}

TEST(ExecutorMessages, LargeCopiesTravelAlone) {
  const std::int64_t large = packLimitBytes / 8;
  const std::vector<Copy> copies = {copyOf(0, 1, 0, large), copyOf(0, 1, large, large + 1),
                                    copyOf(0, 1, 2 * large, 3 * large)};
  const auto messages = groupCopies(copies, sameRankAsMemory, atMost(kLargest));
  ASSERT_EQ(messages.size(), 3u);
  for (const Message& message : messages) EXPECT_EQ(message.copies.size(), 1u);
}

TEST(ExecutorMessages, NumbersTellMessagesBetweenTwoRanksApart) {
  const std::int64_t large = packLimitBytes / 8;
  std::vector<Copy> copies;
  for (std::int64_t i = 0; i < 5; ++i) {
    copies.push_back(copyOf(0, 1, i * large, (i + 1) * large));
    copies.push_back(copyOf(2, 1, i * large, (i + 1) * large));
  }
  // Memories 0 and 2 are of one rank: their messages to rank 1 need different numbers.
  const auto messages = groupCopies(copies, [](MemoryId memory) { return memory == 1 ? 1 : 0; }, atMost(kLargest));
  std::set<std::uint32_t> numbers;
  for (const Message& message : messages) numbers.insert(message.index);
  EXPECT_EQ(numbers.size(), 10u);
}

TEST(ExecutorMessages, EmptyCopiesAndThoseWithinAMemoryAreNone) {
  const std::vector<Copy> copies = {copyOf(0, 1, 4, 4), copyOf(1, 1, 0, 10)};
  EXPECT_TRUE(groupCopies(copies, sameRankAsMemory, atMost(kLargest)).empty());
}

TEST(ExecutorMessages, TooManyLargeCopiesArePacked) {
  const std::int64_t large = packLimitBytes / 8;
  std::vector<Copy> copies;
  for (std::int64_t i = 0; i <= maxMessages; ++i) copies.push_back(copyOf(0, 1, i * large, (i + 1) * large));
  const auto messages = groupCopies(copies, sameRankAsMemory, atMost(kLargest));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].copies.size(), copies.size());
}

// A rank that only knows its own copies must come to the same messages as one that knows those of a crowded pair too.
TEST(ExecutorMessages, OtherRanksDoNotMatter) {
  const std::int64_t large = packLimitBytes / 8;
  std::vector<Copy> copies, own;
  for (std::int64_t i = 0; i <= maxMessages; ++i) copies.push_back(copyOf(0, 1, i * large, (i + 1) * large));
  for (std::int64_t i = 0; i < 3; ++i) own.push_back(copyOf(0, 2, i * large, (i + 1) * large));
  copies.insert(copies.begin() + 5, own.begin(), own.end());
  const auto all = groupCopies(copies, sameRankAsMemory, atMost(kLargest)),
             few = groupCopies(own, sameRankAsMemory, atMost(kLargest));
  ASSERT_EQ(few.size(), 3u);
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all[i + 1].index, few[i].index);
}

// Elements of 8 bytes.
std::vector<std::int64_t> sizesOf(const std::vector<Copy>& copies) {
  std::vector<std::int64_t> sizes;
  for (const Copy& copy : copies) sizes.push_back(copy.elements.size());
  return sizes;
}

TEST(ExecutorMessages, LargeCopiesAreCutInAlikeParts) {
  using Sizes = std::vector<std::int64_t>;
  const auto cut = [](std::int64_t elements) {
    return sizesOf(cutCopies(std::vector<Copy>{copyOf(0, 1, 5, 5 + elements)}, atMost(800)));
  };
  EXPECT_EQ(cut(0), Sizes{});
  EXPECT_EQ(cut(1), Sizes{});
  EXPECT_EQ(cut(99), Sizes{});
  EXPECT_EQ(cut(100), Sizes{});
  EXPECT_EQ(cut(101), (Sizes{51, 50}));
  EXPECT_EQ(cut(200), (Sizes{100, 100}));
  EXPECT_EQ(cut(301), (Sizes{76, 75, 75, 75}));
}

TEST(ExecutorMessages, PartsFollowOneAnotherAndSmallCopiesStay) {
  const std::vector<Copy> copies = {copyOf(0, 1, 0, 10), copyOf(0, 1, 50, 300), copyOf(2, 1, 300, 301)};
  const std::vector<Copy> cut = cutCopies(copies, atMost(800));
  ASSERT_EQ(sizesOf(cut), (std::vector<std::int64_t>{10, 84, 83, 83, 1}));
  EXPECT_EQ(cut[1].elements, (Interval{50, 134}));
  EXPECT_EQ(cut[2].elements, (Interval{134, 217}));
  EXPECT_EQ(cut[3].elements, (Interval{217, 300}));
  EXPECT_EQ(cut[4], copies[2]);
}

TEST(ExecutorMessages, AnElementIsNeverCut) {
  Copy copy = copyOf(0, 1, 0, 3);
  copy.elemSize = 4096;
  EXPECT_EQ(sizesOf(cutCopies(std::vector<Copy>{copy}, atMost(800))), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(ExecutorMessages, PartsAreAsLargeAsTheirWayAllows) {
  const Largest largest = [](MemoryId from, MemoryId to) {
    return from == 0 || to == 0 ? std::numeric_limits<std::size_t>::max() : std::size_t{800} * to;
  };
  EXPECT_TRUE(cutCopies(std::vector<Copy>{copyOf(0, 1, 0, 1000), copyOf(1, 0, 0, 1000)}, largest).empty());
  EXPECT_EQ(cutCopies(std::vector<Copy>{copyOf(1, 2, 0, 1000), copyOf(2, 1, 0, 1000)}, largest).size(), 15u);
}

TEST(ExecutorMessages, PacksEndWhereTheyWouldGrowTooLarge) {
  std::vector<Copy> copies;
  for (std::int64_t i = 0; i < 7; ++i) copies.push_back(copyOf(0, 1, 100 * i, 100 * i + 40));  // 320 bytes
  const auto messages = groupCopies(copies, sameRankAsMemory, atMost(800));
  ASSERT_EQ(messages.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(messages[i].bytes, i < 3 ? 640u : 320u);
    EXPECT_EQ(messages[i].index, i);
  }
}

std::vector<std::size_t> runsOf(const std::vector<Copy>& copies, std::int64_t large) {
  std::vector<const Copy*> all;
  for (const Copy& copy : copies) all.push_back(&copy);
  std::vector<std::size_t> lengths;
  for (std::span<const Copy* const> left = all; !left.empty(); left = left.subspan(lengths.back()))
    lengths.push_back(firstRun(left, large).copies.size());
  return lengths;
}

TEST(ExecutorMessages, EqualRowsEquallyFarApartAreARun) {
  std::vector<Copy> copies;
  for (std::int64_t i = 0; i < 5; ++i) copies.push_back(copyOf(1, 0, 100 * i + 3, 100 * i + 5));
  EXPECT_EQ(runsOf(copies, 1000), std::vector<std::size_t>{5});
  std::vector<const Copy*> all;
  for (const Copy& copy : copies) all.push_back(&copy);
  const CopyRun run = firstRun(all, 1000);
  EXPECT_EQ(run.stride, 100);
  EXPECT_EQ(run.hull(), (Interval{3, 405}));
  EXPECT_EQ(run.bytes(), 5u * 2 * 8);
  // Rows that are large are no run, and a longer one, another distance, another array, and the way back end one.
  EXPECT_EQ(runsOf(copies, 16), (std::vector<std::size_t>{1, 1, 1, 1, 1}));
  copies[3].elements.hi += 1;
  EXPECT_EQ(runsOf(copies, 1000), (std::vector<std::size_t>{3, 1, 1}));
  copies[3] = copyOf(1, 0, 304, 306);
  EXPECT_EQ(runsOf(copies, 1000), (std::vector<std::size_t>{3, 2}));
  copies[3] = copyOf(1, 0, 303, 305);
  copies[2].array = 9;
  EXPECT_EQ(runsOf(copies, 1000), (std::vector<std::size_t>{2, 1, 2}));
  EXPECT_EQ(runsOf({copyOf(1, 0, 10, 12), copyOf(1, 0, 4, 6)}, 1000), (std::vector<std::size_t>{1, 1}));
}

}  // namespace
}  // namespace muster::cap
