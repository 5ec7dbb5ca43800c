// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is special about a device of another rank: errors that travel, data larger than one call, calls under way.
#include <numeric>

#include "backends/cpu/cpu_device.h"
#include "backends/remote/protocol.h"
#include "conformance.h"
#include "remote_job.h"

namespace muster::cdm::test {
namespace {

class Remote : public testing::Test {
 protected:
  RemoteJob job_{3, 2, makeCpuDevice(2)};
  std::unique_ptr<ComputeDevice> device_ = job_.makeDevice();
};

TEST_F(Remote, SaysWhatItIs) {
  EXPECT_EQ(device_->info().backend, "remote");
  EXPECT_EQ(device_->info().name, job_.owned().info().name);
  EXPECT_FALSE(device_->info().hostAddressable);
}

TEST_F(Remote, LargeDataGoesInPieces) {
  std::vector<std::uint32_t> out(remote::maxDataBytes / 2 + 12345), in(out.size());
  std::iota(out.begin(), out.end(), 7u);
  const std::size_t bytes = out.size() * sizeof out[0];
  ASSERT_GT(bytes, remote::maxDataBytes);
  const Result<BufferId> buffer = device_->allocate(bytes + 8);
  ASSERT_TRUE(buffer.ok());
  const Result<Event> written = device_->write(*buffer, 8, out.data(), bytes);
  ASSERT_TRUE(written.ok()) << written.status().message();
  const Result<Event> read = device_->read(*buffer, 8, in.data(), bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(device_->finish().ok());
  EXPECT_TRUE(in == out);
}

TEST_F(Remote, ManyCallsMayBeUnderWay) {
  const Result<BufferId> buffer = device_->allocate(sizeof(int) * 1000);
  ASSERT_TRUE(buffer.ok());
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  Event last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Result<Event> event = device_->write(*buffer, i * sizeof(int), &values[i], sizeof(int));
    ASSERT_TRUE(event.ok());
    last = *event;
  }
  EXPECT_TRUE(device_->wait(last).ok());
  std::vector<int> back(1000);
  ASSERT_TRUE(device_->read(*buffer, 0, back.data(), back.size() * sizeof(int)).ok());
  EXPECT_EQ(back, values);
}

TEST_F(Remote, TwoDevicesOfOneRankDoNotMix) {
  // The same device under two handles: their calls interleave.
  const std::unique_ptr<ComputeDevice> other = job_.makeDevice();
  const Result<BufferId> a = device_->allocate(64), b = other->allocate(64);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(*a, *b);
}

TEST_F(Remote, ErrorsNameTheRank) {
  ComputeDevice& owned = job_.owned();
  const std::unique_ptr<ComputeDevice> missing = job_.makeDevice(1);
  expectError(missing->allocate(64).status(), Errc::notFound, "rank 2: there is no device 1");
  // A write's data is under way although the call fails; the next call must not meet it.
  const Result<BufferId> buffer = device_->allocate(64);
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(owned.release(*buffer).ok());  // behind the remote device's back
  const std::vector<int> values(16, 5);
  const Result<Event> written = device_->write(*buffer, 0, values.data(), 64);
  ASSERT_TRUE(written.ok());
  expectError(device_->finish(), Errc::invalidArgument, "rank 2");
  std::vector<int> back(16);
  expectError(device_->read(*buffer, 0, back.data(), 64).status(), Errc::invalidArgument, "rank 2");
  const Result<BufferId> fresh = device_->allocate(64);
  ASSERT_TRUE(fresh.ok()) << fresh.status().message();
  ASSERT_TRUE(device_->write(*fresh, 0, values.data(), 64).ok());
  ASSERT_TRUE(device_->read(*fresh, 0, back.data(), 64).ok());
  EXPECT_EQ(back, values);
}

TEST_F(Remote, UnknownKernelIsAnError) {
  KernelCode code = increment();
  code.id = 0xDEAD;
  expectError(device_->prepare(code), Errc::notFound, "kernel 57005 is not registered");
}

TEST_F(Remote, ResultsOfAnotherShapeAreAnError) {
  KernelCode code = lastIndex();  // the owner has the true one under this id
  code.results.clear();
  const Result<BufferId> buffer = device_->allocate(64);
  ASSERT_TRUE(buffer.ok());
  const std::int64_t width = 4;
  const muster_dim dims[] = {{0, 1, 4}, {0, 1, 4}};
  const ArrayArg arrays[] = {{*buffer, 0}};
  const void* scalars[] = {&width};
  const Result<Event> event = device_->launch({&code, dims, 0, 4, arrays, scalars, {}});
  expectError(event ? device_->wait(*event) : event.status(), Errc::invalidArgument, code.name);
}

// A transport that is fine, and a caller that cannot post: nothing may wait for a reply that never comes.
TEST_F(Remote, FailedPostIsReported) {
  const std::unique_ptr<ComputeDevice> device = makeRemoteDevice(
      job_.transport(), [](std::span<const std::byte>) { return Status(Errc::io, "posting failed"); }, 2, 0,
      job_.owned().info());
  expectError(device->allocate(8).status(), Errc::io, "posting failed");
}

TEST(RemoteServer, GarbageIsAProtocolError) {
  const auto transports = makeLoopbackTransports(2);
  const Bytes garbage(40, std::byte{0x5A});
  expectError(
      serveRemoteCall(*transports[1], {}, [](std::uint64_t) { return nullptr; }, garbage), Errc::protocol, "rank 1");
}

TEST(RemoteServer, CallsForOthersAreIgnored) {
  const auto transports = makeLoopbackTransports(2);
  remote::Call call;
  call.rank = 0;
  EXPECT_TRUE(serveRemoteCall(*transports[1], {}, [](std::uint64_t) { return nullptr; }, remote::encode(call)).ok());
}

}  // namespace
}  // namespace muster::cdm::test
