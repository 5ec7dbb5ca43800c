// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memo: Jacobi with swapped arrays reaches hits and then moves ghost rows only; equal states are one pointer.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulation.h"

namespace muster::cap {
namespace {

using testing::loop;
using testing::read;
using testing::write;

class Jacobi {
 public:
  Jacobi(std::int64_t rows, std::int64_t columns) : columns_(columns) {
    for (const std::uint32_t array : {0u, 1u}) {
      simulation_.create(array, rows * columns, hostMemory);
      spec_.arrays.push_back({array, 0, rows * columns, 8});
    }
    spec_.kernel = 5;
    spec_.space.dims = {loop(1, rows - 1), loop(1, columns - 1)};
    spec_.accesses = {read(0, {columns, 1}, -columns), read(0, {columns, 1}, columns), read(0, {columns, 1}, -1),
                      read(0, {columns, 1}, 1), write(1, {columns, 1})};
  }

  // One step of the program, arrays swapped after it.
  PlanRef step(PlanCache& cache) {
    PlanRef plan = cache.launch(spec_, devices_, simulation_.states(spec_));
    EXPECT_EQ(simulation_.launch(spec_, devices_, *plan), "") << plan->toString();
    std::swap(spec_.arrays[0], spec_.arrays[1]);
    return plan;
  }

  void expectGhostRowsOnly(const Plan& plan) const {
    EXPECT_EQ(plan.copies.size(), 2 * (devices_.size() - 1)) << plan.toString();
    for (const Copy& copy : plan.copies) {
      EXPECT_EQ(copy.elements.size(), columns_ - 2);
      EXPECT_EQ(copy.elements.lo % columns_, 1);
      EXPECT_EQ(copy.from > copy.to ? copy.from - copy.to : copy.to - copy.from, 1u);
    }
  }

  std::vector<DeviceSlot> devices_{{0, 0, 1.0}, {1, 1, 2.7}, {2, 2, 1.9}, {3, 3, 0.4}};
  testing::Simulation simulation_{6};
  LaunchSpec spec_;

 private:
  std::int64_t columns_;
};

void runJacobi(std::int64_t rows, std::int64_t columns) {
  Jacobi program(rows, columns);
  PlanCache cache;
  constexpr int steps = 50, warmUp = 6;
  for (int s = 0; s < steps; ++s) {
    const std::size_t hits = cache.hits();
    const PlanRef plan = program.step(cache);
    ASSERT_EQ(plan->chunks.size(), 4u);
    if (s < warmUp) continue;
    EXPECT_EQ(cache.hits(), hits + 1) << "step " << s;
    program.expectGhostRowsOnly(*plan);
  }
  EXPECT_LE(cache.misses(), static_cast<std::size_t>(warmUp));
}

TEST(PlanCache, JacobiMovesGhostRowsOnly) { runJacobi(40, 12); }

TEST(PlanCache, JacobiOverManyRowsMovesGhostRowsOnly) { runJacobi(1000, 12); }

TEST(PlanCache, TheHostReadsInBetween) {
  Jacobi program(60, 10);
  PlanCache cache;
  const IntervalSet all{{0, 600}};
  for (int s = 0; s < 40; ++s) {
    const PlanRef plan = program.step(cache);
    if (s % 4 == 3) {
      const std::uint32_t array = program.spec_.arrays[0].array;
      const Plan host = makeHostPlan(array, 8, program.simulation_.state(array), all, HostMode::read);
      EXPECT_EQ(program.simulation_.hostAccess(array, all, false, host), "");
    }
    if (s > 12) {
      EXPECT_LE(plan->copies.size(), 6u);
    }
  }
  EXPECT_LE(cache.misses(), 12u);
}

TEST(PlanCache, EqualStatesAreOnePointer) {
  PlanCache cache;
  const auto a = std::make_shared<const ArrayState>(10, 1), b = std::make_shared<const ArrayState>(10, 1);
  const auto other = std::make_shared<const ArrayState>(10, 2);
  EXPECT_EQ(cache.intern(a), a);
  EXPECT_EQ(cache.intern(b), a);
  EXPECT_EQ(cache.intern(other), other);
  EXPECT_EQ(cache.intern(nullptr), nullptr);
}

TEST(PlanCache, StatesThatAreGoneAreForgotten) {
  PlanCache cache;
  for (int i = 0; i < 10000; ++i) {
    // Allocated apart from its reference count, so that the same address comes again and again with other contents.
    const ArrayStateRef state = cache.intern(ArrayStateRef(new ArrayState(i + 1, i % 7)));
    ASSERT_EQ(state->count(), i + 1);
    ASSERT_NE(cache.intern(std::make_shared<const ArrayState>(i + 2, i % 7)), state);
    ASSERT_EQ(cache.intern(std::make_shared<const ArrayState>(i + 1, i % 7)), state);
  }
}

class PlanCacheKeys : public ::testing::Test {
 protected:
  PlanCacheKeys() {
    spec_.space.dims = {loop(0, 10)};
    spec_.space.inner = {{{{0}, 0}, {{0}, 0}}};
    spec_.arrays = {{0, 0, 20, 8}};
    spec_.accesses = {write(0, {1, 1})};
    first_ = launch();
  }

