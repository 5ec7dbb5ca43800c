// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only the OpenCL backend has: injected failures, memory that runs out, devices
// that are lost, pinned slots.
#include <gtest/gtest.h>

#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "kernel_parts.h"
#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/device_manager.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

std::unique_ptr<ComputeDevice> open(const OpenClInventory& inventory, const StreamOptions& options) {
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(0, options);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device ? std::move(*device) : nullptr;
}

// increment() over ten zeros.
void expectIncrements(ComputeDevice& device) {
  const std::vector<int> zeros(10, 0);
  std::vector<int> result(10, -1);
  const Result<BufferId> buffer = device.allocate(40);
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(device.write(*buffer, 0, zeros.data(), 40).ok());
  const muster_dim dim = {0, 1, 10};
  const ArrayArg array = {*buffer, 0};
  KernelLaunch launch;
  launch.code = &increment();
  launch.dims = {&dim, 1};
  launch.hi = 10;
  launch.arrays = {&array, 1};
  const Result<Event> event = device.launch(launch);
  ASSERT_TRUE(event.ok()) << event.status().message();
  ASSERT_TRUE(device.read(*buffer, 0, result.data(), 40).ok());
  ASSERT_TRUE(device.finish().ok());
  EXPECT_EQ(result, std::vector<int>(10, 1));
}

}  // namespace

class OpenClBackend : public testing::Test {
 protected:
  OpenClBackend() : inventory_("libOpenCL.so.1") {}
  void SetUp() override {
    if (inventory_.entries().empty()) GTEST_SKIP() << "no OpenCL here: " << inventory_.problem();
  }

  OpenClInventory inventory_;
};

TEST_F(OpenClBackend, InjectedBuildFailureSparesTheBenchmark) {
  StreamOptions options;
  options.failBuilds = true;
  const auto device = open(inventory_, options);
  expectError(device->prepare(increment()), Errc::buildFailed, "MUSTER_INJECT=build-failure");
  EXPECT_TRUE(device->prepare(benchmarkKernel()).ok());
}

TEST_F(OpenClBackend, SeveralDevicesInOneProcess) {
  const auto a = open(inventory_, {}), b = open(inventory_, {});
  expectIncrements(*a);
  expectIncrements(*b);
  expectIncrements(*a);
}

TEST_F(OpenClBackend, ArrayThatStartsInsideAnElementIsUnsupported) {
  const auto device = open(inventory_, {});
  const Result<BufferId> buffer = device->allocate(40);
  ASSERT_TRUE(buffer.ok());
  const muster_dim dim = {0, 1, 5};
  const ArrayArg array = {*buffer, 2};
  KernelLaunch launch;
  launch.code = &increment();
  launch.dims = {&dim, 1};
  launch.hi = 5;
  launch.arrays = {&array, 1};
  expectError(device->launch(launch).status(), Errc::unsupported, "byte 2");
}

// ---------------------------------------------------------------- GPUs that fail (fake/opencl.cpp)

class FakeGpu : public testing::Test {
 protected:
  FakeGpu() : inventory_(FAKE_OPENCL_LIBRARY), device_(open(inventory_, {})) {}

  OpenClInventory inventory_;
  std::unique_ptr<ComputeDevice> device_;
};

TEST_F(FakeGpu, TransfersGoThroughPinnedSlots) {
  std::vector<char> values(500000), back(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * 31);
  const std::vector<char> expected = values;
  const Result<BufferId> buffer = device_->allocate(values.size());
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(device_->write(*buffer, 0, values.data(), values.size()).ok());
  std::fill(values.begin(), values.end(), 0);  // the slot has the data already
  const Result<Event> read = device_->read(*buffer, 0, back.data(), back.size());
  ASSERT_TRUE(read.ok());
  ASSERT_TRUE(device_->wait(*read).ok());
  EXPECT_EQ(back, expected);
}

