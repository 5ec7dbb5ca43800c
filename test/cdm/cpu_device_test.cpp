// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only the native CPU has: memory that costs nothing until it is touched.
#include "backends/cpu/cpu_device.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "conformance.h"

namespace muster::cdm::test {

namespace {

// Bytes of this process in memory.
std::size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr std::size_t gibi = std::size_t{1} << 30;

}  // namespace

TEST(CpuDevice, UntouchedMemoryCostsNothing) {
  const auto device = makeCpuDevice(1);
  const std::size_t before = residentBytes();
  // More than this machine has.
  const Result<BufferId> buffer = device->allocate(4 * device->info().memoryBytes);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  auto* bytes = static_cast<char*>(device->address(*buffer));
  std::memset(bytes + 3 * gibi, 1, 16 << 20);
  EXPECT_LT(residentBytes() - before, std::size_t{64} << 20);
  EXPECT_TRUE(device->release(*buffer).ok());
  EXPECT_LT(residentBytes() - before, std::size_t{16} << 20);
}

TEST(CpuDevice, NewMemoryReadsAsZero) {
  const auto device = makeCpuDevice(1);
  const Result<BufferId> buffer = device->allocate(1000);
  ASSERT_TRUE(buffer.ok());
  std::vector<char> bytes(1000, 1);
  ASSERT_TRUE(device->read(*buffer, 0, bytes.data(), 1000).ok());
  EXPECT_EQ(bytes, std::vector<char>(1000, 0));
}

TEST(CpuDevice, WrappedMemoryIsNotFreed) {
  std::vector<char> mine(5000, 3);
  {
    const auto device = makeCpuDevice(1);
    ASSERT_TRUE(device->wrap(mine.data(), mine.size()).ok());
  }
  EXPECT_EQ(mine, std::vector<char>(5000, 3));
}

TEST(CpuDevice, TransferToItsOwnAddressIsAllowed) {
  const auto device = makeCpuDevice(1);
  std::vector<int> mine = {1, 2, 3, 4};
  const Result<BufferId> buffer = device->wrap(mine.data(), 16);
  ASSERT_TRUE(buffer.ok());
  EXPECT_TRUE(device->write(*buffer, 0, mine.data(), 16).ok());
  EXPECT_TRUE(device->read(*buffer, 4, mine.data(), 12).ok());
  EXPECT_EQ(mine, (std::vector<int>{2, 3, 4, 4}));
}

TEST(CpuDevice, ChunkCarriesItsSize) {
  static std::uint32_t size;
  KernelCode code;
  code.native = [](const muster_chunk* chunk) { size = chunk->struct_size; };
  const auto device = makeCpuDevice(1);
  const muster_dim dim = {0, 1, 1};
  KernelLaunch launch;
  launch.code = &code;
  launch.dims = {&dim, 1};
  launch.hi = 1;
  ASSERT_TRUE(device->launch(launch).ok());
  EXPECT_EQ(size, sizeof(muster_chunk));
}

}  // namespace muster::cdm::test