  PlanRef launch() { return cache_.launch(spec_, devices_, {state_}); }
  void expectAnotherPlan() {
    const std::size_t misses = cache_.misses();
    EXPECT_NE(launch(), first_);
    EXPECT_EQ(cache_.misses(), misses + 1);
  }

  PlanCache cache_;
  LaunchSpec spec_;
  std::vector<DeviceSlot> devices_{{0, 0, 1}, {1, 1, 1}};
  ArrayStateRef state_ = std::make_shared<const ArrayState>(20, hostMemory);
  PlanRef first_;
};

TEST_F(PlanCacheKeys, AKeptSpecFindsThePlanOfAnEqualOne) {
  const SpecRef kept = keepSpec(spec_), equal = keepSpec(spec_);
  const auto find = [&](const SpecRef& spec, const ArrayStateRef& state) {
    return cache_.find(spec, devices_, std::vector<const ArrayState*>{state.get()});
  };
  const ArrayStateRef state = cache_.intern(state_);
  const std::size_t hits = cache_.hits(), misses = cache_.misses();
  EXPECT_EQ(find(kept, state), first_);
  EXPECT_EQ(cache_.launch(kept, devices_, {state_}), first_);
  EXPECT_EQ(find(equal, state), first_);
  EXPECT_EQ(launch(), first_);
  EXPECT_EQ(cache_.hits(), hits + 4);
  EXPECT_EQ(cache_.misses(), misses);

  EXPECT_EQ(find(kept, first_->next[0].second), nullptr) << "another state";
  EXPECT_EQ(find(kept, std::make_shared<const ArrayState>(20, hostMemory)), nullptr)
      << "an equal state that the memo has not seen says nothing";
  spec_.arrays[0].offset = 1;
  EXPECT_EQ(find(keepSpec(spec_), state), nullptr);
  EXPECT_EQ(cache_.find(kept, {{0, 0, 1}}, std::vector<const ArrayState*>{state.get()}), nullptr);
  EXPECT_EQ(cache_.find(kept, devices_, std::vector<const ArrayState*>{}), nullptr);
  EXPECT_EQ(cache_.hits(), hits + 4);
}

TEST_F(PlanCacheKeys, AKeptSpecIsPlannedLikeAnyOther) {
  spec_.arrays[0].offset = 2;
  const PlanRef plan = cache_.launch(keepSpec(spec_), devices_, {state_});
  EXPECT_EQ(plan->toString(), makePlan(spec_, devices_, {state_}).toString());
  EXPECT_EQ(launch(), plan);
}

TEST_F(PlanCacheKeys, PlansThatTakeTooMuchMemoryGoTheOldestFirst) {
  PlanCache all, one(4096, 1);
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t iterations : {8, 9, 10}) {
      spec_.space.dims = {loop(0, iterations)};
      for (PlanCache* cache : {&all, &one}) (void)cache->launch(spec_, devices_, {state_});
    }
  }
  EXPECT_EQ(all.hits(), 3u);
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(one.hits(), 0u);
  EXPECT_EQ(one.size(), 1u) << "the last one stays";
}

