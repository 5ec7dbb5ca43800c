// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random launches and host accesses on random device sets: every read sees the newest value, every holder of a state
// really holds it, and merged copies are what a program in one memory has (see simulation.h).
#include <gtest/gtest.h>

#include "simulation.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::pick;
using testing::Random;
using testing::Simulation;

struct Totals {
  int launches = 0, onHost = 0, parallel = 0, copies = 0, merged = 0, accumulated = 0, onOne = 0, parts = 0;
};

constexpr std::uint32_t arrays = 3;

// Rows of a small matrix, a stencil, columns: what most programs do, so that chunks are often disjoint.
LaunchSpec commonLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  LaunchSpec spec;
  const std::int64_t columns = pick(random, 1, 7);
  spec.arrays = {{static_cast<std::uint32_t>(pick(random, 0, arrays - 1)), 0, 0, 8},
                 {static_cast<std::uint32_t>(pick(random, 0, arrays - 1)), 0, 0, 8}};
  for (ArrayUse& use : spec.arrays) use.count = counts[use.array];
  const std::int64_t rows = std::min(spec.arrays[0].count, spec.arrays[1].count) / columns;
  const std::int64_t edge = chance(random, 0.5) ? 1 : 0;
  spec.space.dims = {testing::loop(edge, rows - edge), testing::loop(edge, columns - edge)};
  if (chance(random, 0.2)) {
    Dim& dim = spec.space.dims[0];
    dim = {dim.first + dim.count - 1, -1, dim.count};
  }
  std::vector<std::int64_t> index{columns, 1};
  if (chance(random, 0.15)) {
    std::swap(spec.space.dims[0], spec.space.dims[1]);
    std::swap(index[0], index[1]);
  }
  spec.accesses = {testing::write(1, index)};
  spec.accesses[0].conditional = chance(random, 0.2);
  spec.accesses[0].partial = chance(random, 0.2);
  for (std::int64_t n = pick(random, 0, 4); n > 0; --n) {
    spec.accesses.push_back(testing::read(0, index, pick(random, -1, 1) * (chance(random, 0.5) ? columns : 1)));
  }
  if (chance(random, 0.1)) spec.accesses.push_back(testing::unbounded(AccessMode::read, 0));
  return spec;
}

// Planes of rows, the rows split: f[q][i][j], with q a dimension, an inner loop before or after the others' accesses.
LaunchSpec planesLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  LaunchSpec spec;
  const auto array = static_cast<std::uint32_t>(pick(random, 0, arrays - 1));
  const std::int64_t planes = pick(random, 1, 4), columns = pick(random, 1, 6);
  const std::int64_t rows = counts[array] / (planes * columns);
  const std::int64_t edge = chance(random, 0.5) ? 1 : 0;
  spec.arrays = {{array, 0, counts[array], 8}};
  spec.space.dims = {testing::loop(edge, rows - edge), testing::loop(0, columns - edge)};
  std::vector<std::int64_t> index{columns, 1, rows * columns};
  if (chance(random, 0.5)) {
    spec.space.inner = {{{{0, 0}, 0}, {{0, 0}, planes - 1}}};
  } else {
    spec.space.dims.insert(spec.space.dims.begin() + 1, testing::loop(0, planes));
    std::swap(index[1], index[2]);
  }
  spec.accesses = {testing::write(0, index), testing::read(0, index, pick(random, -1, 1) * columns)};
  spec.accesses[0].conditional = chance(random, 0.2);
  return spec;
}

// Some fields of records, many of them: rows that stay apart, in states and in what chunks touch.
LaunchSpec recordsLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  LaunchSpec spec;
  const std::int64_t width = pick(random, 4, 12);
  std::int64_t records = INT64_MAX;
  for (int p = 0; p < 2; ++p) {
    const auto array = static_cast<std::uint32_t>(pick(random, 0, arrays - 1));
    spec.arrays.push_back({array, chance(random, 0.2) ? pick(random, 0, 3) : 0, counts[array], 8});
    records = std::min(records, (counts[array] - spec.arrays.back().offset) / width);
  }
  const std::int64_t first = pick(random, 0, width - 1), fields = pick(random, 1, width - first);
  const bool inner = chance(random, 0.5);
  spec.space.dims = {testing::loop(0, records)};
  if (inner) spec.space.dims.push_back(testing::loop(0, fields));
  const bool conditional = chance(random, 0.2);
  for (std::int64_t field = 0; field < (inner ? 1 : fields); ++field) {
    if (chance(random, 0.9)) spec.accesses.push_back(testing::write(1, {width, 1}, first + field));
    if (chance(random, 0.7)) spec.accesses.push_back(testing::read(0, {width, 1}, first + field));
    for (Access& access : spec.accesses) {
      access.conditional = conditional;
      access.index.coefficients.resize(spec.space.dims.size());
    }
  }
  return spec;
}

