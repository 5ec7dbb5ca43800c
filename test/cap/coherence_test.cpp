// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of arrays, against a table with one set of holders per element.
#include "muster/cap/coherence.h"

#include <gtest/gtest.h>

#include <set>

#include "muster/cdm/status.h"
#include "nests.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::pick;
using testing::Random;

class Coherence : public ::testing::Test {
 protected:
  void SetUp() override { panicThrows(true); }
  void TearDown() override { panicThrows(false); }
};

TEST_F(Coherence, StartsInOnePlace) {
  const ArrayState state(10, 3);
  EXPECT_EQ(state.count(), 10);
  EXPECT_EQ(state.toString(), "[0,10){3}");
  EXPECT_EQ(state.heldBy(3), (IntervalSet{{0, 10}}));
  EXPECT_TRUE(state.heldBy(0).empty());
}

TEST_F(Coherence, AnArrayWithoutElementsHasNoPieces) {
  const ArrayState state(0, hostMemory);
  EXPECT_EQ(state.count(), 0);
  EXPECT_TRUE(state.pieces().empty());
}

TEST_F(Coherence, ReadersAreAddedAWriterReplacesThem) {
  ArrayState state(10, 0);
  state.addHolder({{2, 5}}, 4);
  EXPECT_EQ(state.toString(), "[0,2){0} [2,5){0,4} [5,10){0}");
  EXPECT_EQ(state.heldOnlyBy(0), (IntervalSet{{0, 2}, {5, 10}}));
  EXPECT_EQ(state.missingAt(4, {{0, 3}, {4, 7}}), (IntervalSet{{0, 2}, {5, 7}}));
  state.setOwner({{4, 6}}, 4);
  EXPECT_EQ(state.toString(), "[0,2){0} [2,4){0,4} [4,6){4} [6,10){0}");
  state.dropHolder({{0, 4}}, 4);
  EXPECT_EQ(state.toString(), "[0,4){0} [4,6){4} [6,10){0}");
}

TEST_F(Coherence, PiecesMergeAgain) {
  ArrayState state(10, 0);
  state.setOwner({{2, 5}}, 1);
  state.setOwner({{2, 5}}, 0);
  EXPECT_EQ(state, ArrayState(10, 0));
  EXPECT_EQ(state.hash(), ArrayState(10, 0).hash());
  EXPECT_NE(state.hash(), ArrayState(10, 1).hash());
  EXPECT_NE(state.hash(), ArrayState(11, 0).hash());
}

TEST_F(Coherence, ManyGrantsInOnePass) {
  ArrayState state(12, 0);
  state = state.withOwners({{{8, 12}, 3}, {{0, 4}, 1}, {{4, 8}, 2}});
  EXPECT_EQ(state.toString(), "[0,4){1} [4,8){2} [8,12){3}");
  state = state.withHolders({{{3, 5}, 2}, {{7, 9}, 3}, {{3, 5}, 1}, {{0, 12}, 9}});
  EXPECT_EQ(state.toString(), "[0,3){1,9} [3,5){1,2,9} [5,7){2,9} [7,8){2,3,9} [8,12){3,9}");
}

TEST_F(Coherence, BrokenInvariantsPanic) {
  ArrayState state(10, 0);
  EXPECT_THROW(state.dropHolder({{3, 4}}, 0), PanicError);
  EXPECT_EQ(state, ArrayState(10, 0));
  EXPECT_THROW(state.addHolder({{3, 11}}, 1), PanicError);
  EXPECT_THROW(state.setOwner({{-1, 1}}, 1), PanicError);
  EXPECT_THROW((void)state.missingAt(1, {{9, 12}}), PanicError);
  EXPECT_THROW((void)state.withOwners({{{0, 4}, 1}, {{3, 5}, 2}}), PanicError);
}

constexpr std::int64_t count = 40;
using Table = std::vector<std::set<MemoryId>>;

IntervalSet randomElements(Random& random) {
  std::vector<Interval> intervals;
  for (std::int64_t n = pick(random, 0, 5); n > 0; --n) {
    const std::int64_t lo = pick(random, 0, count);
    intervals.push_back({lo, std::min(count, lo + pick(random, 0, 9))});
  }
  return IntervalSet::of(std::move(intervals));
}

void expectSame(const ArrayState& state, const Table& table) {
  std::int64_t at = 0;
  for (const ArrayState::Piece& piece : state.pieces()) {
    ASSERT_EQ(piece.elements.lo, at);
    ASSERT_FALSE(piece.elements.empty());
    for (; at < piece.elements.hi; ++at) {
      const std::set<MemoryId>& holders = table[static_cast<std::size_t>(at)];
      ASSERT_EQ(piece.holders, MemorySet(holders.begin(), holders.end())) << "element " << at;
    }
  }
  ASSERT_EQ(at, count);
  for (std::size_t i = 1; i < state.pieces().size(); ++i) {
    ASSERT_NE(state.pieces()[i - 1].holders, state.pieces()[i].holders) << "not merged: " << state.toString();
  }
}

TEST_F(Coherence, AgreesWithATable) {
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    ArrayState state(count, 0);
    Table table(count, {0});
    for (int step = 0; step < 20; ++step) {
      const auto memory = static_cast<MemoryId>(pick(random, 0, 5));
      const IntervalSet elements = randomElements(random);
      const auto forEach = [&](const IntervalSet& set, auto change) {
        for (const Interval& i : set) {
          for (std::int64_t e = i.lo; e < i.hi; ++e) change(table[static_cast<std::size_t>(e)]);
        }
      };
      switch (pick(random, 0, 4)) {
        case 0:
          state.addHolder(elements, memory);
          forEach(elements, [&](std::set<MemoryId>& holders) { holders.insert(memory); });
          break;
        case 1:
          state.setOwner(elements, memory);
          forEach(elements, [&](std::set<MemoryId>& holders) { holders = {memory}; });
          break;
        case 2: {
          IntervalSet droppable = elements;
          droppable.subtract(state.heldOnlyBy(memory));
          state.dropHolder(droppable, memory);
          forEach(droppable, [&](std::set<MemoryId>& holders) { holders.erase(memory); });
          break;
        }
        case 3: {
          std::vector<ArrayState::Grant> grants;
          for (std::int64_t n = pick(random, 0, 6); n > 0; --n) {
            const auto to = static_cast<MemoryId>(pick(random, 0, 5));
            const IntervalSet some = randomElements(random);
            for (const Interval& i : some) grants.push_back({i, to});
            forEach(some, [&](std::set<MemoryId>& holders) { holders.insert(to); });
          }
          state = state.withHolders(grants);
          break;
        }
        default: {
          std::vector<ArrayState::Grant> grants;
          IntervalSet left{{0, count}};
          for (std::int64_t n = pick(random, 0, 6); n > 0; --n) {
            const auto owner = static_cast<MemoryId>(pick(random, 0, 5));
            const IntervalSet some = randomElements(random).intersect(left);
            left.subtract(some);
            for (const Interval& i : some) grants.push_back({i, owner});
            forEach(some, [&](std::set<MemoryId>& holders) { holders = {owner}; });
          }
          std::shuffle(grants.begin(), grants.end(), random);
          state = state.withOwners(grants);
        }
      }
      expectSame(state, table);
      if (HasFatalFailure()) return;
      const IntervalSet missing = state.missingAt(memory, elements);
      IntervalSet expected = elements;
      expected.subtract(state.heldBy(memory));
      ASSERT_EQ(missing, expected);
    }
  }
}

}  // namespace
}  // namespace muster::cap
