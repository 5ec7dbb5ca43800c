// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CudaKernel: arguments in a group's own memory, by their offsets there.
#include "backends/cuda/kernel.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "conformance.h"
#include "kernel_parts.h"

namespace muster::cdm::test {

namespace {

// y[0] = the sum of 0, ..., n - 1 by way of both arrays. Were one too short, or in the other, it would be another.
const KernelCode& throughLocals() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("through_locals", 1, nullptr);
    code.opencl =
        kernelText(code.name, 1, "__global int *y, long y_origin", "__local uchar *narrow, __local int *wide, int n",
                   "for (int i = 0; i < n; ++i) narrow[i] = (uchar)(i % 100);\n"
                   "for (int i = 0; i < n; ++i) wide[i] = i - i % 100;\n"
                   "int sum = 0;\n"
                   "for (int i = 0; i < n; ++i) sum += narrow[i] + wide[i];\n"
                   "y[y_origin] = sum;");
    return code;
  }();
  return kernel;
}

class CudaKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<CudaApiPtr> cuda = loadCudaApi(FAKE_CUDA_LIBRARY, nullptr);
    const Result<NvrtcApiPtr> nvrtc = loadNvrtcApi({FAKE_CUDA_LIBRARY}, nullptr);
    ASSERT_TRUE(cuda.ok() && nvrtc.ok());
    handle_ = {*cuda, *nvrtc, nullptr, 0, 90};
    if (api().Init(0) != cuda::success) GTEST_SKIP() << "no POCL here";
    ASSERT_EQ(api().DevicePrimaryCtxRetain(&context_, 0), cuda::success);
    ASSERT_EQ(api().CtxSetCurrent(context_), cuda::success);
    ASSERT_EQ(api().StreamCreate(&stream_, cuda::streamNonBlocking), cuda::success);
    ASSERT_EQ(api().MemAlloc_v2(&y_, sizeof(int)), cuda::success);
  }
  void TearDown() override {
    if (context_ != nullptr) (void)api().DevicePrimaryCtxRelease_v2(0);
  }
  const CudaApi& api() const { return *handle_.api; }

  std::unique_ptr<CudaKernel> kernel() {
    const Variant variant;
    const KernelBuild build{throughLocals(), variant, {1, 1, 1}};
    const CudaPrograms programs(handle_, context_);
    const Result<CudaProgram> program = programs.compile(build.code.opencl, programs.optionsOf(build));
    EXPECT_TRUE(program.ok()) << program.status().message();
    Result<std::unique_ptr<CudaKernel>> found = CudaKernel::find(api(), program->module, build);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::move(*found);
  }
  // With room for so many elements of each array.
  cuda::Error launch(CudaKernel& kernel, int n) {
    const std::int64_t zero = 0, one = 1;
    kernel.setArgument(0, sizeof y_, &y_);
    for (const auto& [index, value] : {std::pair(1, zero), {2, zero}, {3, one}, {4, zero}, {5, one}})
      kernel.setArgument(static_cast<std::size_t>(index), sizeof value, &value);
    kernel.setArgument(6, static_cast<std::size_t>(n), nullptr);
    kernel.setArgument(7, static_cast<std::size_t>(n) * sizeof(int), nullptr);
    kernel.setArgument(8, sizeof n, &n);
    const cuda::KernelNode node = kernel.node({1, 1, 1}, {1, 1, 1});
    const cuda::Error refused = kernel.allow(api(), node);
    return refused == cuda::success ? muster::cdm::launch(api(), node, stream_) : refused;
  }
  int result() {
    int value = 0;
    EXPECT_EQ(api().MemcpyDtoHAsync_v2(&value, y_, sizeof value, stream_), cuda::success);
    EXPECT_EQ(api().StreamSynchronize(stream_), cuda::success);
    return value;
  }

  CudaHandle handle_;
  cuda::Context* context_ = nullptr;
  cuda::Stream* stream_ = nullptr;
  cuda::Pointer y_ = 0;
};

}  // namespace

TEST_F(CudaKernelTest, ArraysOfAGroupLieBesideEachOther) {
  const std::unique_ptr<CudaKernel> found = kernel();
  for (const int n : {1, 17, 9000}) {
    ASSERT_EQ(launch(*found, n), cuda::success) << n;
    EXPECT_EQ(result(), n * (n - 1) / 2) << n;
  }
}

// 48 KiB need no asking, and there are 227.
TEST_F(CudaKernelTest, MoreMemoryOfAGroupIsAskedFor) {
  const std::unique_ptr<CudaKernel> found = kernel();
  for (const int n : {40000, 9000}) {
    ASSERT_EQ(launch(*found, n), cuda::success) << n;
    EXPECT_EQ(result(), n * (n - 1) / 2) << n;
  }
  EXPECT_EQ(launch(*found, 50000), cuda::invalidValue);
}

}  // namespace muster::cdm::test