LaunchSpec wildLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  LaunchSpec spec;
  spec.space = testing::randomSpace(random, 5);
  spec.hostOnly = chance(random, 0.03);
  for (std::int64_t p = pick(random, 1, 3); p > 0; --p) {
    const auto array = static_cast<std::uint32_t>(pick(random, 0, arrays - 1));
    spec.arrays.push_back({array, pick(random, -3, 20), counts[array], 4});
  }
  for (std::int64_t a = pick(random, 1, 5); a > 0; --a) {
    const auto parameter =
        static_cast<std::uint16_t>(pick(random, 0, static_cast<std::int64_t>(spec.arrays.size()) - 1));
    Access access = testing::access(chance(random, 0.4) ? AccessMode::write : AccessMode::read, parameter, {},
                                    pick(random, -5, 30));
    for (std::size_t v = 0; v < spec.space.dims.size() + spec.space.inner.size(); ++v) {
      access.index.coefficients.push_back(chance(random, 0.3) ? 0 : pick(random, v == 0 ? -20 : -3, v == 0 ? 20 : 3));
    }
    access.conditional = chance(random, 0.15);
    access.unbounded = chance(random, 0.05);
    spec.accesses.push_back(access);
  }
  return spec;
}

UpdateOp randomOp(Random& random) { return static_cast<UpdateOp>(pick(random, 0, static_cast<int>(UpdateOp::max))); }

// Histograms, deposits, neighbour writes, scattered and atomic writes; now and then mixed with something else.
LaunchSpec sharedLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  LaunchSpec spec;
  for (std::int64_t p = pick(random, 1, 2); p > 0; --p) {
    const auto array = static_cast<std::uint32_t>(pick(random, 0, arrays - 1));
    spec.arrays.push_back({array, chance(random, 0.8) ? 0 : pick(random, 0, 5), counts[array], 8});
  }
  spec.space.dims = {testing::loop(pick(random, 0, 2), pick(random, 3, 40)), testing::loop(0, pick(random, 1, 4))};
  const std::int64_t row = pick(random, 1, 4);
  const AccessMode mode = chance(random, 0.6) ? AccessMode::update : AccessMode::write;
  const UpdateOp op = randomOp(random);
  const bool atomic = chance(random, 0.3);
  const bool partial = chance(random, 0.1);
  for (std::int64_t a = pick(random, 1, 3); a > 0; --a) {
    const auto parameter =
        static_cast<std::uint16_t>(pick(random, 0, static_cast<std::int64_t>(spec.arrays.size()) - 1));
    Access access = testing::access(mode, parameter, {chance(random, 0.8) ? row : -row, 1}, pick(random, -2, 4));
    if (access.index.coefficients[0] < 0) access.index.constant += counts[spec.arrays[parameter].array];
    access.unbounded = chance(random, 0.3);
    access.conditional = chance(random, 0.3);
    access.atomic = mode == AccessMode::write && atomic;
    access.partial = mode == AccessMode::write && partial && chance(random, 0.5);
    access.op = op;
    spec.accesses.push_back(access);
  }
  Access& odd = spec.accesses.back();
  if (chance(random, 0.1)) odd.ordered = true;
  if (chance(random, 0.1)) odd.op = randomOp(random);
  if (chance(random, 0.15)) odd.mode = static_cast<AccessMode>(pick(random, 0, 2));
  return spec;
}

LaunchSpec randomLaunch(Random& random, const std::vector<std::int64_t>& counts) {
  const std::int64_t kind = pick(random, 0, 11);
  if (kind >= 10) return recordsLaunch(random, counts);
  if (kind < 4) return commonLaunch(random, counts);
  if (kind < 6) return sharedLaunch(random, counts);
  return kind < 8 ? planesLaunch(random, counts) : wildLaunch(random, counts);
}

std::vector<DeviceSlot> randomDevices(Random& random) {
  std::vector<DeviceSlot> devices;
  for (std::int64_t d = pick(random, 1, 5); d > 0; --d) {
    const auto index = static_cast<std::uint32_t>(devices.size());
    // Mostly a memory of its own, in any order; now and then one that two devices share.
    const auto memory = static_cast<MemoryId>(chance(random, 0.1) ? pick(random, 0, 5) : (index * 3 + 2) % 7);
    devices.push_back({index, memory, chance(random, 0.15) ? 0 : static_cast<double>(pick(random, 1, 100)) / 10});
  }
  if (chance(random, 0.7)) devices[0].memory = hostMemory;
  return devices;
}