TEST_F(PlanCacheKeys, TheSameLaunchHits) {
  EXPECT_EQ(launch(), first_);
  state_ = std::make_shared<const ArrayState>(20, hostMemory);  // equal
  EXPECT_EQ(launch(), first_);
  EXPECT_EQ(cache_.hits(), 2u);
  EXPECT_EQ(cache_.misses(), 1u);
}

TEST_F(PlanCacheKeys, EachPartOfTheKeyCounts) {
  const LaunchSpec spec = spec_;
  const auto change = [&](auto edit) {
    spec_ = spec;
    edit();
    expectAnotherPlan();
    spec_ = spec;
  };
  change([&] { ++spec_.kernel; });
  change([&] { spec_.hostOnly = true; });
  change([&] { ++spec_.space.dims[0].first; });
  change([&] { --spec_.space.dims[0].count; });
  change([&] { ++spec_.space.inner[0].largest.constant; });
  change([&] { ++spec_.arrays[0].offset; });
  change([&] { spec_.arrays[0].elemSize = 4; });
  change([&] { spec_.accesses[0].mode = AccessMode::read; });
  change([&] { spec_.accesses[0].conditional = true; });
  change([&] { spec_.accesses[0].unbounded = true; });
  change([&] { spec_.accesses[0].mode = AccessMode::update; });
  change([&] { spec_.accesses[0].atomic = true; });
  change([&] { spec_.accesses[0].ordered = true; });
  change([&] { spec_.accesses[0].partial = true; });
  change([&] { spec_.accesses[0].op = UpdateOp::max; });
  change([&] { ++spec_.accesses[0].index.constant; });
  change([&] { ++spec_.accesses[0].index.coefficients[0]; });
  devices_[1].weight = 2;
  expectAnotherPlan();
  devices_.pop_back();
  expectAnotherPlan();
  state_ = std::make_shared<const ArrayState>(20, 1);
  expectAnotherPlan();
}

TEST(PlanCache, ForgetsTheLeastRecentlyUsed) {
  PlanCache cache(2);
  LaunchSpec spec;
  spec.space.dims = {loop(0, 10)};
  const auto launch = [&](std::uint64_t kernel) {
    spec.kernel = kernel;
    const std::size_t hits = cache.hits();
    EXPECT_EQ(cache.launch(spec, {{0, 0, 1}}, {})->chunks.size(), 1u);
    return cache.hits() > hits;
  };
  EXPECT_FALSE(launch(1));
  EXPECT_FALSE(launch(2));
  EXPECT_TRUE(launch(1));
  EXPECT_FALSE(launch(3));  // 2 goes
  EXPECT_TRUE(launch(1));
  EXPECT_TRUE(launch(3));
  EXPECT_FALSE(launch(2));
}

TEST(PlanCache, ForgetsLargePlansEarlier) {
  // Columns of 2,000 rows on 64 devices: 128,000 pieces in a state that no other plan has.
  constexpr std::int64_t rows = 2000, columns = 64;
  PlanCache cache(1000, std::size_t{32} << 20);
  LaunchSpec spec;
  spec.space.dims = {loop(0, columns), loop(0, rows)};
  spec.arrays = {{0, 0, rows * columns, 8}};
  spec.accesses = {write(0, {1, columns})};
  std::vector<DeviceSlot> devices;
  for (std::uint32_t d = 0; d < columns; ++d) devices.push_back({d, d, 1});
  const auto launch = [&](std::uint64_t kernel) {
    spec.kernel = kernel;
    spec.space.dims[1] = loop(static_cast<std::int64_t>(kernel), rows);
    const std::size_t hits = cache.hits();
    (void)cache.launch(spec, devices, {std::make_shared<const ArrayState>(rows * columns, hostMemory)});
    return cache.hits() > hits;
  };
  EXPECT_FALSE(launch(0));
  EXPECT_TRUE(launch(0));
  for (std::uint64_t kernel = 1; kernel < 20; ++kernel) EXPECT_FALSE(launch(kernel));
  EXPECT_TRUE(launch(19));
  EXPECT_FALSE(launch(0));
}

