// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memories of limited size: shares, passes, what has to leave, and random programs whose memories are never too full
// and never lose an element.
#include "muster/cap/residency.h"

#include <gtest/gtest.h>

#include "simulation.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::loop;
using testing::pick;
using testing::Random;
using testing::read;
using testing::Simulation;
using testing::unbounded;
using testing::write;

constexpr MemoryId spillMemory = 9;

LimitedMemory limited(MemoryId memory, std::uint64_t capacity) {
  return {memory, capacity, 0, hostMemory, "device " + std::to_string(memory)};
}

// Arrays of 100 rows of 10 elements of 1 byte.
struct ResidencyTest : ::testing::Test {
  static constexpr std::int64_t rows = 100, row = 10, bytes = rows * row;
  std::map<std::uint32_t, ArrayStateRef> states;
  Residency::StateOf stateOf = [this](std::uint32_t id) { return states.at(id); };

  void addArray(Residency& residency, std::uint32_t id, std::uint32_t block = 0, bool replicated = false) {
    residency.add(id, {1, bytes, "array" + std::to_string(id), block, replicated});
    states[id] = std::make_shared<const ArrayState>(bytes, hostMemory);
  }
  // to[i][j] = from[i][j]
  static LaunchSpec copyRows(std::uint32_t from, std::uint32_t to) {
    LaunchSpec spec;
    spec.kernel = 1;
    spec.arrays = {{from, 0, bytes, 1}, {to, 0, bytes, 1}};
    spec.space.dims = {loop(0, rows), loop(0, row)};
    spec.accesses = {read(0, {row, 1}), write(1, {row, 1})};
    return spec;
  }
  static LaunchSpec fillRows(std::uint32_t array) {
    LaunchSpec spec;
    spec.kernel = 2;
    spec.arrays = {{array, 0, bytes, 1}};
    spec.space.dims = {loop(0, rows), loop(0, row)};
    spec.accesses = {write(0, {row, 1})};
    return spec;
  }
  std::vector<ArrayStateRef> statesOf(const LaunchSpec& spec) const {
    std::vector<ArrayStateRef> result;
    for (const ArrayUse& use : spec.arrays) result.push_back(states.at(use.array));
    return result;
  }
  Placement place(Residency& residency, const LaunchSpec& spec, const std::vector<DeviceSlot>& slots) {
    const auto placement = residency.place(spec, slots, statesOf(spec));
    EXPECT_TRUE(placement.ok()) << placement.status().message();
    return placement.ok() ? *placement : Placement{};
  }
  Plan run(Residency& residency, const LaunchSpec& spec, const std::vector<DeviceSlot>& slots) {
    Plan plan = makePlan(spec, slots, statesOf(spec));
    residency.noteUse(spec, plan);
    for (const auto& [id, state] : plan.next) states[id] = state;
    return plan;
  }
};

TEST_F(ResidencyTest, IsRoomyWhileAllArraysFitTwiceIntoTheSmallestMemory) {
  Residency residency({limited(1, 4000), limited(2, 2 * bytes)}, true);
  EXPECT_TRUE(residency.roomy());
  addArray(residency, 0);
  EXPECT_TRUE(residency.roomy());
  addArray(residency, 1);
  EXPECT_FALSE(residency.roomy());
  residency.remove(0);
  EXPECT_TRUE(residency.roomy());
  EXPECT_TRUE(Residency({}, true).roomy());
}

TEST_F(ResidencyTest, NothingChangesWhereALaunchFits) {
  Residency residency({limited(1, 2 * bytes)}, true);
  addArray(residency, 0), addArray(residency, 1);
  const std::vector<DeviceSlot> slots{{0, 1, 1}};
  const Placement placement = place(residency, copyRows(0, 1), slots);
  ASSERT_EQ(placement.passes.size(), 1u);
  EXPECT_EQ(placement.passes[0].slots, slots);
  EXPECT_EQ(placement.reason, "");
}

TEST_F(ResidencyTest, ASmallMemoryGetsASmallerShare) {
  Residency residency({limited(1, 600), limited(2, 4000)}, true);
  addArray(residency, 0), addArray(residency, 1);
  const Placement placement = place(residency, copyRows(0, 1), {{0, 1, 1}, {1, 2, 1}});
  ASSERT_EQ(placement.passes.size(), 1u);
  const Plan plan = makePlan(copyRows(0, 1), placement.passes[0].slots, statesOf(copyRows(0, 1)));
  ASSERT_EQ(plan.chunks.size(), 2u);
  EXPECT_LE(2 * plan.chunks[0].windows[0].size(), 600);
  EXPECT_GE(2 * plan.chunks[0].windows[0].size(), 500) << "much of the small memory is left unused";
}