IntervalSet randomElements(Random& random, std::int64_t count) {
  std::vector<Interval> intervals;
  for (std::int64_t n = pick(random, 0, 3); n > 0; --n) {
    const std::int64_t lo = pick(random, 0, count);
    intervals.push_back({lo, std::min(count, lo + pick(random, 0, count))});
  }
  return IntervalSet::of(std::move(intervals));
}

// The launch part by part, in any order, each on any device. Not of one that the host has to run.
void runParts(Random& random, LaunchSpec spec, const std::vector<DeviceSlot>& devices, Simulation& simulation,
              Totals& totals) {
  std::vector<std::uint32_t> working;
  for (const DeviceSlot& slot : devices)
    if (slot.weight > 0) working.push_back(slot.device);
  const std::int64_t count = spec.space.dims.empty() ? 0 : spec.space.dims[0].count;
  if (working.empty() || spec.hostOnly || count <= 0) return;
  std::vector<std::int64_t> cuts{0, count};
  for (std::int64_t n = pick(random, 0, 4); n > 0; --n) cuts.push_back(pick(random, 0, count));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Interval> parts;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i - 1] < cuts[i]) parts.push_back({cuts[i - 1], cuts[i]});
  std::shuffle(parts.begin(), parts.end(), random);
  for (const Interval& iterations : parts) {
    const auto number = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(working.size()) - 1));
    spec.part = Part{working[number], iterations};
    const Plan plan = makePlan(spec, devices, simulation.states(spec));
    ASSERT_EQ(simulation.launch(spec, devices, plan), "") << plan.toString();
    totals.parts += plan.chunks.size() == 1;
  }
}

void runSequence(std::uint64_t seed, int steps, Totals& totals) {
  Random random(seed);
  Simulation simulation(seed);
  PlanCache cache(8);
  std::vector<std::int64_t> counts;
  const std::int64_t largest = chance(random, 0.3) ? 600 : 120;
  for (std::uint32_t array = 0; array < arrays; ++array) {
    counts.push_back(pick(random, 1, largest));
    simulation.create(array, counts.back(), static_cast<MemoryId>(chance(random, 0.8) ? 0 : pick(random, 1, 5)));
  }
  std::vector<DeviceSlot> devices = randomDevices(random);
  LaunchSpec spec = randomLaunch(random, counts);
  for (int step = 0; step < steps; ++step) {
    if (chance(random, 0.1)) devices = randomDevices(random);
    if (chance(random, 0.25)) {
      const auto array = static_cast<std::uint32_t>(pick(random, 0, arrays - 1));
      const IntervalSet elements = randomElements(random, counts[array]);
      const bool write = chance(random, 0.5);
      const Plan plan =
          makeHostPlan(array, 8, simulation.state(array), elements, write ? HostMode::write : HostMode::read);
      ASSERT_EQ(simulation.hostAccess(array, elements, write, plan), "") << "seed " << seed << '\n' << plan.toString();
      continue;
    }
    if (chance(random, 0.6)) spec = randomLaunch(random, counts);
    if (chance(random, 0.15)) {
      runParts(random, spec, devices, simulation, totals);
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed;
      continue;
    }
    const PlanRef plan = cache.launch(spec, devices, simulation.states(spec));
    ASSERT_EQ(simulation.launch(spec, devices, *plan), "") << "seed " << seed << '\n' << plan->toString();
    ++totals.launches;
    totals.onHost += plan->onHost;
    totals.onOne += !plan->onHost && !plan->reason.empty();
    totals.merged += !plan->merges.empty();
    for (const Merge& merge : plan->merges) totals.accumulated += merge.accumulate;
    totals.parallel += plan->chunks.size() > 1;
    totals.copies += static_cast<int>(plan->copies.size());
  }
}

TEST(PlannerProperties, EveryReadSeesTheNewestValue) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    runSequence(seed, 25, totals);
    if (HasFatalFailure()) return;
  }
  // The test is worth something only if the launches are of all kinds.
  EXPECT_GT(totals.parallel, totals.launches / 4);
  EXPECT_GT(totals.onHost, totals.launches / 100);
  EXPECT_GT(totals.merged, totals.launches / 15);
  EXPECT_GT(totals.accumulated, totals.launches / 40);
  EXPECT_GT(totals.onOne, totals.launches / 100);
  EXPECT_GT(totals.copies, totals.launches);
  EXPECT_GT(totals.parts, totals.launches / 10);
}

