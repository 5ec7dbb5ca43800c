// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program binaries on disk: with a fake driver (fake/opencl.cpp), which gives its programs' texts as binaries, and none
// from POCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "kernel_parts.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/faults.h"
#include "stream/binary_cache.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

namespace fs = std::filesystem;

// The fake driver compiles what has its kernel's name.
KernelCode codeFor(const std::string& text) {
  KernelCode code = makeCode("fake_mix", 1, nullptr);
  code.opencl = text;
  return code;
}

// As a process of its own would: nothing is compiled yet.
Status prepare(const OpenClInventory& inventory, const StreamOptions& options, const KernelCode& code) {
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(0, options);
  return device ? (*device)->prepare(code) : device.status();
}

std::vector<fs::path> filesIn(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class KeptBinaries : public testing::Test {
 protected:
  KeptBinaries() : inventory_(FAKE_OPENCL_LIBRARY) { options_.cacheDirectory = cache_.path(); }

  void expectPrepared() {
    const Status status = prepare(inventory_, options_, code_);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // Compiles, and gives the only file that this leaves.
  fs::path keep() {
    expectPrepared();
    const std::vector<fs::path> files = filesIn(cache_.path());
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }

  TestDirectory cache_;
  OpenClInventory inventory_;
  StreamOptions options_;
  KernelCode code_ = codeFor("fake_mix");
};

}  // namespace

TEST_F(KeptBinaries, AreUsedInsteadOfTheCompiler) {
  const fs::path file = keep();
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const auto written = fs::last_write_time(file);
  const ScopedVariable fault("FAKE_OPENCL", "no-compiler");
  expectPrepared();
  EXPECT_EQ(fs::last_write_time(file), written);
  EXPECT_FALSE(prepare(inventory_, options_, codeFor("fake_mix changed")).ok());
}

TEST_F(KeptBinaries, AreNotUsedWhereABuildIsToFail) {
  keep();
  options_.failBuilds = true;
  // The fake driver compiles whatever has the name; that it was asked to is enough.
  const ScopedVariable fault("FAKE_OPENCL", "no-compiler");
  EXPECT_FALSE(prepare(inventory_, options_, code_).ok());
}

TEST_F(KeptBinaries, OnlyBuildsFromTheTextAreAnnounced) {
  std::vector<fs::path> builds;
  options_.built = [&](double seconds, const fs::path& keptIn) {
    EXPECT_GE(seconds, 0);
    builds.push_back(keptIn);
  };
  keep();
  EXPECT_EQ(builds, std::vector<fs::path>{cache_.path()});
  expectPrepared();
  EXPECT_EQ(builds.size(), 1u);
}

TEST_F(KeptBinaries, CorruptOneFallsBackToTheSourceAndIsReplaced) {
  const fs::path file = keep();
  const std::string good = contentOf(file);
  for (const std::string& bad : {std::string(), std::string("nonsense"), good.substr(0, good.size() / 2),
                                 good.substr(0, good.size() - 1) + char(good.back() ^ 1)}) {
    std::ofstream(file, std::ios::binary) << bad;
    expectPrepared();
    EXPECT_EQ(contentOf(file), good);
  }
}

TEST_F(KeptBinaries, OneThatTheDriverRefusesFallsBackToTheSource) {
  const fs::path file = keep();
  const std::string good = contentOf(file);
  // Sound by its checksum, but not a binary of this driver.
  const DeviceInfo& info = inventory_.entries()[0].info;
  const std::string key = info.name + "\n" + info.vendor + "\n" + info.driver +
                          "\n-w -cl-std=CL1.2 -DMUSTER_WG0=1 -DMUSTER_WG1=1 -DMUSTER_WG2=1 -DMUSTER_POINTS=1\n" +
                          code_.opencl;
  BinaryCache binaries(cache_.path(), "opencl", {});
  ASSERT_EQ(binaries.fileFor(key), file);
  binaries.store(key, "not a binary");
  expectPrepared();
  EXPECT_EQ(contentOf(file), good);
}

// Another process builds beside the program, which then finds what it needs.
TEST_F(KeptBinaries, AreOfTheFormForExpectedValues) {
  options_.kernels = KernelForms::first;
  code_.scalars = {{"n", ScalarType::i32, 4}};
  code_.schedule.points = 4;
  code_.schedule.n_constants = code_.schedule.n_counts = code_.schedule.n_blocks = 1;
  code_.schedule.counts[0][1] = 1;
  code_.schedule.most_counted = 9;
  code_.schedule.blocks[0] = {{4, 1, 1}, 1, 1, 0, {0}, 0, {0, 0}, 0, 0, 0};
  const DeviceInfo info = (*inventory_.open(0, {}))->info();
  BinaryCache binaries(cache_.path(), "opencl", {});
  const auto isKept = [&](const char* options) {
    return fs::exists(binaries.fileFor(info.name + "\n" + info.vendor + "\n" + info.driver +
                                       "\n-w -cl-std=CL1.2 -DMUSTER_WG0=1 -DMUSTER_WG1=1 -DMUSTER_WG2=1 " + options +
                                       "\n" + code_.opencl));
  };
  code_.expected = {{3, 0, 0, 0}};
  expectPrepared();
  EXPECT_TRUE(isKept("-DMUSTER_POINTS=4 -DMUSTER_VALUE_0=((int)(3L))"));
  code_.expected = {{40, 1, 0, 0}};
  expectPrepared();
  EXPECT_TRUE(isKept("-DMUSTER_POINTS=1 -DMUSTER_BLOCKS=1"));
  code_.expected = {{41, 1, 0, 0}};
  expectPrepared();
  EXPECT_TRUE(isKept("-DMUSTER_POINTS=1"));
}

TEST_F(KeptBinaries, AreOfWhatTheProgramLeavesOpen) {
  const DeviceInfo info = (*inventory_.open(0, {}))->info();
  BinaryCache binaries(cache_.path(), "opencl", {});
  const auto options = [&](const FloatRules& rules, const std::string& expected) {
    code_.floats = rules;
    expectPrepared();
    EXPECT_TRUE(fs::exists(binaries.fileFor(info.name + "\n" + info.vendor + "\n" + info.driver +
                                            "\n-w -cl-std=CL1.2 -DMUSTER_WG0=1 -DMUSTER_WG1=1 -DMUSTER_WG2=1 "
                                            "-DMUSTER_POINTS=1" +
                                            expected + "\n" + code_.opencl)))
        << expected;
  };
  options({.anyDenormals = true}, " -cl-denorms-are-zero");
  options({.anyFusing = true}, " -cl-mad-enable");
  options({.anyNan = true}, " -cl-finite-math-only");
  options({.anyOrder = true}, " -cl-no-signed-zeros");
  options({.anyDenormals = true, .anyFusing = true, .anyNan = true, .anyOrder = true, .anyDigits = true},
          " -cl-denorms-are-zero -cl-mad-enable -cl-finite-math-only -cl-no-signed-zeros "
          "-cl-unsafe-math-optimizations");
}

TEST_F(KeptBinaries, DriverThatGivesNoneKeepsNone) {
  const auto faults = std::make_shared<Faults>(std::vector<Fault>{{"clGetProgramInfo", 1, -1}}, 0);
  const Status status = prepare(OpenClInventory(FAKE_OPENCL_LIBRARY, faults), options_, code_);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(filesIn(cache_.path()).empty());
}

TEST_F(KeptBinaries, FolderThatCannotBeWrittenIsOneWarning) {
  std::vector<std::string> warnings;
  options_.cacheDirectory = "/no/such/directory";
  options_.warn = [&](const std::string& text) { warnings.push_back(text); };
  KernelCode other = codeFor("fake_mix again");
  other.id = code_.id + 1;
  const Result<std::unique_ptr<ComputeDevice>> device = inventory_.open(0, options_);
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->prepare(code_).ok());
  EXPECT_TRUE((*device)->prepare(other).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("/no/such/directory"), std::string::npos);
}

