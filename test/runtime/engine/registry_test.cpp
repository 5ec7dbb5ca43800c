// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of kernels: idempotent, converted once, mistakes kept for the session.
#include "registry/registry.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster::rt
