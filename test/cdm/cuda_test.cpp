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

}  // namespace muster::cdm::test
