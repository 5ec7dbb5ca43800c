// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// muster::tripCount, and muster_trip_count as C code calls it, against the loops that it counts: every pair of 8-bit
// types with every bound, random wider ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "muster/muster.h"
#include "muster/muster.hpp"

namespace {

using muster::Relation;
using muster::tripCount;

constexpr Relation kRelations[] = {Relation::less, Relation::lessEqual, Relation::greater, Relation::greaterEqual,
                                   Relation::notEqual};

template <class Var, class Bound>
bool compare(Var var, Bound bound, Relation relation) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-compare"
  switch (relation) {
    case Relation::less:
      return var < bound;
    case Relation::lessEqual:
      return var <= bound;
    case Relation::greater:
      return var > bound;
    case Relation::greaterEqual:
      return var >= bound;
    case Relation::notEqual:
      return var != bound;
  }
#pragma clang diagnostic pop
  return false;
}

// Runs the loop. -1 where OpenMP does not define it: it moves away from its bound or passes the limits of its type,
// or does not end.
template <class Var, class Bound>
std::int64_t runLoop(Var lower, Bound bound, std::int64_t step, Relation relation, bool down, std::int64_t limit) {
  const __int128 delta = down ? -static_cast<__int128>(step) : static_cast<__int128>(step);
  std::int64_t count = 0;
  for (Var var = lower; compare(var, bound, relation);) {
    if (++count > limit) return -1;
    const __int128 next = static_cast<__int128>(var) + delta;
    const bool wraps = next < std::numeric_limits<Var>::min() || next > std::numeric_limits<Var>::max();
    if (wraps) return -1;
    var = static_cast<Var>(next);
  }
  return count;
}

bool movesAway(std::int64_t step, Relation relation, bool down) {
  const bool upwards = down ? step < 0 : step > 0;
  if (relation == Relation::less || relation == Relation::lessEqual) return !upwards;
  if (relation == Relation::greater || relation == Relation::greaterEqual) return upwards;
  return step != 1 && step != -1;
}

// As the plugin writes it for a C loop.
template <class Var, class Bound>
std::int64_t tripCountInC(Var lower, Bound bound, std::int64_t step, Relation relation, bool down) {
  typedef decltype(true ? +lower : +bound) Common;
  constexpr muster_relation names[] = {MUSTER_LESS, MUSTER_LESS_EQUAL, MUSTER_GREATER, MUSTER_GREATER_EQUAL,
                                       MUSTER_NOT_EQUAL};
  return muster_trip_count(static_cast<std::uint64_t>(static_cast<Common>(lower)),
                           static_cast<std::uint64_t>(static_cast<Common>(bound)), step,
                           names[static_cast<int>(relation)], down, std::is_signed_v<Common>);
}

// Compares one loop; returns whether it was one that OpenMP defines.
template <class Var, class Bound>
bool check(Var lower, Bound bound, std::int64_t step, Relation relation, bool down, std::int64_t limit) {
  if (movesAway(step, relation, down)) return false;
  // Neither does it define one that passes the limits of the type that `!=` compares in.
  typedef decltype(true ? +lower : +bound) Common;
  const bool isBelow = static_cast<Common>(lower) < static_cast<Common>(bound), upwards = down ? step < 0 : step > 0;
  if (relation == Relation::notEqual && isBelow != upwards) return false;
  const std::int64_t expected = runLoop(lower, bound, step, relation, down, limit);
  if (expected < 0) return false;
  const std::int64_t actual = tripCount<Var, Bound>(lower, bound, step, relation, down);
  EXPECT_EQ(actual, expected) << "lower " << +lower << ", bound " << +bound << ", step " << step << ", relation "
                              << static_cast<int>(relation) << ", down " << down << ", sizes " << sizeof(Var) << ", "
                              << sizeof(Bound) << ", unsigned " << std::is_unsigned_v<Var> << ", "
                              << std::is_unsigned_v<Bound>;
  EXPECT_EQ((tripCountInC<Var, Bound>(lower, bound, step, relation, down)), expected);
  return actual == expected;
}

