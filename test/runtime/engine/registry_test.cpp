// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of kernels: idempotent, converted once, mistakes kept for the session.
#include "registry/registry.h"

#include <gtest/gtest.h>

#include <cstring>

namespace muster::rt {
namespace {

void nothing(const muster_chunk*) {}

const muster_array_param kArrays[] = {{"u", 8, MUSTER_TYPE_F64, MUSTER_READ, 0, 0},
                                      {"v", 4, MUSTER_TYPE_F32, MUSTER_READ | MUSTER_WRITE, 0, 0}};
const muster_scalar_param kScalars[] = {{"m", 8, MUSTER_TYPE_I64, {}, nullptr}};
const muster_access kAccesses[] = {{0, MUSTER_READ, MUSTER_ACCESS_UNBOUNDED, 3},
                                   {1, MUSTER_WRITE, MUSTER_ACCESS_CONDITIONAL, 4}};

muster_kernel makeKernel(std::uint64_t id, const char* text) {
  return {MUSTER_ABI_VERSION,
          MUSTER_KERNEL_NEEDS_FP64,
          id,
          "k",
          {"file.cpp", 3, 1},
          nothing,
          text,
          nullptr,
          2,
          1,
          0,
          1,
          0,
          2,
          kArrays,
          kScalars,
          nullptr,
          kAccesses,
          nullptr};
}

TEST(Registry, ConvertsADescriptorOnce) {
  const muster_kernel kernel = makeKernel(5, "text");
  const muster_kernel* const list[] = {nullptr, &kernel, &kernel};
  Registry registry;
  registry.add(list, list + 3, MUSTER_ABI_VERSION);
  registry.add(list, list + 3, MUSTER_ABI_VERSION);
  ASSERT_TRUE(registry.status().ok()) << registry.status().message();
  const KernelEntry* entry = registry.find(5);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(registry.find(6), nullptr);
  EXPECT_EQ(entry->code.location, "file.cpp:3");
  EXPECT_TRUE(entry->code.needsFp64);
  EXPECT_FALSE(entry->code.arrays[0].written);
  EXPECT_TRUE(entry->code.arrays[1].written);
  EXPECT_EQ(entry->code.scalars[0].type, cdm::ScalarType::i64);
  EXPECT_TRUE(entry->accesses[0].unbounded);
  EXPECT_TRUE(entry->accesses[1].conditional);
  EXPECT_EQ(entry->accesses[1].mode, cap::AccessMode::write);
}

TEST(Registry, OneIdWithTwoTextsIsAnErrorThatNamesBothPlaces) {
  const muster_kernel first = makeKernel(5, "text");
  muster_kernel second = makeKernel(5, "other");
  second.loc.line = 99;
  const muster_kernel* const list[] = {&first, &second};
  Registry registry;
  registry.add(list, list + 2, MUSTER_ABI_VERSION);
  ASSERT_FALSE(registry.status().ok());
  EXPECT_NE(registry.status().message().find("file.cpp:3"), std::string::npos);
  EXPECT_NE(registry.status().message().find("file.cpp:99"), std::string::npos);
}

TEST(Registry, TheSameLoopFromTwoTranslationUnitsIsOneKernel) {
  const muster_kernel first = makeKernel(5, "text");
  const muster_kernel second = makeKernel(5, "text");
  const muster_kernel* const list[] = {&first, &second};
  Registry registry;
  registry.add(list, list + 2, MUSTER_ABI_VERSION);
  EXPECT_TRUE(registry.status().ok());
  EXPECT_EQ(registry.find(5)->descriptor, &first);
}

TEST(Registry, AnotherAbiVersionIsRefusedWithBothNumbers) {
  Registry registry;
  registry.add(nullptr, nullptr, MUSTER_ABI_VERSION + 1);
  ASSERT_FALSE(registry.status().ok());
  EXPECT_NE(registry.status().message().find(std::to_string(MUSTER_ABI_VERSION + 1)), std::string::npos);
}

TEST(Registry, DescriptorsThatCannotBeRightAreRefused) {
  const auto refused = [](muster_kernel kernel) {
    const muster_kernel* const list[] = {&kernel};
    Registry registry;
    registry.add(list, list + 1, MUSTER_ABI_VERSION);
    return !registry.status().ok() && registry.find(kernel.id) == nullptr;
  };
  muster_kernel bad = makeKernel(5, "text");
  bad.n_dims = 4;
  EXPECT_TRUE(refused(bad));
  bad = makeKernel(5, "text");
  bad.native = nullptr;
  EXPECT_TRUE(refused(bad));
  bad = makeKernel(5, "text");
  bad.n_arrays = 1;  // an access names the second one
  EXPECT_TRUE(refused(bad));
  bad = makeKernel(5, "text");
  bad.abi_version = MUSTER_ABI_VERSION + 1;
  EXPECT_TRUE(refused(bad));
}

// A step of time from array 0 to array 1, of which `around` says what it reads.
struct Step {
  muster_schedule schedule = {};
  muster_kernel kernel;
  Step(std::uint64_t id, const char* text, std::uint8_t most, std::uint8_t reach, std::int8_t up, std::int8_t down)
      : kernel(makeKernel(id, text)) {
    schedule.steps = {.most = most, .reach = reach, .from = 0, .to = 1, .guest = 1};
    const std::int8_t around[4][2] = {{up, 0}, {down, 0}, {down, 0}, {up, 0}};
    std::memcpy(schedule.steps.around, around, sizeof around);
    kernel.schedule = &schedule;
  }
};

const KernelEntry* pairOf(Registry& registry, const Step& first, const Step& second) {
  const muster_kernel* const list[] = {&first.kernel, &second.kernel};
  registry.add(list, list + 2, MUSTER_ABI_VERSION);
  EXPECT_TRUE(registry.status().ok()) << registry.status().message();
  return registry.findPair(first.kernel.id, second.kernel.id);
}

TEST(Registry, MakesOneKernelOfTwoInTurn) {
  const Step stencil(5, "stencil\n", 3, 1, -1, 1), copy(6, "copy\n", 1, 0, 0, 0);
  Registry registry;
  const KernelEntry* pair = pairOf(registry, copy, stencil);
  ASSERT_NE(pair, nullptr);
  EXPECT_TRUE(pair->isGuestFirst);
  EXPECT_EQ(pair->code.opencl,
            "#define MUSTER_GUEST_FIRST 1\n#define MUSTER_GUEST_TEXT\ncopy\n#undef MUSTER_GUEST_TEXT\nstencil\n");
  // The copy's step comes first: from what the stencil writes.
  EXPECT_EQ(pair->code.schedule.steps.from, 1);
  EXPECT_EQ(pair->code.schedule.steps.to, 0);
  EXPECT_EQ(pair->code.turns[0].code->id, 6U);
  EXPECT_EQ(pair->code.turns[0].arrays, (std::vector<std::uint16_t>{1, 0}));
  EXPECT_EQ(pair->code.turns[0].firstScalar, 1U);
  EXPECT_EQ(pair->code.turns[1].arrays, (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(pair->code.scalars.size(), 2U);
  EXPECT_EQ(pair->accesses.size(), 4U);
  EXPECT_EQ(pair->accesses[2].array, 1);  // what the copy reads
  EXPECT_EQ(pair->loop().id, 6U);
  EXPECT_EQ(pair, registry.findPair(6, 5));
  EXPECT_FALSE(registry.findPair(5, 6)->isGuestFirst);
  EXPECT_EQ(registry.findPair(5, 7), nullptr);
}

TEST(Registry, MakesNoneOfTwoThatReadOtherElements) {
  const Step up(5, "up", 3, 1, -1, 0), down(6, "down", 3, 1, 0, 1), both(7, "both", 3, 1, -1, 1),
      copy(8, "copy", 1, 0, 0, 0);
  Registry registry;
  EXPECT_EQ(pairOf(registry, up, down), nullptr);
  EXPECT_NE(pairOf(registry, up, both), nullptr);
  EXPECT_FALSE(pairOf(registry, both, down)->isGuestFirst);
  EXPECT_EQ(pairOf(registry, copy, copy), nullptr);
}

}  // namespace
}  // namespace muster::rt
