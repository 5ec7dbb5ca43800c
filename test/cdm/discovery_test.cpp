// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// discoverDevices on this host, without OpenCL, and with a library of faulty GPUs (fake/opencl.cpp).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "muster/cdm/device_manager.h"
#include "muster/cdm/host.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

DiscoveryOptions fakeOptions(const std::string& selection = "") {
  DiscoveryOptions options;
  options.selection = selection;
  options.openclLibrary = FAKE_OPENCL_LIBRARY;
  options.cudaLibrary = "libNoSuchCuda.so.1";
  return options;
}

std::vector<std::string> namesOf(const Discovery& discovery) {
  std::vector<std::string> names;
  for (const auto& device : discovery.devices)
    names.push_back(device->info().backend == "cpu" ? "cpu" : device->info().name);
  return names;
}

bool leftOut(const Discovery& discovery, const std::string& device, const std::string& reason) {
  for (const LeftOut& entry : discovery.leftOut)
    if (entry.device.find(device) != std::string::npos && entry.reason.find(reason) != std::string::npos) return true;
  return false;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Discovery, CpuComesFirstWithItsShareOfTheThreads) {
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok()) << discovery.status().message();
  const DeviceInfo& cpu = discovery->devices.at(0)->info();
  EXPECT_EQ(cpu.backend, "cpu");
  EXPECT_TRUE(cpu.hostAddressable);
  EXPECT_EQ(cpu.computeUnits, cpuThreadShare(0, 1));
  EXPECT_EQ(cpu.selector, "cpu");
}

TEST(Discovery, CardListedTwiceIsTakenOnce) {
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), (Names{"cpu", "Fake GPU 1", "Fake GPU 2", "Fake GPU 3"}));
  EXPECT_TRUE(leftOut(*discovery, "opencl:2 (Fake GPU 1", "pci:0000:01:00"));
}

TEST(Discovery, SelectorNamesTheDevice) {
  const Result<Discovery> everything = discoverDevices(fakeOptions());
  ASSERT_TRUE(everything.ok());
  for (const auto& device : everything->devices) {
    const Result<Discovery> one = discoverDevices(fakeOptions(device->info().selector));
    ASSERT_TRUE(one.ok()) << one.status().message();
    EXPECT_EQ(one->devices.size(), 1u);
    EXPECT_EQ(one->devices.at(0)->info().name, device->info().name);
  }
}

TEST(Discovery, LocalRanksShareTheGpus) {
  DiscoveryOptions options = fakeOptions("gpu");
  options.rank = 3;
  options.size = 4;
  options.localRank = 1;
  options.localSize = 2;
  const Result<Discovery> discovery = discoverDevices(options);
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), (Names{"Fake GPU 2"}));
}

// Where the other rank sees other GPUs, or none, all that this one sees are its own.
TEST(Discovery, RanksThatSeeOtherGpusShareNothing) {
  for (const auto& [theirs, shares] :
       {std::pair("pci:other,", false), std::pair("none", false),
        std::pair("pci:0000:01:00,pci:0000:02:00,pci:0000:01:00,pci:0000:03:00,", true)}) {
    const std::string launch = "discovery " + std::to_string(getpid()) + theirs;
    const pid_t other = fork();
    if (other == 0) {
      HostPeers peers({0, 2, 0, 2}, launch);
      (void)peers.amongThoseWith(theirs, std::chrono::minutes(1));
      pause();
    }
    HostPeers peers({1, 2, 1, 2}, launch);
    DiscoveryOptions options = fakeOptions();
    options.rank = options.localRank = 1;
    options.size = options.localSize = 2;
    options.peers = &peers;
    options.patience = std::chrono::minutes(1);
    const Result<Discovery> discovery = discoverDevices(options);
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    ASSERT_TRUE(discovery.ok());
    EXPECT_EQ(namesOf(*discovery),
              shares ? (Names{"cpu", "Fake GPU 2"}) : (Names{"cpu", "Fake GPU 1", "Fake GPU 2", "Fake GPU 3"}))
        << theirs;
    EXPECT_EQ(discovery->gpusOfOwn.size(), shares ? 1u : 3u);
  }
}

TEST(Discovery, PlatformThatFailsIsLeftOut) {
  const ScopedVariable fault("FAKE_OPENCL", "second-platform-fails");
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), (Names{"cpu", "Fake GPU 1", "Fake GPU 2"}));
  EXPECT_TRUE(leftOut(*discovery, "Fake Two", "CL_OUT_OF_HOST_MEMORY"));
}

