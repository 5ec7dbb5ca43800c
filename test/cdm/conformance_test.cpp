// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backends of this host that the conformance suite runs on. conformance.h says how to add one.
#include "conformance.h"
#include "backends/cpu/cpu_device.h"
#include "backends/opencl/inventory.h"
#include "fake_cuda.h"

namespace muster::cdm::test {

namespace {

DeviceUnderTest makeCpu() { return {nullptr, makeCpuDevice(2), ""}; }

// The first OpenCL device that there is, whatever its kind.
DeviceUnderTest makeOpenCl(bool likeGpu) {
  const OpenClInventory inventory("libOpenCL.so.1");
  if (inventory.entries().empty()) return {nullptr, nullptr, "no OpenCL here: " + inventory.problem()};
  StreamOptions options;
  options.likeGpu = likeGpu;
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(0, options);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return {nullptr, device ? std::move(*device) : nullptr, ""};
}

// The host's card and compiler, and without these the stand-in.
DeviceUnderTest makeCuda() {
  const CudaInventory hosts(CudaInventory::Libraries{}), fake = fakeCuda();
  const CudaInventory& inventory = hosts.entries().empty() ? fake : hosts;
  if (inventory.entries().empty()) return {nullptr, nullptr, "no CUDA here, and no POCL: " + fake.problem()};
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(0, {});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return {nullptr, device ? std::move(*device) : nullptr, ""};
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, testing::Values(DeviceFactory{"cpu", makeCpu, false}), factoryName);
INSTANTIATE_TEST_SUITE_P(OpenCl, Conformance,
                         testing::Values(DeviceFactory{"opencl", [] { return makeOpenCl(false); }, true},
                                         // As GPUs do it: through pinned memory.
                                         DeviceFactory{"opencl_staged", [] { return makeOpenCl(true); }, true}),
                         factoryName);
INSTANTIATE_TEST_SUITE_P(Cuda, Conformance, testing::Values(DeviceFactory{"cuda", makeCuda, true}), factoryName);

}  // namespace

}  // namespace muster::cdm::test
