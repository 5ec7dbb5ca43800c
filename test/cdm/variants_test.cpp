// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form of a kernel suits a launch.
#include "stream/variants.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace muster::cdm::test {

namespace {

// Blocks for the values 1 and 2 of the scalar `radius`, and a form for any that is short.
KernelCode windowCode() {
  KernelCode code;
  code.dimensions = 2;
  code.scalars = {{"side", ScalarType::i32, 4}, {"radius", ScalarType::i32, 4}};
  code.schedule.points = 4, code.schedule.points_axis = 1;
  code.schedule.n_constants = code.schedule.n_counts = 1;
  code.schedule.constants[0] = 1;
  code.schedule.counts[0][0] = 1, code.schedule.counts[0][1] = 2;
  code.schedule.most_counted = 9;
  code.schedule.n_blocks = 2;
  code.schedule.blocks[0] = {{4, 2, 1}, 1, 1, 0, {0}, 0, {0, 0}, 1, 0, 0};
  code.schedule.blocks[1] = {{4, 4, 1}, 1, 1, 0, {0}, 0, {0, 0}, 2, 0, 0};
  return code;
}

Variant chosenFor(int side, int radius, KernelForms forms = KernelForms::first) {
  const KernelCode code = windowCode();
  const DeviceInfo info;
  const void* scalars[] = {&side, &radius};
  KernelLaunch launch;
  launch.code = &code;
  launch.scalars = scalars;
  return Variants(info, forms).scheduled(code, 1e6, &launch, 0);
}

}  // namespace

TEST(Variants, BlocksForTheValueOfTheLaunch) {
  EXPECT_EQ(chosenFor(64, 1), (Variant{1, Form::blocks, {}, 1}));
  EXPECT_EQ(chosenFor(64, 2), (Variant{1, Form::blocks, {}, 2}));
  // No form has this value, or the rows are not aligned.
  EXPECT_EQ(chosenFor(64, 3), (Variant{4, Form::plain, {3}}));
  EXPECT_EQ(chosenFor(66, 1), (Variant{4, Form::plain, {1}}));
  EXPECT_EQ(chosenFor(64, 0), (Variant{4, Form::plain, {0}}));
  EXPECT_EQ(chosenFor(64, 257), Variant{});
  EXPECT_EQ(chosenFor(64, 1, KernelForms::plain), Variant{});
}

TEST(Variants, NoBlocksForAValueThatIsNotKnown) {
  const KernelCode code = windowCode();
  const DeviceInfo info;
  EXPECT_EQ(Variants(info, KernelForms::first).scheduled(code, 1e6, nullptr, 0), Variant{});
}

// Groups of 16 x 16 that share what they read, for 8 x 8 iterations each, and blocks of 4 x 4 behind them.
class SharedBlocks : public testing::Test {
 protected:
  SharedBlocks() {
    code_.dimensions = 2;
    code_.scalars = {{"length", ScalarType::i32, 4}};
    code_.schedule.n_constants = code_.schedule.n_counts = 1;
    code_.schedule.counts[0][1] = 1;
    code_.schedule.n_blocks = 2;
    code_.schedule.blocks[0] = {{8, 8, 1}, 0, 0, 0, {0}, 0, {16, 16}, 0, 1, 0};
    code_.schedule.blocks[1] = {{4, 4, 1}, 0, 0, 0, {0}, 0, {16, 8}, 0, 0, 0};
    info_.kind = DeviceKind::gpu, info_.computeUnits = 10;
  }
  int chosenFor(std::int64_t rows, std::int64_t columns, int length, KernelForms forms = KernelForms::automatic) {
    const muster_dim dims[] = {{0, 1, rows}, {0, 1, columns}};
    const void* scalars[] = {&length};
    KernelLaunch launch;
    launch.code = &code_, launch.dims = dims, launch.scalars = scalars, launch.hi = rows;
    const double iterations = static_cast<double>(rows) * static_cast<double>(columns);
    return Variants(info_, forms).scheduled(code_, iterations, &launch, 0).number;
  }