TEST(PlanCache, MemoryDoesNotGrowWithTheNumberOfLaunches) {
  constexpr std::int64_t rows = 4096, columns = 10;
  PlanCache cache(256);
  LaunchSpec spec;
  spec.arrays = {{0, 0, rows * columns, 8}, {1, 0, rows * columns, 8}};
  spec.accesses = {read(0, {columns, 1}, -columns), read(0, {columns, 1}, columns), write(1, {columns, 1})};
  std::vector<DeviceSlot> devices;
  for (std::uint32_t d = 0; d < 64; ++d) devices.push_back({d, d, 1});
  std::vector<ArrayStateRef> states(2, std::make_shared<const ArrayState>(rows * columns, hostMemory));
  std::size_t most = 0;
  for (int launch = 0; launch < 3000; ++launch) {
    // Hardly ever the same launch twice: other rows each time.
    spec.space.dims = {loop(1, rows - 1 - launch % 499), loop(0, columns)};
    spec.kernel = static_cast<std::uint64_t>(launch % 7);
    const PlanRef plan = cache.launch(spec, devices, states);
    states = {plan->next[1].second, plan->next[0].second};
    if (launch < 600) most = std::max(most, cache.bytes());
    ASSERT_LE(cache.size(), 256u);
    if (launch >= 600) {
      ASSERT_LE(cache.bytes(), most + most / 4) << "launch " << launch;
    }
  }
  EXPECT_GT(cache.misses(), 1000u);
}

// Launches that each write other columns of what one device has: rows that stay apart, in a state that stays as it is.
TEST(PlanCache, PlansOfManyRowsAreSmall) {
  constexpr std::int64_t rows = 1000, columns = 1000;
  PlanCache cache;
  const std::vector<DeviceSlot> devices = {{0, 1, 1}};
  const auto launchAll = [&](std::int64_t width, ArrayStateRef state) {
    for (std::int64_t column = 0; column < columns / 2; column += width) {
      LaunchSpec spec;
      spec.space.dims = {loop(0, rows), loop(column, column + width)};
      spec.arrays = {{0, 0, rows * columns, 8}};
      spec.accesses = {write(0, {columns, 1})};
      state = cache.launch(spec, devices, {state})->next[0].second;
    }
    return state;
  };
  const auto half = launchAll(500, std::make_shared<const ArrayState>(rows * columns, hostMemory));
  const std::size_t before = cache.bytes();
  EXPECT_EQ(launchAll(5, half), half);
  EXPECT_EQ(cache.size(), 101u);
  EXPECT_LT((cache.bytes() - before) / 100, 2000u);
}

// States count as long as a plan has them.
TEST(PlanCache, ForgetsTheBytesOfStates) {
  constexpr std::int64_t elements = 300000;
  PlanCache cache(2);
  LaunchSpec spec;
  spec.space.dims = {loop(0, 1)};
  spec.arrays = {{0, 0, elements, 8}};
  spec.accesses = {write(0, {1})};
  const auto bytesAfter = [&](std::int64_t pieces) {
    std::vector<Interval> owned;
    for (std::int64_t k = 1; k <= pieces; ++k) owned.push_back({k * k, k * k + 1});
    ArrayState state(elements, hostMemory);
    state.setOwner(IntervalSet::of(std::move(owned)), 1);
    (void)cache.launch(spec, {{0, 1, 1}}, {std::make_shared<const ArrayState>(std::move(state))});
    return cache.bytes();
  };
  (void)bytesAfter(3);
  const std::size_t few = bytesAfter(4);
  EXPECT_GT(bytesAfter(500), few + 10000);
  (void)bytesAfter(3);
  EXPECT_LT(bytesAfter(4), few + 1000);
}

}  // namespace
}  // namespace muster::cap
