// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of more than 2^31 elements, and single copies of more than INT_MAX bytes. Memory is reserved; few pages of it
// are touched.
#include <sys/mman.h>

#include <climits>

#include "../../cdm/aliased_bytes.h"
#include "test_job.h"

namespace muster::rt::testing {
namespace {

// Few touched elements: memory comes in pages of 2 MiB.
constexpr std::int64_t stride = 1 << 26, touched = 40, count = stride * touched;
static_assert(count > (std::int64_t{1} << 31));

// x[i * stride] += i + 1
void sparseNative(const muster_chunk* chunk) {
  auto* x = static_cast<unsigned char*>(chunk->arrays[0]);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
    const std::int64_t i = chunk->dims[0].first + k * chunk->dims[0].step;
    x[i * stride] = static_cast<unsigned char>(x[i * stride] + i + 1);
  }
}

// Writes all elements as far as its access map goes; really the first and the last of each chunk.
void claimNative(const muster_chunk* chunk) {
  auto* x = static_cast<unsigned char*>(chunk->arrays[0]);
  x[chunk->dims[0].first + chunk->lo * chunk->dims[0].step] = 1;
  x[chunk->dims[0].first + (chunk->hi - 1) * chunk->dims[0].step] = 2;
}

const muster_array_param arrays[] = {{"x", 1, MUSTER_TYPE_U8, MUSTER_READ | MUSTER_WRITE, 0, 0}};
const muster_access sparseAccesses[] = {{0, MUSTER_READ, 0, 1}, {0, MUSTER_WRITE, 0, 1}};
const muster_access claimAccesses[] = {{0, MUSTER_WRITE, 0, 1}};
const muster_kernel sparse = {MUSTER_ABI_VERSION,
                              0,
                              0x5001,
                              "sparse",
                              {"sizes_test.cpp", 1, 1},
                              sparseNative,
                              nullptr,
                              "native",
                              1,
                              0,
                              0,
                              1,
                              0,
                              2,
                              arrays,
                              nullptr,
                              nullptr,
                              sparseAccesses,
                              nullptr};
const muster_kernel claim = {MUSTER_ABI_VERSION,
                             0,
                             0x5002,
                             "claim",
                             {"sizes_test.cpp", 2, 1},
                             claimNative,
                             nullptr,
                             "native",
                             1,
                             0,
                             0,
                             1,
                             0,
                             1,
                             arrays,
                             nullptr,
                             nullptr,
                             claimAccesses,
                             nullptr};
const muster_kernel* const kernels[] = {&sparse, &claim};
__attribute__((constructor)) void registerKernels() {
  muster_register_kernels(kernels, kernels + 2, MUSTER_ABI_VERSION);
}

void launchOver(const muster_kernel& kernel, void* array, std::int64_t iterations, const std::int64_t* forms) {
  const muster_dim dims[] = {{0, 1, iterations}};
  void* pointers[] = {array};
  muster_launch launch{};
  launch.struct_size = sizeof launch;
  launch.kernel = &kernel;
  launch.dims = dims;
  launch.forms = forms;
  launch.arrays = pointers;
  muster_launch_loop(&launch);
}

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, ArraysOfMoreThanTwoBillionElementsWork) {
  void* memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* x = static_cast<unsigned char*>(memory);
  {
    TestJob job(GetParam(), "cpu", {1, 2, 3});
    job.add(x, count);
    const std::int64_t forms[] = {stride, 0, stride, 0};
    for (int step = 0; step < 2; ++step) launchOver(sparse, x, touched, forms);
    for (std::int64_t i = 0; i < touched; ++i) {
      const auto at = static_cast<std::size_t>(i * stride);
      job.access(x, at, at + 1, false);
      ASSERT_EQ(x[at], static_cast<unsigned char>(2 * (i + 1))) << "element " << at;
    }
  }
  munmap(memory, count);
}

// One message carries what another rank has written: more than INT_MAX bytes.
TEST_P(Sizes, CopiesOfMoreThanTwoGibibytesWork) {
  if (GetParam() == 1) GTEST_SKIP() << "nothing moves on one rank";
  const std::size_t bytes = std::size_t{INT_MAX} + 54321;
  const cdm::test::AliasedBytes host(bytes);
  auto* x = reinterpret_cast<unsigned char*>(host.data());
  // All of it belongs to the last rank.
  std::vector<double> weights(static_cast<std::size_t>(GetParam()), 0);
  weights.back() = 1;
  TestJob job(GetParam(), "cpu", weights);
  job.add(x, bytes);
  const std::int64_t forms[] = {1, 0};
  launchOver(claim, x, static_cast<std::int64_t>(bytes), forms);
  job.access(x, 0, bytes, false);
  // The last copy of each page came last: its second to last period has zeroes where the first one begins.
  EXPECT_EQ(x[(bytes - 1) % cdm::test::AliasedBytes::period], 2);
  EXPECT_EQ(x[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sizes, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace muster::rt::testing
