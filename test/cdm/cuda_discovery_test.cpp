// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// discoverDevices where there is CUDA: the stand-in's cards, beside the fake OpenCL's, which has the same ones and
// another.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fake_cuda.h"
#include "muster/cdm/device_manager.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

using Names = std::vector<std::string>;

// "cuda:0" as the user says it.
Names selectorsOf(const Discovery& discovery) {
  Names names;
  for (const auto& device : discovery.devices) names.push_back(device->info().selector);
  return names;
}

std::string reasonFor(const Discovery& discovery, const std::string& device) {
  for (const LeftOut& entry : discovery.leftOut)
    if (entry.device.starts_with(device)) return entry.reason;
  return "";
}

class CudaDiscovery : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaInventory present = fakeCuda(); present.entries().empty()) GTEST_SKIP() << present.problem();
    options_.openclLibrary = FAKE_OPENCL_LIBRARY;
    options_.cudaLibrary = FAKE_CUDA_LIBRARY;
    options_.nvrtcLibraries = {FAKE_CUDA_LIBRARY};
    options_.warn = [this](const std::string& text) { warnings_.push_back(text); };
  }

  Discovery discover(const std::string& selection = "") {
    options_.selection = selection;
    Result<Discovery> found = discoverDevices(options_);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found ? std::move(*found) : Discovery();
  }

  DiscoveryOptions options_;
  Names warnings_;
};

}  // namespace

TEST_F(CudaDiscovery, CardOfBothBackendsIsTakenOnceByCuda) {
  const ScopedVariable cards("FAKE_CUDA", "devices=2");
  const Discovery found = discover();
  EXPECT_EQ(selectorsOf(found), (Names{"cpu", "cuda:0", "cuda:1", "opencl:3"}));
  EXPECT_EQ(reasonFor(found, "opencl:0"), "is the same hardware (pci:0000:01:00) as cuda:0 (Fake Card, gpu)");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CudaDiscovery, ListsWhatTheDriverSays) {
  const ScopedVariable words("FAKE_CUDA", "driver=12040 nvrtc=12030 memory=5000000");
  const Discovery found = discover("cuda");
  ASSERT_EQ(found.devices.size(), 1u);
  const DeviceInfo& card = found.devices[0]->info();
  EXPECT_EQ(card.name, "Fake Card");
  EXPECT_EQ(card.driver, "CUDA 12.4 / NVRTC 12.3");
  EXPECT_EQ(card.backend, "cuda");
  EXPECT_EQ(card.kind, DeviceKind::gpu);
  EXPECT_EQ(card.memoryBytes, 5000000u);
  EXPECT_EQ(card.computeUnits, 4u);
  EXPECT_EQ(card.hardwareId, "pci:0000:01:00");
}

TEST_F(CudaDiscovery, SelectorsNameCards) {
  const ScopedVariable cards("FAKE_CUDA", "devices=2");
  EXPECT_EQ(selectorsOf(discover("cuda:1")), Names{"cuda:1"});
  EXPECT_EQ(selectorsOf(discover("cuda")), (Names{"cuda:0", "cuda:1"}));
  EXPECT_EQ(selectorsOf(discover("gpu")), (Names{"cuda:0", "cuda:1", "opencl:3"}));
  EXPECT_EQ(selectorsOf(discover("opencl:0")), Names{"opencl:0"});
  options_.selection = "cuda:2";
  EXPECT_EQ(discoverDevices(options_).status().code(), Errc::notFound);
}

TEST_F(CudaDiscovery, RanksShareTheCards) {
  const ScopedVariable cards("FAKE_CUDA", "devices=2");
  options_.size = options_.localSize = 2;
  options_.rank = options_.localRank = 1;
  EXPECT_EQ(selectorsOf(discover("gpu")), Names{"cuda:1"});
}

TEST_F(CudaDiscovery, WithoutNvrtcOpenClIsTakenAndToldOnce) {
  options_.nvrtcLibraries = {"libNoSuchNvrtc.so.13"};
  const Discovery found = discover();
  EXPECT_EQ(selectorsOf(found), (Names{"cpu", "opencl:0", "opencl:1", "opencl:3"}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("are used by OpenCL: NVRTC"), std::string::npos) << warnings_[0];
  EXPECT_NE(warnings_[0].find("libNoSuchNvrtc.so.13"), std::string::npos) << warnings_[0];
  options_.localSize = options_.size = 2;
  options_.localRank = options_.rank = 1;
  (void)discover();
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(CudaDiscovery, NvrtcIsTheFirstThatThereIs) {
  options_.nvrtcLibraries = {"libNoSuchNvrtc.so.13", FAKE_CUDA_LIBRARY};
  EXPECT_EQ(selectorsOf(discover("cuda")), Names{"cuda:0"});
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CudaDiscovery, CardsOfNoNvrtcAreOpenCls) {
  const ScopedVariable old("FAKE_CUDA", "capability=70");
  EXPECT_EQ(selectorsOf(discover()), (Names{"cpu", "opencl:0", "opencl:1", "opencl:3"}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("no code for its compute capability 7.0"), std::string::npos) << warnings_[0];
}

TEST_F(CudaDiscovery, DriverWithoutADevice) {
  const ScopedVariable none("FAKE_CUDA", "no-device");
  const Discovery found = discover();
  EXPECT_EQ(selectorsOf(found), (Names{"cpu", "opencl:0", "opencl:1", "opencl:3"}));
  EXPECT_NE(reasonFor(found, "CUDA").find("CUDA_ERROR_NO_DEVICE (100)"), std::string::npos) << reasonFor(found, "CUDA");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CudaDiscovery, CardThatDoesNotStartIsLeftOutUnlessNamed) {
  const ScopedVariable fault("FAKE_CUDA", "no-context");
  EXPECT_NE(reasonFor(discover(), "Fake Card").find("cuDevicePrimaryCtxRetain"), std::string::npos);
  options_.selection = "cuda";
  const Status named = discoverDevices(options_).status();
  EXPECT_NE(named.message().find("MUSTER_DEVICES asks for a device that does not start"), std::string::npos)
      << named.message();
}

}  // namespace muster::cdm::test