// POCL 3.1 crashes when it is asked for binaries while another process compiles the same kernel.
TEST_F(KeptBinaries, AreNotAskedOfPocl) {
  const OpenClInventory real("libOpenCL.so.1");
  const auto pocl = std::find_if(real.entries().begin(), real.entries().end(), [](const auto& e) { return e.pocl; });
  if (pocl == real.entries().end()) GTEST_SKIP() << "no POCL here: " << real.problem();
  const auto device = real.open(static_cast<std::size_t>(pocl - real.entries().begin()), options_);
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_TRUE((*device)->prepare(increment()).ok());
  EXPECT_TRUE(filesIn(cache_.path()).empty());
}

TEST(BinaryCache, EntryIsFoundByItsWholeKeyOnly) {
  const TestDirectory directory;
  BinaryCache cache(directory.path(), "opencl", {});
  cache.store("key", "binary");
  EXPECT_EQ(cache.load("key"), "binary");
  EXPECT_EQ(cache.load("other"), "");
  // A file under the wrong name is not believed.
  fs::rename(cache.fileFor("key"), cache.fileFor("other"));
  EXPECT_EQ(cache.load("other"), "");
}

TEST(BinaryCache, WithoutADirectoryNothingIsKept) {
  BinaryCache cache("", "opencl", {});
  cache.store("key", "binary");
  EXPECT_EQ(cache.load("key"), "");
}

}  // namespace muster::cdm::test