// NVIDIA's drivers fail from 2 GiB on, and so does the fake.
TEST(LargeFakeGpu, FillsAreCut) {
  const ScopedVariable large("FAKE_OPENCL", "large");
  const OpenClInventory inventory(FAKE_OPENCL_LIBRARY);
  const auto device = open(inventory, {});
  constexpr std::size_t giga = std::size_t{1} << 30, begin = 48, end = begin + 5 * giga + 1600;
  const Result<BufferId> buffer = device->allocate(end + 100);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  const Result<Event> filled = device->fill(*buffer, begin, std::byte{7}, end - begin);
  ASSERT_TRUE(filled.ok()) << filled.status().message();
  ASSERT_TRUE(device->wait(*filled).ok());
  const auto byteAt = [&](std::size_t place) {
    std::byte value{0xFF};
    EXPECT_TRUE(device->read(*buffer, place, &value, 1).ok());
    EXPECT_TRUE(device->finish().ok());
    return std::to_integer<int>(value);
  };
  for (std::size_t part = 0; part < 5; ++part) {
    EXPECT_EQ(byteAt(begin + part * giga), 7) << part;
    EXPECT_EQ(byteAt(begin + (part + 1) * giga - 1), 7) << part;
  }
  EXPECT_EQ(byteAt(end - 1), 7);
  EXPECT_EQ(byteAt(begin - 1), 0);
  EXPECT_EQ(byteAt(end), 0);
}

TEST_F(FakeGpu, OneAllocationMayNotExceedTheDevicesLimit) {
  expectError(device_->allocate((600 << 10) + 1).status(), Errc::outOfMemory, "one allocation may have 614400");
}

TEST_F(FakeGpu, FullMemoryIsReportedWithWhatIsHeld) {
  ASSERT_TRUE(device_->allocate(600 << 10).ok());
  const Result<BufferId> second = device_->allocate(400 << 10);
  ASSERT_TRUE(second.ok());
  expectError(device_->allocate(100 << 10).status(), Errc::outOfMemory, "Muster holds 1024000 in 2 buffers");
  ASSERT_TRUE(device_->release(*second).ok());
  EXPECT_TRUE(device_->allocate(100 << 10).ok());
}

TEST_F(FakeGpu, AllocationThatFailsAtFirstUseIsOutOfMemory) {
  const ScopedVariable fault("FAKE_OPENCL", "full");
  expectError(device_->allocate(1000).status(), Errc::outOfMemory, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
}

TEST_F(FakeGpu, LostDeviceIsReportedAndStaysLost) {
  int value = 0;
  const Result<BufferId> buffer = device_->allocate(4);
  ASSERT_TRUE(buffer.ok());
  const Result<Event> event = device_->read(*buffer, 0, &value, 4);
  ASSERT_TRUE(event.ok());
  {
    const ScopedVariable fault("FAKE_OPENCL", "lost");
    expectError(device_->wait(*event), Errc::deviceLost, "Fake GPU 1");
  }
  expectError(device_->wait(*event), Errc::deviceLost, "Fake GPU 1");
  expectError(device_->finish(), Errc::deviceLost, "Fake GPU 1");
}

TEST_F(FakeGpu, LostDeviceIsNoticedWithoutAWait) {
  const Result<BufferId> buffer = device_->allocate(4);
  ASSERT_TRUE(buffer.ok());
  const ScopedVariable fault("FAKE_OPENCL", "lost");
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = device_->write(*buffer, 0, &i, 4).status();
  expectError(status, Errc::deviceLost, "CL_OUT_OF_RESOURCES");
}

TEST_F(FakeGpu, RefusedTransferGivesItsSlotBack) {
  const Result<BufferId> buffer = device_->allocate(4);
  ASSERT_TRUE(buffer.ok());
  int value = 7, back = 0;
  {
    const ScopedVariable fault("FAKE_OPENCL", "refuses-writes");
    for (int i = 0; i < 200; ++i)  // more than there are slots
      expectError(device_->write(*buffer, 0, &value, 4).status(), Errc::deviceLost, "write of 4 bytes");
  }
  ASSERT_TRUE(device_->write(*buffer, 0, &value, 4).ok());
  ASSERT_TRUE(device_->read(*buffer, 0, &back, 4).ok());
  ASSERT_TRUE(device_->finish().ok());
  EXPECT_EQ(back, 7);
}

TEST_F(FakeGpu, KernelThatNeedsDoublePrecisionIsUnsupported) {
  expectError(device_->prepare(addScalar<double>()), Errc::unsupported, "double precision");
}

// POCL fails so where another process fills its cache at that moment.
TEST_F(FakeGpu, BuildThatFailsWithoutAReasonIsTriedAgain) {
  KernelCode code = makeCode("fake_mix", 1, nullptr);
  code.opencl = "fake_mix, built at the third try";
  const Status built = device_->prepare(code);
  EXPECT_TRUE(built.ok()) << built.message();
}

TEST_F(FakeGpu, BuildFailureWithoutALog) { expectError(device_->prepare(increment()), Errc::buildFailed, "no log"); }

}  // namespace muster::cdm::test