  KernelCode code_;
  DeviceInfo info_;
};

TEST_F(SharedBlocks, AreForLaunchesThatFillTheDevice) {
  EXPECT_EQ(chosenFor(512, 512, 32), 1);
  EXPECT_EQ(chosenFor(512, 512, 31), 2);     // a short loop
  EXPECT_EQ(chosenFor(384, 384, 100), 2);    // nine groups for ten compute units
  EXPECT_EQ(chosenFor(10000, 130, 100), 2);  // half of the work-items have no iteration
  EXPECT_EQ(chosenFor(10000, 250, 100), 1);
  EXPECT_EQ(chosenFor(100000, 127, 100), 2);
}

TEST_F(SharedBlocks, NeedWholeBlocks) {
  EXPECT_EQ(chosenFor(4, 100000, 31), 2);
  EXPECT_EQ(chosenFor(3, 100000, 31), 0);
}

TEST_F(SharedBlocks, AreForGpus) {
  info_.kind = DeviceKind::cpu;
  EXPECT_EQ(chosenFor(512, 512, 100), 2);
  EXPECT_EQ(chosenFor(128, 128, 1, KernelForms::first), 1);
  EXPECT_EQ(chosenFor(127, 128, 1, KernelForms::first), 2);
}

TEST_F(SharedBlocks, AreBuiltBeforeTheLaunchIsKnown) {
  int length = 100;
  const void* scalars[] = {&length};
  KernelLaunch expected;
  expected.code = &code_, expected.scalars = scalars;
  const Variants variants(info_, KernelForms::automatic);
  EXPECT_EQ(variants.scheduled(code_, 1e6, &expected, 0).number, 1);
  EXPECT_EQ(variants.scheduled(code_, 1e5, &expected, 0).number, 2);
  EXPECT_EQ(variants.scheduled(code_, 1e6, nullptr, 0).number, 2);
}

TEST_F(SharedBlocks, NeedTheirGroups) {
  EXPECT_TRUE((Variant{1, Form::blocks, {}, 1}.needsGroup(code_)));
  EXPECT_FALSE((Variant{1, Form::blocks, {}, 2}.needsGroup(code_)));
  // Whether or not the device has room for them.
  const GroupLimits few{64, {64, 64, 64}};
  EXPECT_EQ((Variant{1, Form::blocks, {}, 1}.group(code_, few)), (Axes{16, 16, 1}));
  EXPECT_EQ((Variant{1, Form::blocks, {}, 2}.group(code_, few)), (Axes{16, 4, 1}));
}

// Without wide axes, numbers have to be multiples of the steps that read together.
TEST_F(SharedBlocks, ReadStepsTogetherWhereTheseAreAligned) {
  code_.schedule.blocks[0] = {{2, 1, 1}, 0, 1, 0, {0}, 1, {0, 0}, 0, 0, 0};
  code_.arrays = {{"table", 4, false}};
  ArrayArg array;
  const auto chosen = [&](int length, std::int64_t origin) {
    array.originBytes = origin;
    const void* scalars[] = {&length};
    KernelLaunch launch;
    launch.code = &code_, launch.scalars = scalars, launch.arrays = std::span(&array, 1);
    return Variants(info_, KernelForms::automatic).scheduled(code_, 1e6, &launch, 0).number;
  };
  EXPECT_EQ(chosen(32, 16), 1);
  EXPECT_EQ(chosen(30, 16), 2);
  EXPECT_EQ(chosen(32, 20), 2);
}