TEST(Discovery, DeviceThatIsNotAvailableIsLeftOut) {
  const ScopedVariable fault("FAKE_OPENCL", "bus-3-unavailable");
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), (Names{"cpu", "Fake GPU 1", "Fake GPU 2"}));
  EXPECT_TRUE(leftOut(*discovery, "Fake GPU 3", "not available"));
}

TEST(Discovery, PlatformsWithoutDevices) {
  const ScopedVariable fault("FAKE_OPENCL", "no-devices");
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), Names{"cpu"});
  EXPECT_TRUE(leftOut(*discovery, "OpenCL", "no OpenCL platform"));
  EXPECT_EQ(discoverDevices(fakeOptions("opencl")).status().code(), Errc::notFound);
}

TEST(Discovery, DeviceThatDoesNotStartIsLeftOutUnlessNamed) {
  const ScopedVariable fault("FAKE_OPENCL", "no-context");
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), Names{"cpu"});
  EXPECT_TRUE(leftOut(*discovery, "Fake GPU 1", "clCreateContext"));
  const Status named = discoverDevices(fakeOptions("cpu,gpu")).status();
  EXPECT_EQ(named.code(), Errc::deviceLost);
  EXPECT_NE(named.message().find("MUSTER_DEVICES"), std::string::npos) << named.message();
}

TEST(Discovery, WithoutAnIcdLoader) {
  DiscoveryOptions options = fakeOptions();
  options.openclLibrary = "libNoSuchOpenCL.so.1";
  const Result<Discovery> discovery = discoverDevices(options);
  ASSERT_TRUE(discovery.ok());
  EXPECT_EQ(namesOf(*discovery), Names{"cpu"});
  EXPECT_TRUE(leftOut(*discovery, "OpenCL", "libNoSuchOpenCL.so.1"));
  options.selection = "opencl:0";
  const Status named = discoverDevices(options).status();
  EXPECT_EQ(named.code(), Errc::notFound);
  EXPECT_NE(named.message().find("libNoSuchOpenCL.so.1"), std::string::npos) << named.message();
}

TEST(Discovery, WithoutACudaDriver) {
  const Result<Discovery> discovery = discoverDevices(fakeOptions());
  ASSERT_TRUE(discovery.ok());
  EXPECT_TRUE(leftOut(*discovery, "CUDA", "libNoSuchCuda.so.1"));
  const Status named = discoverDevices(fakeOptions("cuda")).status();
  EXPECT_EQ(named.code(), Errc::notFound);
  EXPECT_NE(named.message().find("libNoSuchCuda.so.1"), std::string::npos) << named.message();
}

TEST(Discovery, LibrariesThatAreNotWhatTheyShouldBe) {
  DiscoveryOptions options = fakeOptions();
  options.cudaLibrary = "libm.so.6";
  options.openclLibrary = "libm.so.6";
  const Result<Discovery> discovery = discoverDevices(options);
  ASSERT_TRUE(discovery.ok());
  EXPECT_TRUE(leftOut(*discovery, "OpenCL", "has no function cl"));
  EXPECT_TRUE(leftOut(*discovery, "CUDA", "has no function cu"));
}

// The loader reads its list of drivers once per process, so this needs a process of its own.
TEST(DiscoveryDeathTest, IcdThatDoesNotLoad) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    const TestDirectory vendors;
    std::ofstream(vendors.path() / "broken.icd") << "/no/such/driver.so\n";
    const ScopedVariable list("OCL_ICD_VENDORS", (vendors.path().string() + "/").c_str());
    const Result<Discovery> discovery = discoverDevices({});
    DiscoveryOptions named;
    named.selection = "opencl";
    const bool right = discovery.ok() && namesOf(*discovery) == Names{"cpu"} &&
                       leftOut(*discovery, "OpenCL", "no OpenCL platform") &&
                       discoverDevices(named).status().code() == Errc::notFound;
    return right ? 0 : 1;
  };
  EXPECT_EXIT(std::exit(run()), testing::ExitedWithCode(0), "");
}

TEST(Discovery, MalformedSelection) {
  EXPECT_EQ(discoverDevices(fakeOptions("cpu;gpu")).status().code(), Errc::invalidArgument);
}

TEST(Discovery, EntryForARankThatIsNotThereIsWarnedAboutOnce) {
  DiscoveryOptions options = fakeOptions("0=cpu;7=gpu");
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  ASSERT_TRUE(discoverDevices(options).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("no rank 7"), std::string::npos);
}

}  // namespace muster::cdm::test
