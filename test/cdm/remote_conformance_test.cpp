// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conformance suite on devices of another rank: a loopback job whose ranks serve calls in threads of their own.
#include "backends/cpu/cpu_device.h"
#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "remote_job.h"

namespace muster::cdm::test {
namespace {

DeviceUnderTest remoteOf(std::unique_ptr<ComputeDevice> device) {
  const auto job = std::make_shared<RemoteJob>(3, 2, std::move(device));
  return {job, job->makeDevice(), ""};
}

DeviceUnderTest makeRemoteCpu() { return remoteOf(makeCpuDevice(2)); }

DeviceUnderTest makeRemoteOpenCl() {
  const OpenClInventory inventory("libOpenCL.so.1");
  if (inventory.entries().empty()) return {nullptr, nullptr, "no OpenCL here: " + inventory.problem()};
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(0, OpenClOptions());
  EXPECT_TRUE(device.ok()) << device.status().message();
  if (!device) return {};
  return remoteOf(std::move(*device));
}

INSTANTIATE_TEST_SUITE_P(Remote, Conformance,
                         testing::Values(DeviceFactory{"remote_cpu", makeRemoteCpu, false},
                                         DeviceFactory{"remote_opencl", makeRemoteOpenCl, true}),
                         factoryName);

}  // namespace
}  // namespace muster::cdm::test
