// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that belong to one iteration alone: cases by name, then random nests against an oracle.
#include <gtest/gtest.h>

#include <map>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::loop;
using testing::read;
using testing::write;
using Own = std::vector<std::optional<cdm::OwnElement>>;

Own ownOf(std::vector<Dim> dims, std::vector<Access> accesses, std::size_t arrays = 1) {
  LaunchSpec spec;
  spec.space.dims = std::move(dims);
  spec.arrays.resize(arrays);
  spec.accesses = std::move(accesses);
  return ownElements(spec);
}

TEST(OwnElements, AreThoseOfAllAccessesInLogicalIterations) {
  EXPECT_EQ(ownOf({{9, -2, 5}}, {read(0, {3}, 7), write(0, {3}, 7)}), (Own{cdm::OwnElement{{-6}, 34}}));
  EXPECT_EQ(ownOf({loop(1, 4), loop(2, 9)}, {write(0, {10, 1})}), (Own{cdm::OwnElement{{10, 1}, 12}}));
  EXPECT_EQ(ownOf({loop(0, 4)}, {write(1, {1})}, 2), (Own{std::nullopt, cdm::OwnElement{{1}, 0}}));
}

TEST(OwnElements, AreNoneWhereIterationsMeetOrNothingIsKnown) {
  EXPECT_EQ(ownOf({loop(0, 4)}, {read(0, {1}, 1), write(0, {1})}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 4)}, {write(0, {1}), read(0, {1}, 1), write(0, {1})}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 4)}, {read(0, {0})}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 3), loop(0, 4)}, {write(0, {3, 1})}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 3), loop(0, 4)}, {write(0, {1, 1})}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 4)}, {testing::unbounded(AccessMode::read, 0)}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 4)}, {testing::access(AccessMode::update, 0, {1}, 0)}), Own{std::nullopt});
  EXPECT_EQ(ownOf({loop(0, 4)}, {write(0, {1, 1})}), Own{std::nullopt}) << "an inner variable takes part";
  EXPECT_EQ(ownOf({loop(0, 4)}, {write(0, {std::int64_t{1} << 62})}), Own{std::nullopt});
}

TEST(OwnElements, OfRandomNestsAreApart) {
  testing::Random random(7);
  int known = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Dim> dims;
    std::vector<std::int64_t> coefficients;
    for (std::int64_t d = testing::pick(random, 1, 3); d > 0; --d) {
      const std::int64_t step = testing::pick(random, -2, 2);
      dims.push_back({testing::pick(random, -3, 3), step == 0 ? 1 : step, testing::pick(random, 0, 4)});
      coefficients.push_back(testing::pick(random, -12, 12));
    }
    const auto own = ownOf(dims, {write(0, coefficients, testing::pick(random, -5, 5))})[0];
    if (!own) continue;
    ++known;
    std::map<std::int64_t, int> touched;
    dims.resize(3, loop(0, 1));
    for (std::int64_t i = 0; i < dims[0].count; ++i)
      for (std::int64_t j = 0; j < dims[1].count; ++j)
        for (std::int64_t k = 0; k < dims[2].count; ++k)
          EXPECT_EQ(
              ++touched[own->constant + own->coefficients[0] * i + own->coefficients[1] * j + own->coefficients[2] * k],
              1);
  }
  EXPECT_GT(known, 500);
}

}  // namespace
}  // namespace muster::cap
