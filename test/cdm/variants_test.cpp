// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form of a kernel suits a launch.
#include "backends/opencl/cl_variants.h"

#include <gtest/gtest.h>

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
  code.schedule.blocks[0] = {{4, 2, 1}, 1, 1, 0, {0}, 0, {0, 0}, 1};
  code.schedule.blocks[1] = {{4, 4, 1}, 1, 1, 0, {0}, 0, {0, 0}, 2};
  return code;
}

ClVariant chosenFor(int side, int radius, KernelForms forms = KernelForms::first) {
  const KernelCode code = windowCode();
  const DeviceInfo info;
  const void* scalars[] = {&side, &radius};
  KernelLaunch launch;
  launch.code = &code;
  launch.scalars = scalars;
  return ClVariants(info, forms).scheduled(code, 1e6, &launch, 0);
}

}  // namespace

TEST(Variants, BlocksForTheValueOfTheLaunch) {
  EXPECT_EQ(chosenFor(64, 1), (ClVariant{1, ClForm::blocks, {}, 1}));
  EXPECT_EQ(chosenFor(64, 2), (ClVariant{1, ClForm::blocks, {}, 2}));
  // No form has this value, or the rows are not aligned.
  EXPECT_EQ(chosenFor(64, 3), (ClVariant{4, ClForm::plain, {3}}));
  EXPECT_EQ(chosenFor(66, 1), (ClVariant{4, ClForm::plain, {1}}));
  EXPECT_EQ(chosenFor(64, 0), (ClVariant{4, ClForm::plain, {0}}));
  EXPECT_EQ(chosenFor(64, 257), ClVariant{});
  EXPECT_EQ(chosenFor(64, 1, KernelForms::plain), ClVariant{});
}

TEST(Variants, NoBlocksForAValueThatIsNotKnown) {
  const KernelCode code = windowCode();
  const DeviceInfo info;
  EXPECT_EQ(ClVariants(info, KernelForms::first).scheduled(code, 1e6, nullptr, 0), ClVariant{});
}

TEST(Variants, FewElementsHaveMoreCopiesWhereUpdatesTakeTheTime) {
  KernelCode code;
  code.schedule.updates_per_read = 4;
  EXPECT_EQ(ClVariants::copiesOf(code, 1 << 10), 4);
  EXPECT_EQ(ClVariants::copiesOf(code, 2 << 10), 3);
  EXPECT_EQ(ClVariants::copiesOf(code, 16 << 10), 0);
  code.schedule.updates_per_read = 16;
  EXPECT_EQ(ClVariants::copiesOf(code, 1 << 10), 5);
  EXPECT_EQ(ClVariants::copiesOf(code, (1 << 10) + 4), 4);
  EXPECT_EQ(ClVariants::copiesOf(code, 40 << 10), 0);
}

TEST(Variants, CopiesAreAPartOfTheText) {
  const GroupLimits limits{1024, {1024, 1024, 1024}};
  KernelCode code;
  code.dimensions = 1;
  const ClVariant many{1, ClForm::collecting, {}, 5}, none{1, ClForm::collecting, {}, 0};
  EXPECT_EQ(many.options(code), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=5");
  EXPECT_EQ(none.options(code), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=0");
  EXPECT_EQ((ClVariant{1, ClForm::parts}.options(code)), " -DMUSTER_POINTS=1 -DMUSTER_PRIVATE=2 -DMUSTER_COPIES=0");
  EXPECT_EQ(many.group(code, limits), (Axes{512, 1, 1}));
  EXPECT_EQ(none.group(code, limits), (Axes{256, 1, 1}));
}

}  // namespace muster::cdm::test
