// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans for launches that programs make: what is copied, what is not, and why a launch stays on the host.
#include <gtest/gtest.h>

#include "muster/cdm/status.h"
#include "simulation.h"

namespace muster::cap {
namespace {

using testing::at;
using testing::equalDevices;
using testing::launch;
using testing::loop;
using testing::read;
using testing::unbounded;
using testing::write;

constexpr std::int64_t n = 12, m = 10;

LaunchSpec jacobi(std::int64_t rows, std::int64_t columns) {
  return launch({loop(1, rows - 1), loop(1, columns - 1)}, {rows * columns, rows * columns},
                {read(0, {columns, 1}, -columns), read(0, {columns, 1}, columns), read(0, {columns, 1}, -1),
                 read(0, {columns, 1}, 1), write(1, {columns, 1})});
}

TEST(MakePlan, CopiesGhostRowsOnly) {
  ArrayState u(n * m, 0);
  u = u.withOwners({{{0, 40}, 0}, {{40, 80}, 1}, {{80, 120}, 2}});
  const auto owned = std::make_shared<const ArrayState>(u);
  const Plan plan = makePlan(jacobi(n, m), equalDevices(3), {owned, owned});
  ASSERT_EQ(plan.chunks.size(), 3u) << plan.toString();
  EXPECT_EQ(plan.chunks[1].lo, 3);
  EXPECT_EQ(plan.chunks[1].hi, 7);
  EXPECT_EQ(plan.chunks[1].windows[0], (Interval{31, 89}));
  EXPECT_EQ(plan.chunks[1].windows[1], (Interval{41, 79}));
  const std::vector<Copy> expected{
      {0, 8, {41, 49}, 1, 0}, {0, 8, {31, 39}, 0, 1}, {0, 8, {81, 89}, 2, 1}, {0, 8, {71, 79}, 1, 2}};
  EXPECT_EQ(plan.copies, expected) << plan.toString();
  EXPECT_EQ(plan.bytesMoved(), 4 * 8 * 8);
}

TEST(MakePlan, PrintsOneLinePerChunkAndCopy) {
  const Plan plan =
      makePlan(launch({loop(0, 4)}, {4, 4}, {read(0, {1}), write(1, {1})}), equalDevices(2), {at(4, 0), at(4, 0)});
  EXPECT_EQ(plan.toString(),
            "plan: 2 chunks, 1 copy, 16 bytes moved\n"
            "  chunk [0,2) on device 0 (memory 0): parameter 0 reads [0,2); parameter 1 writes [0,2)\n"
            "  chunk [2,4) on device 1 (memory 1): parameter 0 reads [2,4); parameter 1 writes [2,4)\n"
            "  copy array 0 [2,4), 16 bytes, memory 0 -> 1\n"
            "  then array 0 [0,2){0} [2,4){0,1}\n"
            "  then array 1 [0,2){0} [2,4){1}\n");
}

TEST(MakePlan, PrintsMerges) {
  LaunchSpec spec = launch({loop(0, 16)}, {100}, {unbounded(AccessMode::update, 0)});
  spec.accesses[0].op = UpdateOp::max;
  EXPECT_EQ(makePlan(spec, equalDevices(2), {at(100, 1)}).toString(),
            "plan: 2 chunks, 1 copy, 800 bytes moved, 1 array merged\n"
            "  chunk [0,8) on device 0 (memory 0): parameter 0 reads [0,100) writes [0,100)\n"
            "  chunk [8,16) on device 1 (memory 1): parameter 0 reads [0,100) writes [0,100)\n"
            "  copy array 0 [0,100), 800 bytes, memory 1 -> 0\n"
            "  merge array 0 (parameter 0, line 10), max: chunk 0 [0,100); chunk 1 [0,100)\n"
            "  then array 0 [0,100){0,1}\n");
  spec.accesses[0].mode = AccessMode::write;
  EXPECT_NE(makePlan(spec, equalDevices(2), {at(100, 1)}).toString().find(", last value: chunk 0"), std::string::npos);
  spec.accesses[0].atomic = true;
  EXPECT_NE(makePlan(spec, equalDevices(2), {at(100, 1)}).toString().find(", last value, atomic: chunk 0"),
            std::string::npos);
}

TEST(MakePlan, PrintsReasons) {
  LaunchSpec spec = launch({loop(0, 16)}, {100}, {unbounded(AccessMode::write, 0)});
  spec.hostOnly = true;
  EXPECT_EQ(makePlan(spec, equalDevices(2), {at(100, 1)}).toString(),
            "plan: 0 chunks, 1 copy, 800 bytes moved, on the host\n"
            "  because the loop's if clause or its kernel asks for the host\n"
            "  copy array 0 [0,100), 800 bytes, memory 1 -> 0\n"
            "  then array 0 [0,100){0}\n");
}

TEST(MakePlan, PrintsLongListsShortened) {
  const Plan sparse = makePlan(launch({loop(0, 16)}, {100, 16}, {read(0, {5}), write(1, {1})}), equalDevices(2),
                               {at(100, 0), at(16, 0)});
  EXPECT_NE(sparse.toString().find("parameter 0 reads [0,1) [5,6) [10,11) [15,16) [20,21) [25,26) ... [35,36) (8 "
                                   "intervals); parameter 1 writes"),
            std::string::npos)
      << sparse.toString();
}

TEST(MakePlan, WhatIsSurelyWrittenIsNotCopied) {
  const LaunchSpec spec = launch({loop(0, 8)}, {8}, {write(0, {1})});
  const Plan plan = makePlan(spec, equalDevices(2), {at(8, 0)});
  EXPECT_TRUE(plan.copies.empty());
  EXPECT_EQ(plan.next[0].second->toString(), "[0,4){0} [4,8){1}");
}

TEST(MakePlan, WhatMayBeWrittenIsCopiedFirst) {
  LaunchSpec spec = launch({loop(0, 8)}, {8}, {write(0, {1})});
  spec.accesses[0].conditional = true;
  const Plan plan = makePlan(spec, equalDevices(2), {at(8, 0)});
  EXPECT_EQ(plan.copies, (std::vector<Copy>{{0, 8, {4, 8}, 0, 1}}));
  EXPECT_EQ(plan.next[0].second->toString(), "[0,4){0} [4,8){1}");
  // Unless another access surely writes it.
  spec.accesses.push_back(write(0, {1}));
  EXPECT_TRUE(makePlan(spec, equalDevices(2), {at(8, 0)}).copies.empty());
}

TEST(MakePlan, AFullReadGathersWhatIsMissing) {
  ArrayState state(9, 0);
  state = state.withOwners({{{0, 3}, 0}, {{3, 6}, 1}, {{6, 9}, 2}});
  const LaunchSpec spec = launch({loop(0, 9)}, {9, 9}, {unbounded(AccessMode::read, 0), write(1, {1})});
  const Plan plan = makePlan(spec, equalDevices(3), {std::make_shared<const ArrayState>(state), at(9, 0)});
  EXPECT_EQ(plan.copies.size(), 6u);
  EXPECT_EQ(plan.bytesMoved(), 3 * 6 * 8);
  EXPECT_EQ(plan.next[0].second->toString(), "[0,9){0,1,2}");
  EXPECT_EQ(plan.next[1].second->toString(), "[0,3){0} [3,6){1} [6,9){2}");
}

TEST(MakePlan, SourcesAreTheClosestHolders) {
  ArrayState state(10, 0);
  state.addHolder({{0, 10}}, 2);
  state.addHolder({{0, 10}}, 6);
  state.setOwner({{4, 6}}, 6);
  const LaunchSpec spec = launch({loop(0, 1)}, {10, 1}, {unbounded(AccessMode::read, 0), write(1, {1})});
  const auto sourcesFor = [&](MemoryId memory) {
    const Plan plan = makePlan(spec, {{0, memory, 1}}, {std::make_shared<const ArrayState>(state), at(1, memory)});
    std::string text;
    for (const Copy& copy : plan.copies)
      text += IntervalSet(copy.elements).toString() + std::to_string(copy.from) + ' ';
    return text;
  };
  EXPECT_EQ(sourcesFor(3), "[0,4)2 [4,10)6 ");  // goes on with 6, though 2 is closer
  EXPECT_EQ(sourcesFor(1), "[0,4)0 [4,10)6 ");  // of two as close, the lower
  EXPECT_EQ(sourcesFor(9), "[0,10)6 ");
  EXPECT_EQ(sourcesFor(6), "");
}

TEST(MakePlan, ColumnsOfTwoDevicesStayApart) {
  // for j (split) for i: v[i * m + j], with more rows than stay apart at first
  constexpr std::int64_t rows = 100;
  const LaunchSpec spec = launch({loop(0, m), loop(0, rows)}, {rows * m}, {write(0, {1, m})});
  const Plan plan = makePlan(spec, equalDevices(2), {at(rows * m, 0)});
  ASSERT_EQ(plan.chunks.size(), 2u) << plan.toString();
  EXPECT_EQ(plan.chunks[1].writes[0].intervals(), 100u);
  EXPECT_TRUE(plan.copies.empty());
  EXPECT_EQ(plan.next[0].second->heldOnlyBy(1), plan.chunks[1].writes[0]);
}

// for i (split): for j: b[j * columns + i] = a[j * columns + i], then a and b change places.
std::vector<Plan> columnSteps(std::int64_t rows, std::int64_t columns, int steps) {
  LaunchSpec spec = launch({loop(0, columns), loop(0, rows)}, {rows * columns, rows * columns},
                           {read(0, {1, columns}), write(1, {1, columns})});
  std::vector<ArrayStateRef> states(2, at(rows * columns, 0));
  std::vector<Plan> plans;
  for (int step = 0; step < steps; ++step) {
    plans.push_back(makePlan(spec, equalDevices(2), states));
    states = {plans.back().next[1].second, plans.back().next[0].second};
  }
  return plans;
}

TEST(MakePlan, LongPartsOfRowsMoveAlone) {
  constexpr std::int64_t rows = 100, columns = 65536;
  const std::vector<Plan> plans = columnSteps(rows, columns, 3);
  EXPECT_EQ(plans[0].bytesMoved(), rows * columns / 2 * 8);
  EXPECT_EQ(plans[0].copies.size(), static_cast<std::size_t>(rows));
  EXPECT_TRUE(plans[1].copies.empty()) << "each device has its columns of what it reads";
  EXPECT_TRUE(plans[2].copies.empty());
}

TEST(MakePlan, ShortPartsOfRowsMoveWithTheirGaps) {
  constexpr std::int64_t rows = 50000, columns = 64;
  const std::vector<Plan> plans = columnSteps(rows, columns, 1);
  EXPECT_EQ(plans[0].copies.size(), 1u);
  EXPECT_GT(plans[0].bytesMoved(), rows * columns * 8 * 9 / 10);
}

TEST(MakePlan, ALargeTransposeIsShared) {
  // b[j * n + i] = a[i * n + j], i split: half of each row of b, so that both halves' hulls overlap.
  constexpr std::int64_t size = 10000;
  const LaunchSpec spec =
      launch({loop(0, size), loop(0, size)}, {size * size, size * size}, {read(0, {size, 1}), write(1, {1, size})});
  const Plan plan = makePlan(spec, equalDevices(2), {at(size * size, 0), at(size * size, 0)});
  ASSERT_EQ(plan.chunks.size(), 2u) << plan.toString();
  EXPECT_EQ(plan.chunks[1].writes[1].intervals(), static_cast<std::size_t>(size));
  EXPECT_EQ(plan.bytesMoved(), plan.chunks[1].reads[0].size() * 8);
  EXPECT_EQ(plan.copies.size(), 1u);
}

TEST(MakePlan, GapsInLongBlocksOfRowsAreCountedIn) {
  constexpr std::int64_t rows = 200;
  const Plan plan = makePlan(jacobi(rows, m), equalDevices(2), {at(rows * m, 0), at(rows * m, 0)});
  ASSERT_EQ(plan.chunks.size(), 2u);
  EXPECT_EQ(plan.chunks[0].lo, 0);
  EXPECT_EQ(plan.chunks[0].hi, 103);  // row 104, a multiple of 8
  EXPECT_EQ(plan.chunks[1].writes[1], (IntervalSet{{104 * m + 1, 199 * m - 1}}));
  EXPECT_EQ(plan.chunks[1].reads[1], plan.chunks[1].writes[1]);  // so the gaps must be valid
  EXPECT_EQ(plan.next[1].second->pieces().size(), 3u);
}

TEST(MakePlan, SparseRowsStayApart) {
  // One element of three: 34 of 100, less than half.
  const Plan plan = makePlan(launch({loop(0, 34)}, {100}, {write(0, {3})}), {{0, 0, 1}}, {at(100, 1)});
  ASSERT_EQ(plan.chunks.size(), 1u);
  EXPECT_EQ(plan.chunks[0].writes[0].intervals(), 34u);
  EXPECT_TRUE(plan.copies.empty());
}

TEST(MakePlan, PlanesOfASmallerBlockStayApart) {
  // f[q][i][j] with i split: the block of rows of each q is one interval.
  constexpr std::int64_t planes = 9, rows = 64;
  LaunchSpec spec = launch({loop(1, rows - 1), loop(1, m - 1)}, {planes * rows * m}, {write(0, {m, 1, rows * m})});
  spec.space.inner = {{{{0, 0}, 0}, {{0, 0}, planes - 1}}};
  const Plan plan = makePlan(spec, equalDevices(4), {at(planes * rows * m, 0)});
  ASSERT_EQ(plan.chunks.size(), 4u) << plan.toString();
  EXPECT_EQ(plan.chunks[2].writes[0].intervals(), static_cast<std::size_t>(planes));
}

TEST(MakePlan, DownwardLoopsUseTheSameRows) {
  const LaunchSpec up = launch({loop(0, n), loop(0, m)}, {n * m}, {write(0, {m, 1})});
  LaunchSpec down = launch({{n - 1, -1, n}, loop(0, m)}, {n * m, n * m}, {read(0, {m, 1}), write(1, {m, 1})});
  const std::vector<DeviceSlot> devices{{0, 0, 1}, {1, 1, 2}, {2, 2, 1.5}};
  const Plan first = makePlan(up, devices, {at(n * m, 0)});
  const Plan second = makePlan(down, devices, {first.next[0].second, at(n * m, 0)});
  EXPECT_TRUE(second.copies.empty()) << second.toString();
  ASSERT_EQ(second.chunks.size(), 3u);
  EXPECT_EQ(second.chunks[0].device, 2u);  // ascending by iterations
  EXPECT_EQ(second.chunks[2].hi, n);
}

TEST(MakePlan, AliasesShareOneState) {
  // One array, two parameters: p = a, q = a + 6; q[i] = p[i].
  LaunchSpec spec = launch({loop(0, 6)}, {12, 12}, {read(0, {1}), write(1, {1})});
  spec.arrays[1] = {0, 6, 12, 8};
  const ArrayStateRef state = at(12, 0);
  const Plan plan = makePlan(spec, equalDevices(2), {state, state});
  ASSERT_EQ(plan.chunks.size(), 2u);
  ASSERT_EQ(plan.next.size(), 1u);
  EXPECT_EQ(plan.next[0].second->toString(), "[0,3){0} [3,6){0,1} [6,9){0} [9,12){1}");
  // Both parameters written, onto each other: q[i] = ..., p[i + 5] = ...
  spec.accesses = {write(0, {1}, 5), write(1, {1})};
  const Plan shared = makePlan(spec, equalDevices(2), {state, state});
  ASSERT_EQ(shared.merges.size(), 1u) << shared.toString();
  EXPECT_EQ(shared.merges[0].parameter, 0u);
  EXPECT_EQ(shared.merges[0].parts, (std::vector<Merge::Part>{{0, {{8, 9}}}, {1, {{8, 9}}}}));
  EXPECT_EQ(shared.next[0].second->toString(), "[0,8){0} [8,9){0,1} [9,12){1}");
}

TEST(MakePlan, OneDeviceMayWriteWhatItLikes) {
  const LaunchSpec spec = launch({loop(0, 8)}, {10}, {unbounded(AccessMode::write, 0)});
  const Plan plan = makePlan(spec, {{0, 0, 0}, {5, 3, 1}}, {at(10, 0)});
  ASSERT_EQ(plan.chunks.size(), 1u) << plan.toString();
  EXPECT_EQ(plan.chunks[0].device, 5u);
  EXPECT_EQ(plan.copies, (std::vector<Copy>{{0, 8, {0, 10}, 0, 3}}));
  EXPECT_EQ(plan.next[0].second->toString(), "[0,10){3}");
}

TEST(MakePlan, HostOnlyAndNoDevice) {
  LaunchSpec spec = launch({loop(0, 8)}, {10}, {write(0, {1})});
  EXPECT_EQ(makePlan(spec, {}, {at(10, 0)}).reason.toString(), "no device of the set takes part: all weights are 0");
  EXPECT_EQ(makePlan(spec, {{0, 0, 0}}, {at(10, 0)}).reason.toString(),
            "no device of the set takes part: all weights are 0");
  spec.hostOnly = true;
  const Plan plan = makePlan(spec, equalDevices(2), {at(10, 1)});
  EXPECT_TRUE(plan.onHost);
  EXPECT_EQ(plan.reason.toString(), "the loop's if clause or its kernel asks for the host");
  EXPECT_EQ(plan.next[0].second->toString(), "[0,8){0} [8,10){1}");
}

TEST(MakePlan, NoIterationsNoWork) {
  for (const std::vector<Dim>& dims : {std::vector<Dim>{loop(0, 0)}, std::vector<Dim>{loop(0, 4), loop(2, 2)}}) {
    const Plan plan = makePlan(launch(dims, {10}, {unbounded(AccessMode::write, 0)}), equalDevices(2), {at(10, 1)});
    EXPECT_FALSE(plan.onHost);
    EXPECT_TRUE(plan.chunks.empty());
    EXPECT_TRUE(plan.copies.empty());
    EXPECT_EQ(plan.next[0].second->toString(), "[0,10){1}");
  }
}

TEST(MakePlan, UnchangedStatesStayTheSamePointer) {
  const ArrayStateRef u = at(8, 0), v = at(8, 0);
  const LaunchSpec spec = launch({loop(0, 8)}, {8, 8}, {read(0, {1}), write(1, {1})});
  const Plan plan = makePlan(spec, {{0, 0, 1}}, {u, v});
  EXPECT_EQ(plan.next[0].second, u);
  EXPECT_EQ(plan.next[1].second, v);
}

TEST(MakePlan, MalformedLaunchesPanic) {
  panicThrows(true);
  const LaunchSpec spec = launch({loop(0, 8)}, {8}, {write(0, {1})});
  EXPECT_THROW((void)makePlan(spec, equalDevices(2), {}), PanicError);
  EXPECT_THROW((void)makePlan(spec, equalDevices(2), {nullptr}), PanicError);
  EXPECT_THROW((void)makePlan(spec, equalDevices(2), {at(9, 0)}), PanicError);
  EXPECT_THROW((void)makePlan(launch({loop(0, 8)}, {8}, {write(1, {1})}), equalDevices(2), {at(8, 0)}), PanicError);
  LaunchSpec twice = launch({loop(0, 8)}, {8, 8}, {write(0, {1})});
  twice.arrays[1].array = 0;
  EXPECT_THROW((void)makePlan(twice, equalDevices(2), {at(8, 0), at(8, 1)}), PanicError);
  EXPECT_THROW((void)makeHostPlan(0, 8, at(8, 0), {{4, 9}}, HostMode::read), PanicError);
  panicThrows(false);
}

TEST(MakeHostPlan, FetchesAndOwns) {
  ArrayState state(10, 0);
  state = state.withOwners({{{2, 5}, 1}, {{5, 8}, 2}});
  const ArrayStateRef before = std::make_shared<const ArrayState>(state);
  const Plan reading = makeHostPlan(4, 8, before, {{0, 6}}, HostMode::read);
  EXPECT_TRUE(reading.onHost);
  EXPECT_EQ(reading.copies, (std::vector<Copy>{{4, 8, {2, 5}, 1, 0}, {4, 8, {5, 6}, 2, 0}}));
  EXPECT_EQ(reading.next[0].second->toString(), "[0,2){0} [2,5){0,1} [5,6){0,2} [6,8){2} [8,10){0}");
  const Plan writing = makeHostPlan(4, 8, before, {{0, 6}}, HostMode::write);
  EXPECT_EQ(writing.copies, reading.copies);
  EXPECT_EQ(writing.next[0].second->toString(), "[0,6){0} [6,8){2} [8,10){0}");
  const Plan overwriting = makeHostPlan(4, 8, before, {{0, 6}}, HostMode::overwrite);
  EXPECT_TRUE(overwriting.copies.empty());
  EXPECT_EQ(overwriting.next[0].second->toString(), writing.next[0].second->toString());
  const Plan nothing = makeHostPlan(4, 8, before, {{0, 2}}, HostMode::write);
  EXPECT_TRUE(nothing.copies.empty());
  EXPECT_EQ(nothing.next[0].second, before);
}

TEST(MakePlan, AThousandDevicesShareAStencil) {
  constexpr std::int64_t rows = 8192, columns = 100;
  const LaunchSpec spec = jacobi(rows, columns);
  const std::vector<DeviceSlot> devices = equalDevices(1024);
  const Plan first = makePlan(spec, devices, {at(rows * columns, 0), at(rows * columns, 0)});
  ASSERT_EQ(first.chunks.size(), 1024u);
  const Plan second = makePlan(spec, devices, {first.next[1].second, first.next[0].second});
  const Plan third = makePlan(spec, devices, {second.next[1].second, second.next[0].second});
  EXPECT_EQ(third.copies.size(), 2u * 1023u);
  EXPECT_EQ(third.bytesMoved(), std::int64_t{2} * 1023 * (columns - 2) * 8);
}

TEST(MakePlan, AThousandDevicesReadAllOfEachOther) {
  constexpr std::int64_t bodies = 1 << 16;
  constexpr std::uint32_t devices = 1024;
  const LaunchSpec spec = launch({loop(0, bodies)}, {bodies, bodies}, {unbounded(AccessMode::read, 0), write(1, {1})});
  const Plan first = makePlan(spec, equalDevices(devices), {at(bodies, 0), at(bodies, 0)});
  const Plan second = makePlan(spec, equalDevices(devices), {first.next[1].second, first.next[0].second});
  EXPECT_TRUE(second.copies.empty());
  ASSERT_EQ(second.spreads.size(), devices);
  EXPECT_EQ(second.spreads[7].copies(), devices - 1);
  EXPECT_FALSE(second.spreads[7].reaches(7));
  EXPECT_TRUE(second.spreads[7].reaches(6));
  EXPECT_EQ(second.bytesMoved(), bodies * 8 * (devices - 1));
  EXPECT_EQ(second.next[0].second->pieces().size(), 1u);
  EXPECT_EQ(second.next[0].second->pieces().begin()->holders.size(), devices);
  EXPECT_NE(second.toString().find("1047552 copies, 536346624 bytes moved"), std::string::npos);
  EXPECT_NE(second.toString().find("  copy array 0 [448,512), 523776 bytes in all, memory 7 -> 1023 memories from 0 to "
                                   "1023\n"),
            std::string::npos);
  const std::vector<Copy> own = second.copiesOf([](MemoryId memory) { return memory == 9; });
  EXPECT_EQ(own.size(), 2u * (devices - 1));
  EXPECT_EQ(own[0], (Copy{0, 8, {0, 64}, 0, 9}));
}

}  // namespace
}  // namespace muster::cap