template <class Var, class Bound>
void exhaustive() {
  std::int64_t defined = 0;
  for (int lower = std::numeric_limits<Var>::min(); lower <= std::numeric_limits<Var>::max(); ++lower) {
    for (int bound = std::numeric_limits<Bound>::min(); bound <= std::numeric_limits<Bound>::max(); ++bound) {
      for (const Relation relation : kRelations) {
        for (const bool down : {false, true}) {
          for (const int step : {1, -1, 3, -7, 100}) {
            defined += check<Var, Bound>(static_cast<Var>(lower), static_cast<Bound>(bound), step, relation, down, 300);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(defined, 100'000);
}

TEST(TripCount, signedCharAgainstSignedChar) { exhaustive<signed char, signed char>(); }
TEST(TripCount, signedCharAgainstUnsignedChar) { exhaustive<signed char, unsigned char>(); }
TEST(TripCount, unsignedCharAgainstSignedChar) { exhaustive<unsigned char, signed char>(); }
TEST(TripCount, unsignedCharAgainstUnsignedChar) { exhaustive<unsigned char, unsigned char>(); }
TEST(TripCount, charAgainstChar) { exhaustive<char, char>(); }

// Bounds close to lower, to the limits of either type and to zero: where the conversions differ.
template <class Var, class Bound>
void randomLoops() {
  std::mt19937_64 random(42);
  // In unsigned arithmetic: near the limits it wraps on purpose.
  const auto near = [&]<class T>(T anchor) {
    return static_cast<T>(static_cast<std::uint64_t>(anchor) + random() % 401 - 200);
  };
  std::int64_t defined = 0;
  for (int round = 0; round < 30'000; ++round) {
    const Var anchors[] = {0, std::numeric_limits<Var>::min(), std::numeric_limits<Var>::max(),
                           static_cast<Var>(random())};
    const Var lower = near(anchors[random() % 4]);
    const Bound boundAnchors[] = {0, std::numeric_limits<Bound>::min(), std::numeric_limits<Bound>::max(),
                                  static_cast<Bound>(lower)};
    const Bound bound = near(boundAnchors[random() % 4]);
    std::int64_t step = static_cast<std::int64_t>(random() % 9) + 1;
    if (random() % 4 == 0) step = static_cast<std::int64_t>(random() >> (1 + random() % 62)) + 1;
    const Relation relation = kRelations[random() % 5];
    if (relation == Relation::notEqual) step = 1;
    if (random() % 2 == 0) step = -step;
    defined += check<Var, Bound>(lower, bound, step, relation, random() % 2 == 0, 1000);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(defined, 2'000);
}

template <class Var>
void randomLoopsOf() {
  randomLoops<Var, signed char>();
  randomLoops<Var, unsigned short>();
  randomLoops<Var, int>();
  randomLoops<Var, unsigned>();
  randomLoops<Var, long>();
  randomLoops<Var, unsigned long>();
}

TEST(TripCount, randomUnsignedChar) { randomLoopsOf<unsigned char>(); }
TEST(TripCount, randomShort) { randomLoopsOf<short>(); }
TEST(TripCount, randomUnsignedShort) { randomLoopsOf<unsigned short>(); }
TEST(TripCount, randomInt) { randomLoopsOf<int>(); }
TEST(TripCount, randomUnsigned) { randomLoopsOf<unsigned>(); }
TEST(TripCount, randomLong) { randomLoopsOf<long>(); }
TEST(TripCount, randomUnsignedLong) { randomLoopsOf<unsigned long>(); }

TEST(TripCount, comparesAsCxxDoes) {
  EXPECT_EQ((tripCount<int, unsigned>(-1, 10u, 1, Relation::less, false)), 0);
  EXPECT_EQ((tripCount<int, int>(-1, 10, 1, Relation::less, false)), 11);
  EXPECT_EQ((tripCount<int, unsigned>(-5, 4294967295u, 1, Relation::less, false)), 4);
}

// Whatever the loop, C and C++ sources count alike.
TEST(TripCount, sameInC) {
  std::mt19937_64 random(7);
  const auto any = [&] { return random() >> random() % 64 << random() % 8; };
  for (int round = 0; round < 200'000; ++round) {
    const std::uint64_t lower = any(), bound = any();
    const auto step = static_cast<std::int64_t>(any()) * (random() % 2 ? 1 : -1);
    const Relation relation = kRelations[random() % 5];
    const bool down = random() % 2;
    const auto same = [&]<class Var, class Bound>(Var from, Bound to) {
      EXPECT_EQ((tripCount<Var, Bound>(from, to, step, relation, down)),
                (tripCountInC<Var, Bound>(from, to, step, relation, down)))
          << +from << " " << +to << " " << step << " " << static_cast<int>(relation) << " " << down;
    };
    same(static_cast<int>(lower), static_cast<unsigned>(bound));
    same(static_cast<long>(lower), static_cast<long>(bound));
    same(static_cast<unsigned short>(lower), static_cast<int>(bound));
    same(static_cast<unsigned long>(lower), static_cast<int>(bound));
    same(static_cast<signed char>(lower), static_cast<unsigned long>(bound));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TripCount, neverOverflows) {
  constexpr auto kMaxI64 = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMinI64 = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMaxU64 = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ((tripCount<std::uint64_t, std::uint64_t>(0, kMaxU64, 1, Relation::lessEqual, false)), kMaxI64);
  EXPECT_EQ((tripCount<std::uint64_t, std::uint64_t>(0, kMaxU64, 1, Relation::less, false)), kMaxI64);
  EXPECT_EQ((tripCount<std::int64_t, std::int64_t>(kMinI64, kMaxI64, 1, Relation::lessEqual, false)), kMaxI64);
  EXPECT_EQ((tripCount<std::int64_t, std::int64_t>(kMinI64, kMaxI64, kMaxI64, Relation::less, false)), 3);
  EXPECT_EQ((tripCount<std::int64_t, std::int64_t>(kMaxI64, kMinI64, kMinI64, Relation::greater, false)), 2);
  EXPECT_EQ((tripCount<unsigned char, int>(0, 255, 1, Relation::lessEqual, false)), 256);
}

TEST(TripCount, loopsThatOpenMpForbidsAreEmpty) {
  EXPECT_EQ((tripCount<int, int>(0, 10, 0, Relation::less, false)), 0);
  EXPECT_EQ((tripCount<int, int>(0, 10, 1, Relation::less, true)), 0);
  EXPECT_EQ((tripCount<int, int>(10, 0, 1, Relation::notEqual, false)), 0);
}

// As clang and GCC count them: the variable never passes its limits on the way.
TEST(TripCount, unequalCountsAsLessOrGreater) {
  EXPECT_EQ((tripCount<int, unsigned>(-5, 10u, 1, Relation::notEqual, false)), 0);
  EXPECT_EQ((tripCount<unsigned, unsigned>(-10u, 10u, 1, Relation::notEqual, false)), 0);
  EXPECT_EQ((tripCount<unsigned, unsigned>(5, 10, 1, Relation::notEqual, true)), 0);
  EXPECT_EQ((tripCount<unsigned, unsigned>(10, 5, 1, Relation::notEqual, true)), 5);
  EXPECT_EQ((tripCount<unsigned, unsigned>(10, 5, -1, Relation::notEqual, false)), 5);
  EXPECT_EQ((tripCount<unsigned, int>(5, -1, 1, Relation::notEqual, false)), 4294967290);
  EXPECT_EQ((tripCount<unsigned char, int>(250, 5, 1, Relation::notEqual, false)), 0);
  EXPECT_EQ((tripCount<int, int>(7, 7, 1, Relation::notEqual, false)), 0);
}

}  // namespace
