// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of arrays, against a table with one set of holders per element.
#include "muster/cap/coherence.h"

#include <gtest/gtest.h>

#include <optional>
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
  MemorySet before;
  for (const auto& piece : state.pieces()) {
    ASSERT_NE(piece.holders, before) << "not merged: " << state.toString();
    before = piece.holders;
    ASSERT_EQ(piece.elements.lo, at);
    ASSERT_FALSE(piece.elements.empty());
    for (; at < piece.elements.hi; ++at) {
      const std::set<MemoryId>& holders = table[static_cast<std::size_t>(at)];
      ASSERT_EQ(piece.holders, MemorySet(holders.begin(), holders.end())) << "element " << at;
    }
  }
  ASSERT_EQ(at, count);
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

// What is left of random changes by rows and by single ranges.
ArrayState randomRows(Random& random, std::int64_t elements) {
  ArrayState state(elements, 0);
  for (std::int64_t n = pick(random, 1, 6); n > 0; --n) {
    const std::int64_t stride = chance(random, 0.7) ? 20 : pick(random, 5, 40), length = pick(random, 1, stride - 1);
    const std::int64_t most = elements / stride - 1, first = pick(random, 0, stride - 1);
    IntervalSet set = IntervalSet::repeated({first, first + length}, stride, pick(random, 1, most));
    if (chance(random, 0.2)) set = IntervalSet(Interval{first, pick(random, first, elements)});
    const auto memory = static_cast<MemoryId>(pick(random, 0, 4));
    if (chance(random, 0.5)) {
      state.setOwner(set, memory);
    } else {
      state.addHolder(set, memory);
    }
  }
  return state;
}

TEST_F(Coherence, PackedStatesAreTheSame) {
  Random random(4);
  int packed = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t elements = pick(random, 200, 2000);
    const ArrayState state = randomRows(random, elements);
    const std::optional<ArrayState> same = state.packed();
    if (!same) continue;
    ++packed;
    ASSERT_EQ(*same, state);
    ASSERT_EQ(state, *same);
    ASSERT_EQ(same->hash(), state.hash());
    ASSERT_EQ(same->count(), state.count());
    ASSERT_EQ(same->toString(), state.toString());
    ASSERT_EQ(same->pieces().size(), state.pieces().size());
    ASSERT_LT(same->allocated(), state.allocated());
    ASSERT_FALSE(same->packed().has_value());
    auto near = same->pieces().begin();
    for (std::int64_t e = 0; e < elements; e += pick(random, 1, 30)) {
      near = same->pieceAt(e, near);
      ASSERT_EQ(near, same->pieceAt(e));
      const auto piece = state.pieceAt(e);
      ASSERT_EQ(near->elements, piece->elements);
      ASSERT_EQ(near->holders, piece->holders);
      auto left = near;
      auto expected = piece;
      for (int steps = 0; steps < 5 && expected != state.pieces().end(); ++steps, ++left, ++expected)
        ASSERT_EQ(left->elements, expected->elements);
      ASSERT_EQ(left == same->pieces().end(), expected == state.pieces().end());
    }
    ASSERT_EQ(same->pieceAt(elements), same->pieces().end());
    const auto memory = static_cast<MemoryId>(pick(random, 0, 4));
    const std::int64_t lo = pick(random, 0, elements - 20);
    IntervalSet set = IntervalSet::repeated({lo, lo + 3}, 20, pick(random, 1, (elements - lo) / 20));
    ASSERT_EQ(same->missingAt(memory, set), state.missingAt(memory, set));
    ASSERT_EQ(same->heldBy(memory), state.heldBy(memory));
    ASSERT_EQ(same->heldOnlyBy(memory), state.heldOnlyBy(memory));
    ArrayState one = *same, other = state;
    one.setOwner(set, memory);
    other.setOwner(set, memory);
    ASSERT_EQ(one, other);
    one = *same;
    other = state;
    one.addHolder(set, memory);
    other.addHolder(set, memory);
    ASSERT_EQ(one, other);
    // Where they differ, they are not equal: nobody has had memory 5.
    other = state;
    other.addHolder(IntervalSet(Interval{lo, lo + 1}), 5);
    ASSERT_NE(*same, other);
    const std::optional<ArrayState> otherPacked = other.packed();
    if (otherPacked) {
      ASSERT_NE(*same, *otherPacked);
    }
  }
  EXPECT_GT(packed, 1000);
}

}  // namespace
}  // namespace muster::cap