TEST_F(ResidencyTest, WhatIsCutOffGoesToTheOthersByTheirWeights) {
  Residency residency({limited(1, 200)}, true);
  addArray(residency, 0);
  const Placement placement = place(residency, fillRows(0), {{0, 1, 4}, {1, hostMemory, 3}, {2, 5, 1}});
  EXPECT_LE(placement.passes[0].slots[0].weight, 0.2);
  EXPECT_NEAR(placement.passes[0].slots[1].weight, 3 * placement.passes[0].slots[2].weight, 1e-9);
  EXPECT_NEAR(
      placement.passes[0].slots[0].weight + placement.passes[0].slots[1].weight + placement.passes[0].slots[2].weight,
      1, 1e-9);
}

TEST_F(ResidencyTest, TheArraysOfABlockShareAMemory) {
  Residency residency({limited(1, 1200)}, false);
  const std::vector<DeviceSlot> slots{{0, 1, 3}, {1, hostMemory, 1}};
  for (const std::uint32_t id : {0u, 1u, 2u}) addArray(residency, id, 7);
  addArray(residency, 3);
  const Placement together = place(residency, fillRows(0), slots);
  EXPECT_LE(together.passes[0].slots[0].weight, 0.4) << "three arrays of 1000 bytes are to fit into 1200";
  EXPECT_GE(together.passes[0].slots[0].weight, 0.35);
  const Placement alone = place(residency, fillRows(3), slots);
  EXPECT_EQ(alone.passes[0].slots, slots) << "this array is in no block";
}

TEST_F(ResidencyTest, AReplicatedArrayOfABlockTakesItsWholeSize) {
  Residency residency({limited(1, 1200)}, false);
  addArray(residency, 0, 7), addArray(residency, 1, 7, true);
  const Placement placement = place(residency, fillRows(0), {{0, 1, 1}, {1, hostMemory, 1}});
  EXPECT_LE(placement.passes[0].slots[0].weight, 0.2);
  EXPECT_GT(placement.passes[0].slots[0].weight, 0.15);
}

TEST_F(ResidencyTest, WhatDoesNotFitRunsInPassesOfAPowerOfTwo) {
  Residency residency({limited(1, 700)}, true);
  addArray(residency, 0), addArray(residency, 1);
  const Placement placement = place(residency, copyRows(0, 1), {{0, 1, 1}});
  ASSERT_EQ(placement.passes.size(), 4u);
  EXPECT_NE(placement.reason.find("4 passes"), std::string::npos);
  std::int64_t done = 0;
  for (const Pass& pass : placement.passes) {
    const Interval part = pass.iterations;
    EXPECT_EQ(part.lo, done);
    done = part.hi;
    const LaunchSpec spec = partOf(copyRows(0, 1), part);
    EXPECT_EQ(spec.space.dims[0], loop(part.lo, part.hi));
  }
  EXPECT_EQ(done, rows);
}

TEST_F(ResidencyTest, OnlyTheIterationsThatNeedMuchRunAlone) {
  Residency residency({limited(1, 300)}, true);
  addArray(residency, 0), addArray(residency, 1);
  LaunchSpec spec = copyRows(0, 1);
  spec.accesses[0] = read(0, {0, 0, 30});  // for (k = 0; k <= i - 90; ++k) from[30 * k]: nothing in most iterations
  spec.space.inner = {{{{0, 0}, 0}, {{1, 0}, -90}}};
  const Placement placement = place(residency, spec, {{0, 1, 1}});
  std::vector<std::int64_t> sizes;
  for (const Pass& pass : placement.passes) sizes.push_back(pass.iterations.size());
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{25, 25, 25, 12, 6, 3, 2, 2}));
}

TEST_F(ResidencyTest, TheFirstIterationsMayNeedMoreThanTheOthersToo) {
  Residency residency({limited(1, 300)}, true);
  addArray(residency, 0), addArray(residency, 1);
  LaunchSpec spec = copyRows(0, 1);
  spec.accesses[0] = read(0, {0, 0, 30});  // for (k = 0; k <= 9 - i; ++k) from[30 * k]
  spec.space.inner = {{{{0, 0}, 0}, {{-1, 0}, 9}}};
  const Placement placement = place(residency, spec, {{0, 1, 1}});
  std::vector<std::int64_t> sizes;
  for (const Pass& pass : placement.passes) sizes.push_back(pass.iterations.size());
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{1, 2, 3, 6, 13, 25, 25, 25}));
}