// Columns with more rows than are kept apart for so many chunks: the grains' regions are hulls, which overlap.
TEST(PlannerProperties, RegionsOfGrainsMayOverlap) {
  constexpr std::int64_t rows = 9000, columns = 256;
  LaunchSpec spec = testing::launch({testing::loop(0, columns)}, {rows * columns}, {testing::write(0, {1, columns})});
  spec.space.inner = {{{{0}, 0}, {{0}, rows - 1}}};
  spec.part = Part{1, {0, columns}, 2};
  const auto state = std::make_shared<const ArrayState>(rows * columns, 0);
  const Plan plan = makePlan(spec, testing::equalDevices(3), {state});
  EXPECT_EQ(plan.chunks.size(), 128u);
  EXPECT_EQ(plan.next[0].second->heldBy(1), IntervalSet(Interval{0, rows * columns}));
}

// A chunk for each grain, whose windows are those of the whole loop.
TEST(PlannerProperties, PartsAreCutIntoGrains) {
  Simulation simulation(1);
  simulation.create(0, 100, 0);
  simulation.create(1, 100, 0);
  const std::vector<DeviceSlot> devices = testing::equalDevices(3);
  LaunchSpec spec =
      testing::launch({testing::loop(0, 100)}, {100, 100}, {testing::read(0, {1}), testing::write(1, {1})});
  for (const Part& part : {Part{2, {30, 60}, 30}, Part{1, {0, 30}, 7}, Part{0, {60, 100}, 15}}) {
    spec.part = part;
    const Plan plan = makePlan(spec, devices, simulation.states(spec));
    ASSERT_EQ(simulation.launch(spec, devices, plan), "") << plan.toString();
    for (const Chunk& chunk : plan.chunks) {
      EXPECT_EQ(chunk.lo / part.grain, (chunk.hi - 1) / part.grain);
      EXPECT_EQ(chunk.windows[0], (Interval{0, 100}));
      EXPECT_EQ(chunk.writes[1], IntervalSet(Interval{chunk.lo, chunk.hi}));
    }
  }
  EXPECT_EQ(simulation.state(1)->heldBy(2), IntervalSet(Interval{30, 60}));
}

// Many devices read what all of them hold parts of: as a whole, or a part of it; some of it is held by several already.
TEST(PlannerProperties, ManyDevicesThatReadTheSameElements) {
  int spreads = 0, copies = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    Simulation simulation(seed);
    const std::int64_t n = pick(random, 30, 150);
    simulation.create(0, n, 0);
    simulation.create(1, n, 0);
    std::vector<DeviceSlot> devices = testing::equalDevices(static_cast<std::uint32_t>(pick(random, 30, 45)));
    if (chance(random, 0.3)) devices[7].memory = devices[6].memory;
    for (int step = 0; step < 12; ++step) {
      const std::int64_t from = pick(random, 0, n / 2), to = pick(random, from, n - 1);
      LaunchSpec spec = testing::launch({testing::loop(0, n)}, {n, n}, {testing::write(1, {1})});
      if (chance(random, 0.5)) std::swap(spec.arrays[0].array, spec.arrays[1].array);
      if (chance(random, 0.6)) {
        spec.space.inner = {{{{}, from}, {{}, to}}};
        spec.accesses.push_back(testing::read(0, {0, 1}));
      }
      if (chance(random, 0.3)) spec.accesses.push_back(testing::read(0, {1}, 1));
      const Plan plan = makePlan(spec, devices, simulation.states(spec));
      ASSERT_EQ(simulation.launch(spec, devices, plan), "") << "seed " << seed << '\n' << plan.toString();
      spreads += static_cast<int>(plan.spreads.size());
      copies += static_cast<int>(plan.copies.size());
      if (!chance(random, 0.3)) continue;
      const IntervalSet elements = randomElements(random, n);
      const bool write = chance(random, 0.5);
      const Plan access = makeHostPlan(0, 8, simulation.state(0), elements, write ? HostMode::write : HostMode::read);
      ASSERT_EQ(simulation.hostAccess(0, elements, write, access), "") << "seed " << seed;
    }
  }
  EXPECT_GT(spreads, 1000);
  EXPECT_GT(copies, 1000);
}

}  // namespace
}  // namespace muster::cap