TEST(Variants, RowsAreStoredTogetherWhereArraysAreApart) {
  KernelCode code;
  code.dimensions = 1;
  code.arrays = {{"from", 4, false}, {"to", 4, true}};
  code.scalars = {{"length", ScalarType::i32, 4}};
  code.schedule.n_constants = code.schedule.n_counts = 1;
  code.schedule.counts[0][1] = 1;
  const auto chosen = [&](std::uint8_t tiled, BufferId to, std::size_t begin, int length) {
    code.schedule.tiled = tiled;
    ArrayArg arrays[2] = {};
    arrays[0].buffer = 1, arrays[0].touchedBegin = 0, arrays[0].touchedEnd = 100;
    arrays[1].buffer = to, arrays[1].touchedBegin = begin, arrays[1].touchedEnd = begin + 100;
    const void* scalars[] = {&length};
    KernelLaunch launch;
    launch.code = &code, launch.arrays = arrays, launch.scalars = scalars;
    DeviceInfo info;
    info.kind = DeviceKind::gpu;
    return Variants(info, KernelForms::automatic).scheduled(code, 1e6, &launch, 0).form;
  };
  EXPECT_EQ(chosen(MUSTER_STORED_ROWS, 2, 0, 64), Form::tiled);
  EXPECT_EQ(chosen(MUSTER_STORED_ROWS, 1, 100, 64), Form::tiled);
  EXPECT_EQ(chosen(MUSTER_STORED_ROWS, 1, 99, 64), Form::plain);
  EXPECT_EQ(chosen(MUSTER_STORED_ROWS, 2, 0, 63), Form::plain);
  EXPECT_EQ(chosen(MUSTER_EVEN_ROWS, 1, 99, 64), Form::tiled);
}

// Few groups leave room for more: three of 128 work-items share the 65,536 registers of a compute unit.
TEST(Variants, RegistersAreCappedWhereGroupsAreMany) {
  KernelCode code;
  code.schedule.steps = {7, 1, 0, 1, 128, 0};
  code.schedule.n_blocks = 2;
  code.schedule.blocks[1].shared = 1;
  EXPECT_EQ((Variant{1, Form::steps, {}, 128}).registers(code), 128U);
  EXPECT_EQ((Variant{1, Form::steps, {}, 64}).registers(code), 128U);
  EXPECT_EQ((Variant{1, Form::steps, {}, 32}).registers(code), 168U);
  code.schedule.steps.registers = 200;
  EXPECT_EQ((Variant{1, Form::steps, {}, 32}).registers(code), 200U);
  EXPECT_EQ((Variant{1, Form::blocks, {}, 1}).registers(code), 0U);
  EXPECT_EQ((Variant{1, Form::blocks, {}, 2}).registers(code), 128U);
  EXPECT_EQ(Variant{}.registers(code), 0U);
}

// A group has 128 work-items with 4 columns each, of which 8 at either side are its neighbours'.
TEST(Variants, StepsRunAtOnceWhereTheyFillTheDevice) {
  KernelCode code;
  code.dimensions = 2;
  code.arrays = {{"from", 4, false}, {"to", 4, true}};
  code.schedule.steps = {7, 1, 0, 1, 128};
  DeviceInfo info;
  info.kind = DeviceKind::gpu, info.computeUnits = 10;
  const auto rowsFor = [&](std::int64_t rows, std::int64_t columns, std::uint32_t steps = 7,
                           KernelForms forms = KernelForms::automatic) {
    const muster_dim dims[] = {{0, 1, rows}, {0, 1, columns}};
    const ArrayArg arrays[] = {{1, 0}, {2, 0}};
    KernelLaunch launch;
    launch.code = &code, launch.dims = dims, launch.hi = rows, launch.arrays = arrays, launch.steps = steps;
    const auto variant = Variants(info, forms).stepsFor(launch);
    return variant ? variant->number : 0;
  };
  EXPECT_EQ(columnsOfSteps(code), 496U);
  EXPECT_EQ(rowsFor(128 * 15, 496 * 2), 128);
  EXPECT_EQ(rowsFor(128 * 14, 496 * 2), 64);
  EXPECT_EQ(rowsFor(32 * 10, 496), 32);
  EXPECT_EQ(rowsFor(32 * 9, 496), 0);
  EXPECT_EQ(rowsFor(32 * 9, 496, 7, KernelForms::first), 32);
  EXPECT_EQ(rowsFor(4000, 4000, 5), 0);
  EXPECT_EQ(rowsFor(4000, 4000, 7, KernelForms::plain), 0);
  info.kind = DeviceKind::cpu;
  EXPECT_EQ(rowsFor(4000, 4000), 0);
  const Variant steps{1, Form::steps, {}, 64};
  EXPECT_EQ(steps.options(code), " -DMUSTER_POINTS=1 -DMUSTER_STEPS -DMUSTER_ROWS=64");
  EXPECT_EQ(steps.description(code), "7 steps at once");
  EXPECT_TRUE(steps.needsGroup(code));
}

