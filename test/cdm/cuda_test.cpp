// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only the CUDA backend has, on the stand-in: cards that fail or differ, memory that runs out, page-locked memory
// of several cards, code for cards that NVRTC does not know.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "conformance.h"
#include "fake_cuda.h"
#include "kernel_parts.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaInventory present = fakeCuda(); present.entries().empty()) GTEST_SKIP() << present.problem();
  }
  // Until the test ends, or `scope` does.
  void ask(const char* words) { words_ = std::make_unique<ScopedVariable>("FAKE_CUDA", words); }
  void askNothing() { words_.reset(); }

  static std::unique_ptr<ComputeDevice> open(std::size_t index = 0, const StreamOptions& options = {}) {
    Result<std::unique_ptr<ComputeDevice>> device = fakeCuda().open(index, options);
    EXPECT_TRUE(device.ok()) << device.status().message();
    return device ? std::move(*device) : nullptr;
  }

 private:
  std::unique_ptr<ScopedVariable> words_;
};

// A launch of a kernel with one array of so many elements.
Result<Event> launchOver(ComputeDevice& device, const KernelCode& code, BufferId buffer, std::int64_t elements) {
  const muster_dim dim = {0, 1, elements};
  const ArrayArg array = {buffer, 0};
  KernelLaunch launch;
  launch.code = &code;
  launch.dims = {&dim, 1};
  launch.hi = elements;
  launch.arrays = {&array, 1};
  return device.launch(launch);
}

// increment() over zeros.
void expectIncrements(ComputeDevice& device) {
  constexpr std::int64_t elements = 1000;
  const std::vector<int> zeros(elements, 0);
  std::vector<int> result(elements, -1);
  const std::size_t bytes = elements * sizeof(int);
  const Result<BufferId> buffer = device.allocate(bytes);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  ASSERT_TRUE(device.write(*buffer, 0, zeros.data(), bytes).ok());
  const Result<Event> event = launchOver(device, increment(), *buffer, elements);
  ASSERT_TRUE(event.ok()) << event.status().message();
  ASSERT_TRUE(device.read(*buffer, 0, result.data(), bytes).ok());
  ASSERT_TRUE(device.finish().ok());
  EXPECT_EQ(result, std::vector<int>(elements, 1));
}

}  // namespace

// ---------------------------------------------------------------- cards

TEST_F(CudaBackend, CardOfAnotherKindThanNvrtcKnowsGetsCodeForAnOlderOne) {
  ask("capability=99");
  expectIncrements(*open());
}

TEST_F(CudaBackend, CardThatNvrtcMakesNoCodeForIsLeftOut) {
  ask("capability=70");
  const CudaInventory inventory = fakeCuda();
  EXPECT_TRUE(inventory.entries().empty());
  EXPECT_TRUE(inventory.lacksCompiler());
  EXPECT_EQ(inventory.problem(), "NVRTC 13.0 makes no code for its compute capability 7.0");
}

TEST_F(CudaBackend, SeveralCardsInOneProcess) {
  ask("devices=2");
  const auto a = open(0), b = open(1), again = open(0);
  for (ComputeDevice* device : {a.get(), b.get(), again.get(), a.get()}) expectIncrements(*device);
}

TEST_F(CudaBackend, GroupsShrinkToWhatAKernelRuns) {
  ask("threads=64");
  expectIncrements(*open());
}

TEST_F(CudaBackend, InjectedBuildFailureIsToldWithTheLog) {
  StreamOptions options;
  options.failBuilds = true;
  expectError(open(0, options)->prepare(increment()), Errc::buildFailed, "MUSTER_INJECT=build-failure");
}

// Which OpenCL's driver says of the kernel, and NVRTC of the text.
TEST_F(CudaBackend, KernelWithTooMuchMemoryForAGroupDoesNotBuild) {
  KernelCode code = makeCode("hoards", 1, nullptr);
  code.opencl = kernelText(code.name, 1, "__global int *y, long y_origin", "",
                           "__local int all[16384];\nall[get_local_id(0)] = (int)muster_lo_0;\n"
                           "barrier(CLK_LOCAL_MEM_FENCE);\ny[y_origin] = all[0];");
  code.arrays = {{"y", sizeof(int), true}};
  expectError(open()->prepare(code), Errc::buildFailed, "uses too much shared data");
}

// ---------------------------------------------------------------- what fails

TEST_F(CudaBackend, CardThatDoesNotStart) {
  ask("no-context");
  expectError(fakeCuda().open(0, {}).status(), Errc::outOfMemory, "Fake Card: cuDevicePrimaryCtxRetain");
}