TEST_F(ResidencyTest, PartsOfALoopThatRunsDownwardsKeepItsStep) {
  LaunchSpec spec = fillRows(0);
  spec.space.dims[0] = {99, -1, 100};
  const LaunchSpec part = partOf(spec, {33, 66});
  EXPECT_EQ(part.space.dims[0], (Dim{66, -1, 33}));
}

TEST_F(ResidencyTest, OneIterationThatDoesNotFitIsAnErrorThatSaysWhatToDo) {
  Residency residency({limited(1, 15)}, true);
  addArray(residency, 0), addArray(residency, 1);
  const auto placement = residency.place(copyRows(0, 1), {{0, 1, 1}}, statesOf(copyRows(0, 1)));
  ASSERT_FALSE(placement.ok());
  EXPECT_EQ(placement.status().code(), Errc::outOfMemory);
  const std::string text = placement.status().message();
  for (const char* part : {"device 1 has 15 bytes", "1 of 100 iterations", "needs 20",
                           "10 bytes for elements [500, 510) of array0", "array1", "MUSTER_DEVICES"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST_F(ResidencyTest, WithoutSpillingPassesAreAnError) {
  Residency residency({limited(1, 700)}, false);
  addArray(residency, 0), addArray(residency, 1);
  const auto placement = residency.place(copyRows(0, 1), {{0, 1, 1}}, statesOf(copyRows(0, 1)));
  ASSERT_FALSE(placement.ok());
  EXPECT_NE(placement.status().message().find("MUSTER_SPILL=on"), std::string::npos) << placement.status().message();
}

TEST_F(ResidencyTest, TheLargestWindowOfADeviceCountsToo) {
  Residency residency({{1, 10000, 300, hostMemory, "device 1"}}, true);
  addArray(residency, 0);
  EXPECT_EQ(place(residency, fillRows(0), {{0, 1, 1}}).passes.size(), 4u);
}

TEST_F(ResidencyTest, ContestedElementsCountTwice) {
  LaunchSpec spec = fillRows(0);
  spec.accesses = {unbounded(AccessMode::update, 0)};
  Residency narrow({limited(1, 1999), limited(2, 1999)}, false), wide({limited(1, 2000), limited(2, 2000)}, false);
  addArray(narrow, 0), addArray(wide, 0);
  const std::vector<DeviceSlot> slots{{0, 1, 1}, {1, 2, 1}};
  ASSERT_EQ(makePlan(spec, slots, statesOf(spec)).merges.size(), 1u);
  EXPECT_FALSE(narrow.place(spec, slots, statesOf(spec)).ok());
  EXPECT_TRUE(wide.place(spec, slots, statesOf(spec)).ok());
}

TEST_F(ResidencyTest, TheLeastRecentlyUsedArrayLeavesFirst) {
  Residency residency({limited(1, 3 * bytes)}, true);
  const std::vector<DeviceSlot> slots{{0, 1, 1}};
  for (const std::uint32_t id : {0u, 1u, 2u, 3u}) addArray(residency, id);
  for (const std::uint32_t id : {0u, 1u, 2u, 0u}) run(residency, fillRows(id), slots);
  EXPECT_EQ(residency.bytesHeld(1, stateOf), 3000u);
  const Plan plan = makePlan(fillRows(3), slots, statesOf(fillRows(3)));
  const auto evictions = residency.evictions(fillRows(3), plan, stateOf);
  ASSERT_TRUE(evictions.ok());
  EXPECT_EQ(*evictions, (std::vector<Eviction>{{1, 1, hostMemory, {}}}));
  for (const auto& [id, state] : makeEvictionPlan(*evictions, [](std::uint32_t) { return 1u; }, stateOf).next)
    states[id] = state;
  EXPECT_EQ(residency.bytesHeld(1, stateOf), 2000u);
  EXPECT_EQ(states[1]->toString(), "[0,1000){0}");
}

TEST_F(ResidencyTest, WithoutSpillingAFullMemoryIsAnErrorThatExplainsBlocks) {
  Residency residency({limited(1, 1500)}, false);
  const std::vector<DeviceSlot> slots{{0, 1, 1}};
  addArray(residency, 0), addArray(residency, 1);
  run(residency, fillRows(0), slots);
  const Plan plan = makePlan(fillRows(1), slots, statesOf(fillRows(1)));
  const auto evictions = residency.evictions(fillRows(1), plan, stateOf);
  ASSERT_FALSE(evictions.ok());
  for (const char* part :
       {"device 1 has 1500 bytes", "1000 hold other elements", "array1", "alloc_start", "MUSTER_SPILL=on"})
    EXPECT_NE(evictions.status().message().find(part), std::string::npos) << evictions.status().message();
}

TEST_F(ResidencyTest, APassGivesUpTheOtherPartsOfItsOwnArrays) {
  Residency residency({limited(1, 500)}, true);
  const std::vector<DeviceSlot> slots{{0, 1, 1}};
  addArray(residency, 0);
  const LaunchSpec first = partOf(fillRows(0), {0, 50}), second = partOf(fillRows(0), {50, 100});
  run(residency, first, slots);
  const Plan plan = makePlan(second, slots, statesOf(second));
  const auto evictions = residency.evictions(second, plan, stateOf);
  ASSERT_TRUE(evictions.ok());
  EXPECT_EQ(*evictions, (std::vector<Eviction>{{0, 1, hostMemory, {500, 1000}}}));
}

TEST_F(ResidencyTest, OnlyWhatNobodyElseHasIsCopiedToTheSpillMemory) {
  ArrayState state(100, hostMemory);
  state.setOwner(IntervalSet{{0, 60}}, 1);
  state.addHolder(IntervalSet{{20, 40}}, 2);
  const auto ref = std::make_shared<const ArrayState>(state);
  // Both holders of [20, 40) give it up: it must not get lost.
  const std::vector<Eviction> evictions{{5, 1, spillMemory, {50, 60}}, {5, 2, hostMemory, {}}};
  const Plan plan = makeEvictionPlan(evictions, [](std::uint32_t) { return 4u; }, [&](std::uint32_t) { return ref; });
  EXPECT_EQ(plan.copies,
            (std::vector<Copy>{
                {5, 4, {20, 40}, 2, hostMemory}, {5, 4, {0, 20}, 1, spillMemory}, {5, 4, {40, 50}, 1, spillMemory}}));
  ASSERT_EQ(plan.next.size(), 1u);
  EXPECT_EQ(plan.next[0].second->toString(), "[0,20){9} [20,40){0} [40,50){9} [50,60){1} [60,100){0}");
}

// ------------------------------------------------------------------ random programs

struct Program {
  explicit Program(std::uint64_t seed) : random(seed), simulation(seed + 1) {}

  Random random;
  Simulation simulation;
  Residency residency;
  std::vector<LimitedMemory> memories;
  std::vector<DeviceSlot> slots;
  std::vector<std::int64_t> counts;
  int passes = 0, evictions = 0, capped = 0;

  [[nodiscard]] Residency::StateOf stateOf() const {
    return [this](std::uint32_t id) { return simulation.state(id); };
  }

  void create() {
    std::int64_t total = 0;
    for (int id = 0; id < 4; ++id) {
      counts.push_back(pick(random, 20, 300));
      total += counts.back();
    }
    for (std::int64_t d = pick(random, 1, 4); d > 0; --d) {
      const auto index = static_cast<std::uint32_t>(slots.size());
      slots.push_back({index, index, static_cast<double>(pick(random, 1, 9))});
      if (index == 0 && chance(random, 0.5)) continue;  // the host's own memory
      slots.back().memory = index + 1;
      memories.push_back({index + 1,
                          static_cast<std::uint64_t>(std::max<std::int64_t>(64, total * pick(random, 5, 110) / 100)), 0,
                          chance(random, 0.5) ? hostMemory : spillMemory, "device"});
    }
    residency = Residency(memories, true);
    for (std::uint32_t id = 0; id < 4; ++id) {
      simulation.create(id, counts[id], hostMemory);
      residency.add(id, {1, counts[id], "a", static_cast<std::uint32_t>(pick(random, 0, 1)), false});
    }
  }

  // Rows of two arrays, a stencil now and then, sometimes all of the array read, or updated.
  LaunchSpec randomLaunch() {
    LaunchSpec spec;
    const auto from = static_cast<std::uint32_t>(pick(random, 0, 3)),
               to = static_cast<std::uint32_t>(pick(random, 0, 3));
    const std::int64_t columns = pick(random, 1, 5), rows = std::min(counts[from], counts[to]) / columns;
    spec.arrays = {{from, 0, counts[from], 1}, {to, 0, counts[to], 1}};
    spec.space.dims = {loop(pick(random, 0, 1), rows - pick(random, 0, 1)), loop(0, columns)};
    spec.accesses = {write(1, {columns, 1}), read(0, {columns, 1}, pick(random, -1, 1) * columns)};
    spec.accesses[0].conditional = chance(random, 0.2);
    if (chance(random, 0.15)) spec.accesses[1] = unbounded(AccessMode::read, 0);
    if (chance(random, 0.15)) spec.accesses = {unbounded(AccessMode::update, 1), read(0, {columns, 1})};
    return spec;
  }

  // What DeviceStorage does: each window is the hull of what is valid there and what the chunks touch.
  void expectWindowsFit(const LaunchSpec& spec, const Plan& plan) {
    for (const LimitedMemory& memory : memories) {
      std::map<std::uint32_t, Interval> windows;
      std::int64_t bytes = 0;
      for (std::uint32_t id = 0; id < 4; ++id) windows[id] = simulation.state(id)->heldBy(memory.memory).hull();
      bool used = false;
      for (const Chunk& chunk : plan.chunks) {
        if (chunk.memory != memory.memory) continue;
        used = true;
        for (std::size_t p = 0; p < chunk.windows.size(); ++p) {
          Interval& window = windows[spec.arrays[p].array];
          window = window.hull(chunk.windows[p]);
        }
      }
      for (const Merge& merge : plan.merges) {
        for (const Merge::Part& part : merge.parts) {
          if (plan.chunks[part.chunk].memory == memory.memory) bytes += part.elements.size();
        }
      }
      for (const auto& [id, window] : windows) bytes += window.size();
      if (used) ASSERT_LE(bytes, static_cast<std::int64_t>(memory.capacity));
      ASSERT_LE(residency.bytesHeld(memory.memory, stateOf()), memory.capacity);
    }
  }

  // False: one iteration does not fit.
  bool launch(const LaunchSpec& whole) {
    const auto placement = residency.place(whole, slots, simulation.states(whole));
    if (!placement.ok()) {
      EXPECT_NE(placement.status().message().find("1 of "), std::string::npos) << placement.status().message();
      return false;
    }
    passes += placement->passes.size() > 1 ? 1 : 0;
    std::int64_t done = 0;
    for (const Pass& pass : placement->passes) {
      EXPECT_EQ(pass.iterations.lo, done);
      done = pass.iterations.hi;
      capped += pass.slots != slots ? 1 : 0;
      const LaunchSpec spec = partOf(whole, pass.iterations);
      Plan plan = makePlan(spec, pass.slots, simulation.states(spec));
      const auto leaving = residency.evictions(spec, plan, stateOf());
      EXPECT_TRUE(leaving.ok());
      if (!leaving->empty()) {
        ++evictions;
        const Plan eviction = makeEvictionPlan(*leaving, [](std::uint32_t) { return 1u; }, stateOf());
        EXPECT_EQ(simulation.hostAccess(0, {}, false, eviction), "");
        plan = makePlan(spec, pass.slots, simulation.states(spec));
      }
      expectWindowsFit(spec, plan);
      EXPECT_EQ(simulation.launch(spec, pass.slots, plan), "");
      residency.noteUse(spec, plan);
      if (::testing::Test::HasFailure()) return false;
    }
    EXPECT_EQ(done, whole.space.dims[0].count);
    return true;
  }

  void hostAccess() {
    const auto id = static_cast<std::uint32_t>(pick(random, 0, 3));
    const std::int64_t lo = pick(random, 0, counts[id] - 1);
    const IntervalSet elements({lo, pick(random, lo + 1, counts[id])});
    const bool write = chance(random, 0.5);
    EXPECT_EQ(simulation.hostAccess(
                  id, elements, write,
                  makeHostPlan(id, 1, simulation.state(id), elements, write ? HostMode::write : HostMode::read)),
              "");
  }
};

TEST(ResidencyProperty, MemoriesAreNeverTooFullAndNothingIsLost) {
  int passes = 0, evictions = 0, capped = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program program(seed);
    program.create();
    for (int step = 0; step < 25; ++step) {
      if (chance(program.random, 0.2)) {
        program.hostAccess();
      } else if (!program.launch(program.randomLaunch())) {
        ++refused;
      }
      if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    }
    passes += program.passes, evictions += program.evictions, capped += program.capped;
  }
  // All of it happens often enough to mean something.
  EXPECT_GT(passes, 200);
  EXPECT_GT(evictions, 1000);
  EXPECT_GT(capped, 300);
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 2500);
}

}  // namespace
}  // namespace muster::cap