TEST(Variants, FewElementsHaveMoreCopiesWhereUpdatesTakeTheTime) {
  const std::size_t room = 47 << 10;
  KernelCode code;
  code.schedule.updates_per_read = 4;
  EXPECT_EQ(Variants::copiesOf(code, 1 << 10, room), 4);
  EXPECT_EQ(Variants::copiesOf(code, 2 << 10, room), 3);
  EXPECT_EQ(Variants::copiesOf(code, 16 << 10, room), 0);
  code.schedule.updates_per_read = 16;
  EXPECT_EQ(Variants::copiesOf(code, 1 << 10, room), 5);
  EXPECT_EQ(Variants::copiesOf(code, (1 << 10) + 4, room), 4);
  EXPECT_EQ(Variants::copiesOf(code, 40 << 10, room), 0);
  // A device has less room, and perhaps not even for all elements.
  EXPECT_EQ(Variants::copiesOf(code, 1 << 10, 31 << 10), 4);
  EXPECT_EQ(Variants::copiesOf(code, 1 << 10, 1000), 0);
}

TEST(Variants, CpusTryNoFormInWhichWorkItemsWait) {
  const KernelCode code;
  DeviceInfo info;
  info.kind = DeviceKind::cpu;
  const Variants variants(info, KernelForms::automatic);
  const Variant plain, blocks{1, Form::blocks, {}, 1};
  for (const Form form : {Form::tiled, Form::grouped})
    EXPECT_EQ(variants.candidates(code, {1, form, {}, 1}, 1e9), std::vector{plain});
  EXPECT_EQ(variants.candidates(code, blocks, 1e9), (std::vector{plain, blocks}));
  info.kind = DeviceKind::gpu;
  const Variant tiles{1, Form::tiled, {}, 1};
  EXPECT_EQ(variants.candidates(code, tiles, 1e9), (std::vector{tiles, plain}));
}