TEST_F(CudaBackend, FullMemoryIsReportedWithWhatIsHeld) {
  ask("memory=1048576");
  const auto device = open();
  ASSERT_TRUE(device->allocate(600 << 10).ok());
  const Result<BufferId> second = device->allocate(400 << 10);
  ASSERT_TRUE(second.ok());
  expectError(device->allocate(100 << 10).status(), Errc::outOfMemory, "Muster holds 1024000 in 2 buffers");
  ASSERT_TRUE(device->release(*second).ok());
  EXPECT_TRUE(device->allocate(100 << 10).ok());
}

// Other programs have memory of the card, too.
TEST_F(CudaBackend, AllocationThatTheDriverRefusesIsOutOfMemory) {
  const auto device = open();
  ask("full");
  expectError(device->allocate(1000).status(), Errc::outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY (2)");
}

TEST_F(CudaBackend, LostCardIsReportedAndStaysLost) {
  const auto device = open();
  int value = 0;
  const Result<BufferId> buffer = device->allocate(4);
  ASSERT_TRUE(buffer.ok());
  const Result<Event> event = device->read(*buffer, 0, &value, 4);
  ASSERT_TRUE(event.ok());
  ask("lost");
  expectError(device->wait(*event), Errc::deviceLost, "CUDA_ERROR_LAUNCH_FAILED (719)");
  askNothing();
  expectError(device->finish(), Errc::deviceLost, "Fake Card");
  expectError(device->write(*buffer, 0, &value, 4).status(), Errc::deviceLost, "Fake Card");
}

// CUDA says of these that the process has to end.
TEST_F(CudaBackend, ErrorsThatEachCallGivesFromThenOnLoseTheCard) {
  for (const int error : {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    const auto device = open();
    int value = 0;
    const Result<BufferId> buffer = device->allocate(4);
    ASSERT_TRUE(buffer.ok());
    ask(("lost=" + std::to_string(error)).c_str());
    expectError(device->write(*buffer, 0, &value, 4).status(), Errc::deviceLost, "(" + std::to_string(error) + ")");
    askNothing();
  }
}

TEST_F(CudaBackend, KernelThatStoresBehindItsArrayLosesTheCard) {
  const auto device = open();
  const Result<BufferId> buffer = device->allocate(1000);
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(launchOver(*device, increment(), *buffer, 260).ok());
  expectError(device->finish(), Errc::deviceLost, "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
}

TEST_F(CudaBackend, LaunchThatTheDriverRefuses) {
  const auto device = open();
  const Result<BufferId> buffer = device->allocate(1000);
  ASSERT_TRUE(buffer.ok());
  ask("refuses-kernels");
  expectError(launchOver(*device, increment(), *buffer, 250).status(), Errc::deviceLost,
              "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)");
}

TEST_F(CudaBackend, RefusedTransferGivesItsSlotBack) {
  const auto device = open();
  const Result<BufferId> buffer = device->allocate(4);
  ASSERT_TRUE(buffer.ok());
  int value = 7, back = 0;
  ask("refuses-writes");
  for (int i = 0; i < 200; ++i)  // more than there are slots
    expectError(device->write(*buffer, 0, &value, 4).status(), Errc::deviceLost, "write of 4 bytes");
  askNothing();
  ASSERT_TRUE(device->write(*buffer, 0, &value, 4).ok());
  ASSERT_TRUE(device->read(*buffer, 0, &back, 4).ok());
  ASSERT_TRUE(device->finish().ok());
  EXPECT_EQ(back, 7);
}

// ---------------------------------------------------------------- page-locked memory

TEST_F(CudaBackend, MemoryOfTheCallerMayBePageLockedForSeveralCards) {
  ask("devices=2");
  const CudaInventory inventory = fakeCuda();
  const Result<std::unique_ptr<ComputeDevice>> first = inventory.open(0, {}), second = inventory.open(1, {});
  ASSERT_TRUE(first.ok() && second.ok());
  ComputeDevice &a = **first, &b = **second;
  std::vector<std::byte> memory(100000, std::byte{5}), back(memory.size());
  Result<PinnedMemory> forA = a.pin(memory), forB = b.pin(memory);
  ASSERT_TRUE(forA.ok()) << forA.status().message();
  ASSERT_TRUE(forB.ok()) << forB.status().message();
  const Result<PinnedMemory> part = b.pin(std::span(memory).subspan(1000, 2000));
  EXPECT_TRUE(part.ok()) << part.status().message();
  forA->reset();
  const Result<BufferId> buffer = b.allocate(memory.size());
  ASSERT_TRUE(b.write(*buffer, 0, memory.data(), memory.size()).ok());
  ASSERT_TRUE(b.read(*buffer, 0, back.data(), back.size()).ok());
  ASSERT_TRUE(b.finish().ok());
  EXPECT_EQ(back, memory);
}

}  // namespace muster::cdm::test
