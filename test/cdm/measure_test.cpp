// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The micro benchmark and its cache.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "backends/cpu/cpu_device.h"
#include "backends/opencl/inventory.h"
#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/device_manager.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

namespace fs = std::filesystem;

Measured measured(ComputeDevice& device, const fs::path& cache) {
  const Result<Measured> result = measure(device, cache);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : Measured();
}

fs::path onlyFileIn(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u);
  return files.empty() ? fs::path() : files[0];
}

}  // namespace

TEST(Measure, NumbersArePlausible) {
  const auto device = makeCpuDevice(2);
  const Measured result = measured(*device, "");
  EXPECT_FALSE(result.fromCache);
  EXPECT_GT(result.speed, 1e6);
  EXPECT_LT(result.speed, 1e13);
  EXPECT_GT(result.bytesPerSecond, 1e8);
  EXPECT_GT(result.latencySeconds, 0);
  EXPECT_LT(result.latencySeconds, 0.1);
}

TEST(Measure, BenchmarkKernelsAgree) {
  const OpenClInventory inventory("libOpenCL.so.1");
  if (inventory.entries().empty()) GTEST_SKIP() << "no OpenCL here: " << inventory.problem();
  const auto run = [](ComputeDevice& device) {
    const std::int64_t width = 67;
    std::vector<float> u(67 * 33), v(u.size(), 5.0f);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<float>(i % 13) / 7.0f;
    const Result<BufferId> a = device.allocate(u.size() * 4), b = device.allocate(u.size() * 4);
    EXPECT_TRUE(device.write(*a, 0, u.data(), u.size() * 4).ok());
    EXPECT_TRUE(device.write(*b, 0, v.data(), v.size() * 4).ok());
    EXPECT_TRUE(device.finish().ok());
    const muster_dim dim = {width, 1, 67 * 31};
    const ArrayArg arrays[] = {{*a, 0}, {*b, 0}};
    const void* scalars[] = {&width};
    KernelLaunch launch;
    launch.code = &benchmarkKernel();
    launch.dims = {&dim, 1};
    launch.hi = dim.count;
    launch.arrays = arrays;
    launch.scalars = scalars;
    EXPECT_TRUE(device.launch(launch).ok());
    EXPECT_TRUE(device.read(*b, 0, v.data(), v.size() * 4).ok());
    EXPECT_TRUE(device.finish().ok());
    return v;
  };
  const auto cpu = makeCpuDevice(2);
  auto opencl = inventory.open(0, {});
  ASSERT_TRUE(opencl.ok());
  EXPECT_EQ(run(**opencl), run(*cpu));
}

TEST(Measure, ResultIsCachedPerDeviceAndThreadCount) {
  const TestDirectory cache;
  const auto device = makeCpuDevice(2);
  const Measured first = measured(*device, cache.path());
  const Measured second = measured(*device, cache.path());
  EXPECT_FALSE(first.fromCache);
  EXPECT_TRUE(second.fromCache);
  EXPECT_EQ(second.speed, first.speed);
  EXPECT_EQ(second.bytesPerSecond, first.bytesPerSecond);
  EXPECT_EQ(second.latencySeconds, first.latencySeconds);
  EXPECT_FALSE(measured(*makeCpuDevice(3), cache.path()).fromCache);
}

TEST(Measure, CorruptEntryIsMeasuredAgainAndReplaced) {
  const TestDirectory cache;
  const auto device = makeCpuDevice(2);
  measured(*device, cache.path());
  const fs::path file = onlyFileIn(cache.path());
  std::ifstream in(file);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& bad :
       {std::string("{"), std::string(""), std::string("[]"), with("units", "onions"),
        with("\"updatesPerSecond\": ", "\"updatesPerSecond\": -"), with("\"latencySeconds\": ", "\"latency\": ")}) {
    std::ofstream(file) << bad;
    EXPECT_FALSE(measured(*device, cache.path()).fromCache) << bad;
    EXPECT_TRUE(measured(*device, cache.path()).fromCache) << bad;
  }
}

TEST(Measure, NoBufferIsLeftBehind) {
  const OpenClInventory inventory(FAKE_OPENCL_LIBRARY);
  auto device = inventory.open(0, {});
  ASSERT_TRUE(device.ok());
  // It has one MiB, so the benchmark does not fit, and it cannot build either.
  const Result<Measured> result = measure(**device, "");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("micro benchmark"), std::string::npos) << result.status().message();
  EXPECT_TRUE((*device)->allocate(600 << 10).ok());
}

}  // namespace muster::cdm::test