TEST(Variants, CopiesAreAPartOfTheText) {
  const GroupLimits limits{1024, {1024, 1024, 1024}};
  KernelCode code;
  code.dimensions = 1;
  const Variant many{1, Form::collecting, {}, 5}, none{1, Form::collecting, {}, 0};
  EXPECT_EQ(many.options(code), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=5");
  EXPECT_EQ(none.options(code), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=0");
  EXPECT_EQ((Variant{1, Form::parts}.options(code)), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=2 -DMUSTER_COPIES=0");
  EXPECT_EQ(many.group(code, limits), (Axes{512, 1, 1}));
  EXPECT_EQ(none.group(code, limits), (Axes{256, 1, 1}));
}

// Nests whose innermost loop, of `length` steps, groups share.
class Nests : public testing::Test {
 protected:
  Nests() {
    code_.dimensions = 3;
    code_.scalars = {{"length", ScalarType::i32, 4}};
    code_.schedule.grouped = MUSTER_GROUPED_ROWS;
    code_.schedule.n_constants = 1, code_.schedule.group_count[1] = 1;
    info_.kind = DeviceKind::gpu, info_.computeUnits = 10;
  }
  template <class Use>
  auto with(int length, std::array<std::int64_t, 3> counts, const Use& use) {
    const muster_dim dims[] = {{0, 1, counts[0] + 5}, {0, 1, counts[1]}, {0, 1, counts[2]}};
    const void* scalars[] = {&length};
    KernelLaunch launch;
    launch.code = &code_, launch.dims = dims, launch.scalars = scalars, launch.lo = 5, launch.hi = 5 + counts[0];
    return use(launch);
  }
  int formOf(int length) {
    return with(length, {100, 100, 100}, [&](const KernelLaunch& launch) -> int {
      const Variant form = Variants(info_, KernelForms::automatic).scheduled(code_, 1e6, &launch, 0);
      return form.form == Form::grouped ? form.number : 0;
    });
  }
  void expectShape(int length, std::array<std::int64_t, 3> counts, Axes group, Axes tile) {
    const GroupShape shape =
        with(length, counts, [](const KernelLaunch& launch) { return Variants::rowsFor(launch, 256); });
    EXPECT_EQ(shape.group, group) << length;
    EXPECT_EQ(shape.tile, tile) << length;
  }

  KernelCode code_;
  DeviceInfo info_;
};

TEST_F(Nests, GroupsHaveSeveralIterationsWhereTheirLoopIsShort) {
  EXPECT_EQ(formOf(1), 0);
  EXPECT_EQ(formOf(2), 2);
  EXPECT_EQ(formOf(127), 2);
  EXPECT_EQ(formOf(128), 1);
  code_.schedule.grouped = MUSTER_GROUPED_COUNTED;
  EXPECT_EQ(formOf(31), 0);
  EXPECT_EQ(formOf(32), 1);
}

TEST_F(Nests, GroupsThatAddUpHaveAsManyWorkItemsAsTheLoopHasSteps) {
  code_.schedule.grouped = MUSTER_GROUPED_SUMS;
  const GroupLimits limits{1024, {1024, 1024, 64}};
  const auto groupOf = [&](int length) -> std::size_t {
    const int number = formOf(length);
    return number == 0 ? 0 : Variant{1, Form::grouped, {}, static_cast<std::uint8_t>(number)}.group(code_, limits)[0];
  };
  EXPECT_EQ(groupOf(639), 0);
  EXPECT_EQ(groupOf(640), 128);
  EXPECT_EQ(groupOf(4095), 128);
  EXPECT_EQ(groupOf(4096), 256);
  EXPECT_EQ(groupOf(8192), 512);
  EXPECT_EQ(groupOf(2000000000), 1024);
  // Where they keep what they read, no work-item has more steps than that is of.
  code_.schedule.grouped = MUSTER_GROUPED_KEPT;
  EXPECT_EQ(groupOf(239), 0);
  EXPECT_EQ(groupOf(240), 64);
  EXPECT_EQ(groupOf(2048), 64);
  EXPECT_EQ(groupOf(2049), 128);
  EXPECT_EQ(groupOf(16384), 512);
  EXPECT_EQ(groupOf(16385), 1024);
  EXPECT_EQ(groupOf(2000000000), 1024);
  code_.schedule.grouped = MUSTER_GROUPED_SUMS;
  info_.computeUnits = 1000;  // that a million iterations do not fill
  EXPECT_EQ(groupOf(63), 0);
  EXPECT_EQ(groupOf(64), 128);
  // Rows that are stored together, if those are shorter.
  code_.schedule.tiled = MUSTER_EVEN_ROWS, code_.schedule.n_counts = 1, code_.schedule.counts[0][1] = 1;
  info_.computeUnits = 10;
  EXPECT_EQ(groupOf(640), 128);
  EXPECT_EQ(with(639, {100, 100, 100},
                 [&](const KernelLaunch& launch) {
                   return Variants(info_, KernelForms::automatic).scheduled(code_, 1e6, &launch, 0).form;
                 }),
            Form::tiled);
}

TEST_F(Nests, GroupsAreAsLongAsTheLoop) {
  expectShape(8, {1000, 8, 8}, {8, 8, 4}, {8, 4, 1});
  expectShape(5, {3, 4, 100}, {5, 51, 1}, {51, 1, 1});
  expectShape(2, {9, 9000, 1}, {2, 1, 64}, {1, 64, 1});
  expectShape(100, {9, 9, 9}, {100, 2, 1}, {2, 1, 1});
  code_.schedule.order[0] = 2, code_.schedule.order[2] = 0;  // axis 0 is the outermost loop, of which the chunk has 3
  expectShape(8, {3, 100, 7}, {8, 3, 10}, {3, 10, 1});
}

}  // namespace muster::cdm::test
