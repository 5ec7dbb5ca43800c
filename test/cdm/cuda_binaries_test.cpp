// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binaries of NVRTC on disk, as other processes and other cards find them. The stand-in refuses to compile where asked
// to.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "conformance.h"
#include "fake_cuda.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

namespace fs = std::filesystem;

class CudaBinaries : public testing::Test {
 protected:
  CudaBinaries() { options_.cacheDirectory = cache_.path(); }
  void SetUp() override {
    if (const CudaInventory present = fakeCuda(); present.entries().empty()) GTEST_SKIP() << present.problem();
  }

  // As a process of its own would: nothing is compiled yet.
  Status prepare(const KernelCode& code = increment(), std::size_t card = 0,
                 const std::shared_ptr<Faults>& faults = nullptr) {
    const Result<std::unique_ptr<ComputeDevice>> device = fakeCuda(faults).open(card, options_);
    return device ? (*device)->prepare(code) : device.status();
  }
  // The same, where nothing can be compiled.
  Status find(const std::string& words = "", const KernelCode& code = increment(), std::size_t card = 0) {
    const ScopedVariable fault("FAKE_CUDA", ("no-compiler " + words).c_str());
    return prepare(code, card);
  }
  [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(cache_.path()), {}); }

  TestDirectory cache_;
  StreamOptions options_;
};

}  // namespace

TEST_F(CudaBinaries, AreUsedInsteadOfTheCompiler) {
  expectError(find(), Errc::buildFailed, "NVRTC_ERROR_OUT_OF_MEMORY (1)");
  ASSERT_TRUE(prepare().ok());
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(find().ok());
  EXPECT_FALSE(find("", nativeOnly()).ok());
  EXPECT_FALSE(find("", window()).ok());
}

TEST_F(CudaBinaries, AreThoseOfAnotherCardOfTheKind) {
  ASSERT_TRUE(prepare().ok());
  EXPECT_TRUE(find("devices=2", increment(), 1).ok());
}

TEST_F(CudaBinaries, AreMadeAnewForWhatTheyDependOn) {
  std::ptrdiff_t kept = 0;
  for (const char* words : {"", "nvrtc=13010", "driver=13010", "capability=80", "capability=99", "capability=98"}) {
    EXPECT_FALSE(find(words).ok()) << words;
    const ScopedVariable other("FAKE_CUDA", words);
    EXPECT_TRUE(prepare().ok()) << words;
    EXPECT_EQ(files(), ++kept) << words;
    EXPECT_TRUE(find(words).ok()) << words;
  }
}

TEST_F(CudaBinaries, OneThatTheDriverRefusesIsMadeAnew) {
  ASSERT_TRUE(prepare().ok());
  const auto refuses = std::make_shared<Faults>(std::vector<Fault>{{"cuModuleLoadData", 1, -1}}, 0);
  const Status status = prepare(increment(), 0, refuses);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(find().ok());
}

TEST_F(CudaBinaries, OneThatTheDriverRefusesAtOnceIsAnError) {
  const auto refuses = std::make_shared<Faults>(std::vector<Fault>{{"cuModuleLoadData", 1, -1}}, 0);
  expectError(prepare(increment(), 0, refuses), Errc::deviceLost, "cuModuleLoadData: CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_EQ(files(), 0);
}

}  // namespace muster::cdm::test
