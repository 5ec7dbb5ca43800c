// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of OpenCL before anything is loaded.
#include "backends/opencl/installed.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace muster::cdm::test {
namespace {

namespace fs = std::filesystem;

class Installed : public testing::Test {
 protected:
  Installed() : root_(fs::path(testing::TempDir()) / ("muster-installed-" + std::to_string(getpid()))) {
    for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES"})
      unsetenv(name);
    fs::create_directories(places().vendors);
    fs::create_directories(places().devices);
    add(places().devices / "null", "");
  }
  ~Installed() override { fs::remove_all(root_); }

  OpenClPlaces places() const { return {root_ / "vendors", root_ / "dev"}; }
  static void add(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

 private:
  fs::path root_;
};

TEST_F(Installed, PoclAloneHasOnlyCpus) {
  EXPECT_FALSE(hasOnlyCpus(places())) << "no driver: the loader says what is wrong";
  add(places().vendors / "pocl.icd", "libpocl.so.2.10.0\n");
  EXPECT_TRUE(hasOnlyCpus(places()));
  add(places().vendors / "own.icd", "/opt/pocl/lib/libpocl.so");
  EXPECT_TRUE(hasOnlyCpus(places()));
}

TEST_F(Installed, OtherDriversMayHaveMore) {
  add(places().vendors / "pocl.icd", "libpocl.so.2.10.0\n");
  add(places().vendors / "nvidia.icd", "libnvidia-opencl.so.1\n");
  EXPECT_FALSE(hasOnlyCpus(places()));
}

TEST_F(Installed, NvidiasCardsMayBeAllThatThereIs) {
  EXPECT_FALSE(hasOnlyCpusAndNvidias(places()));
  add(places().vendors / "nvidia.icd", "libnvidia-opencl.so.1\n");
  EXPECT_TRUE(hasOnlyCpusAndNvidias(places()));
  add(places().vendors / "pocl.icd", "libpocl.so.2.10.0\n");
  add(places().devices / "dri", "");
  EXPECT_TRUE(hasOnlyCpusAndNvidias(places())) << "NVIDIA's cards have such files, too";
  add(places().vendors / "rusticl.icd", "libRusticlOpenCL.so.1\n");
  EXPECT_FALSE(hasOnlyCpusAndNvidias(places()));
}

TEST_F(Installed, PoclMayServeGpus) {
  add(places().vendors / "pocl.icd", "libpocl.so.2.10.0\n");
  for (const char* device : {"nvidiactl", "kfd", "dri", "accel0", "mali0"}) {
    add(places().devices / device, "");
    EXPECT_FALSE(hasOnlyCpus(places())) << device;
    fs::remove(places().devices / device);
  }
  EXPECT_TRUE(hasOnlyCpus(places()));
}

TEST_F(Installed, VariablesMayNameMore) {
  add(places().vendors / "pocl.icd", "libpocl.so.2.10.0\n");
  for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES"}) {
    setenv(name, "x", 1);
    EXPECT_FALSE(hasOnlyCpus(places())) << name;
    unsetenv(name);
  }
}

}  // namespace
}  // namespace muster::cdm::test
