// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes that are derived from that of an access with the same rows are those that are solved for anew.
#include "region/shape.h"

#include <gtest/gtest.h>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::pick;
using testing::Random;

void expectEqual(const Shape& a, const Shape& b, std::int64_t count) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.clamped, b.clamped);
  EXPECT_EQ(a.hull, b.hull);
  EXPECT_EQ(expand(a, count, 4096).elements, expand(b, count, 4096).elements);
}

TEST(Shapes, OfAlikeAccessesAreMovedOnes) {
  Random random(5);
  int derived = 0, solved = 0;
  for (int round = 0; round < 4000; ++round) {
    const IterationSpace space = testing::randomSpace(random, 6);
    const std::size_t variables = space.dims.size() + space.inner.size();
    Access first = testing::read(0, {}, pick(random, -20, 40));
    for (std::size_t v = 0; v < variables; ++v)
      first.index.coefficients.push_back(chance(random, 0.3) ? 0 : pick(random, -9, 9));
    first.conditional = chance(random, 0.2);
    const std::int64_t lo = pick(random, 0, 3), hi = lo + pick(random, 0, 6);
    ShapeSolver solver, fresh;
    Shape& shape = solver.solve(first, space, lo, hi, pick(random, -5, 5), pick(random, 0, 90));
    if (chance(random, 0.5)) (void)shape.fillSmallGaps();
    for (int more = 0; more < 3; ++more) {
      Access other = first;
      other.index.constant = chance(random, 0.05) ? INT64_MAX - pick(random, 0, 9) : pick(random, -60, 90);
      other.conditional = chance(random, 0.5);
      const std::int64_t offset = pick(random, -9, 9), count = pick(random, 0, 120);
      const Shape* moved = solver.solveAlike(other, offset, count);
      ++(moved != nullptr ? derived : solved);
      if (moved == nullptr) continue;
      expectEqual(*moved, fresh.solve(other, space, lo, hi, offset, count), count);
      if (HasFailure()) FAIL() << "round " << round;
    }
  }
  EXPECT_GT(derived, 3000);
  EXPECT_GT(solved, 1000);
}

}  // namespace
}  // namespace muster::cap
