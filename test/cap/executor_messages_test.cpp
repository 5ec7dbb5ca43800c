// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies become messages: alone, packed, numbered between two ranks.
#include "executor_messages.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::cap {
namespace {

int sameRankAsMemory(MemoryId memory) { return static_cast<int>(memory); }

Copy copyOf(MemoryId from, MemoryId to, std::int64_t lo, std::int64_t hi) { return {7, 8, {lo, hi}, from, to}; }

TEST(ExecutorMessages, SmallCopiesBetweenTwoMemoriesTravelTogether) {
  const std::vector<Copy> copies = {copyOf(0, 1, 0, 4), copyOf(0, 2, 4, 8), copyOf(0, 1, 100, 110), copyOf(1, 0, 0, 1)};
  const auto messages = groupCopies(copies, sameRankAsMemory);
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
  const auto messages = groupCopies(copies, sameRankAsMemory);
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
  const auto messages = groupCopies(copies, [](MemoryId memory) { return memory == 1 ? 1 : 0; });
  std::set<std::uint32_t> numbers;
  for (const Message& message : messages) numbers.insert(message.index);
  EXPECT_EQ(numbers.size(), 10u);
}

TEST(ExecutorMessages, EmptyCopiesAndThoseWithinAMemoryAreNone) {
  const std::vector<Copy> copies = {copyOf(0, 1, 4, 4), copyOf(1, 1, 0, 10)};
  EXPECT_TRUE(groupCopies(copies, sameRankAsMemory).empty());
}

TEST(ExecutorMessages, TooManyLargeCopiesArePacked) {
  const std::int64_t large = packLimitBytes / 8;
  std::vector<Copy> copies;
  for (std::int64_t i = 0; i <= maxMessages; ++i) copies.push_back(copyOf(0, 1, i * large, (i + 1) * large));
  const auto messages = groupCopies(copies, sameRankAsMemory);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].copies.size(), copies.size());
}

}  // namespace
}  // namespace muster::cap
