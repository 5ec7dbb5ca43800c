// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of muster.h, on which C sources rely, gives what forms.hpp gives to C++ sources.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

#include "muster/forms.hpp"
#include "muster/muster.h"

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(FormsInC, remembersOverflow) {
  int exact = 1;
  EXPECT_EQ(muster_add(&exact, 2, muster_mul(&exact, 3, 4)), 14);
  EXPECT_TRUE(exact);
  muster_add(&exact, kMost, 1);
  EXPECT_FALSE(exact);
  exact = 1;
  muster_mul(&exact, kMost / 2, 3);
  EXPECT_FALSE(exact);
  exact = 1;
  const std::uint64_t large = static_cast<std::uint64_t>(kMost) + 1;
  muster_coefficient(&exact, static_cast<std::int64_t>(large), 0);
  EXPECT_FALSE(exact);
  exact = 1;
  EXPECT_EQ(muster_coefficient(&exact, -3, 1), -3);
  EXPECT_TRUE(exact);
}

// Two dims, one inner variable, one access, two guards.
TEST(FormsInC, guardsAgree) {
  std::mt19937_64 random(3);
  const auto small = [&] { return static_cast<std::int64_t>(random() % 9) - 4; };
  const auto any = [&] { return random() % 4 ? small() : static_cast<std::int64_t>(random() >> random() % 64); };
  int within = 0, outside = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::int64_t forms[MUSTER_INNER_VALUES(3) + 3 * 4];
    for (std::int64_t& value : forms) value = any();
    // Bounds of the inner variable use earlier variables only.
    forms[2] = forms[6] = 0;
    if (random() % 4) forms[8] = 1 + static_cast<std::int64_t>(random() % 5);  // its divisor
    const muster_dim dims[2] = {{any(), small() | 1, static_cast<std::int64_t>(random() % 20) - 1}, {small(), -2, 5}};
    const std::int64_t limit = static_cast<std::int64_t>(random() >> random() % 63 >> 1);
    const muster::Range ranges[2] = {{-limit, limit}, {-100 - limit, kMost}};
    const muster_range rangesInC[2] = {{ranges[0].low, ranges[0].high}, {ranges[1].low, ranges[1].high}};
    muster_interval values[3];
    const bool expected = muster::staysWithin(ranges, forms, dims, 1, 1);
    EXPECT_EQ(muster_stays_within(rangesInC, 2, forms, dims, 2, 1, 1, values) != 0, expected);
    ++(expected ? within : outside);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(within, 1000);
  EXPECT_GT(outside, 1000);
}

}  // namespace
