// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooms in a card's memory that another process opens, on the stand-in for CUDA, which also lets this process do so:
// what a signal stands for is there only some time after the other side heard of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "conformance.h"
#include "fake_cuda.h"
#include "muster/cdm/host.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

constexpr std::size_t roomBytes = 4096, rooms = 3, bufferBytes = 5 * roomBytes;

void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

class Rooms : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaInventory present = fakeCuda(); present.entries().empty()) GTEST_SKIP() << present.problem();
  }
  void open(const char* words) {
    words_.reset();
    words_ = std::make_unique<ScopedVariable>("FAKE_CUDA", words);
    const CudaInventory inventory = fakeCuda();
    for (std::size_t d = 0; d < 2; ++d) {
      Result<std::unique_ptr<ComputeDevice>> device = inventory.open(d, {});
      ASSERT_TRUE(device.ok()) << device.status().message();
      devices_[d] = std::move(*device);
    }
  }
  void share() {
    Result<DeviceRooms> made = from().makeRooms(roomBytes, rooms);
    ASSERT_TRUE(made.ok()) << made.status().message();
    Result<DeviceRooms> opened = to().openRooms(made->offer);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    EXPECT_EQ(opened->count, rooms);
    EXPECT_EQ(opened->roomBytes, roomBytes);
    EXPECT_TRUE(opened->offer.empty());
    made_ = std::move(*made);
    opened_ = std::move(*opened);
  }
  ComputeDevice& from() { return *devices_[0]; }
  ComputeDevice& to() { return *devices_[1]; }

  // Rows of a buffer, close together in the room.
  void send(std::size_t room, BufferId source, BufferId target, std::size_t offset, Rows rows) {
    const std::size_t at = room * roomBytes;
    expectOk(from().readRows(source, offset, made_.memory.get() + at, rows).status());
    expectOk(from().signalFilled(made_, room));
    expectOk(to().awaitFilled(opened_, room));
    expectOk(to().writeRows(target, offset, opened_.memory.get() + at, rows).status());
  }

  std::unique_ptr<ScopedVariable> words_;
  std::array<std::unique_ptr<ComputeDevice>, 2> devices_;
  DeviceRooms made_, opened_;
};

void fill(ComputeDevice& device, BufferId buffer, std::vector<std::byte>& values) {
  expectOk(device.write(buffer, 0, values.data(), values.size()).status());
  expectOk(device.finish());
}

TEST_F(Rooms, MessagesComeAfterTheirReads) {
  for (const char* words : {"devices=2 opens-own late-signals", "devices=2 opens-own late-signals shuffle=7"}) {
    SCOPED_TRACE(words);
    open(words);
    share();
    std::mt19937 random(5);
    std::vector<std::byte> sent(bufferBytes), expected(bufferBytes, std::byte{1}), got(bufferBytes);
    for (std::byte& byte : sent) byte = static_cast<std::byte>(random() % 251);
    const Result<BufferId> source = from().allocate(bufferBytes), target = to().allocate(bufferBytes);
    ASSERT_TRUE(source.ok() && target.ok());
    fill(from(), *source, sent);
    fill(to(), *target, expected);
    for (int message = 0; message < 12; ++message) {
      const std::size_t count = 1 + random() % 20, bytes = 1 + random() % 100, pitch = 128 + random() % 100;
      const std::size_t offset = random() % (bufferBytes - count * pitch);
      send(static_cast<std::size_t>(message) % rooms, *source, *target, offset, {bytes, count, pitch, bytes});
      for (std::size_t row = 0; row < count; ++row)
        for (std::size_t i = 0; i < bytes; ++i) expected[offset + row * pitch + i] = sent[offset + row * pitch + i];
      if (message % rooms == rooms - 1) expectOk(to().finish());  // the rooms come back
    }
    expectOk(to().read(*target, 0, got.data(), got.size()).status());
    expectOk(to().finish());
    EXPECT_EQ(got, expected);
    opened_ = made_ = {};
  }
}

// As pinnedMemory, but in the device: here the CPU sees it all the same.
TEST_F(Rooms, MessagesOfALibraryLieInADevice) {
  for (const char* words : {"devices=2", "devices=2 shuffle=5"}) {
    SCOPED_TRACE(words);
    open(words);
    std::vector<std::byte> sent(bufferBytes), got(bufferBytes);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i % 251);
    const Result<BufferId> source = from().allocate(bufferBytes), target = to().allocate(bufferBytes);
    ASSERT_TRUE(source.ok() && target.ok());
    fill(from(), *source, sent);
    Result<PinnedMemory> out = from().messageMemory(bufferBytes), in = to().messageMemory(bufferBytes);
    ASSERT_TRUE(out.ok() && in.ok());
    expectOk(from().read(*source, 100, out->get() + 7, bufferBytes - 100).status());
    expectOk(from().finish());
    std::memcpy(in->get(), out->get() + 7, bufferBytes - 100);  // the library's part
    expectOk(to().write(*target, 100, in->get(), bufferBytes - 100).status());
    expectOk(to().read(*target, 0, got.data(), got.size()).status());
    expectOk(to().finish());
    EXPECT_TRUE(std::equal(got.begin() + 100, got.end(), sent.begin() + 100));
  }
  open("devices=2 memory=100000");
  expectError(from().messageMemory(200000).status(), Errc::outOfMemory, "200000 bytes for messages");
}

TEST_F(Rooms, ThoseOfNoOtherProcessAreNotOpened) {
  open("devices=2");
  const Result<DeviceRooms> made = from().makeRooms(roomBytes, rooms);
  ASSERT_TRUE(made.ok()) << made.status().message();
  expectError(to().openRooms(made->offer).status(), Errc::internal,
              "Fake Card: another process's rooms: cuIpcOpenMemHandle: CUDA_ERROR_MAP_FAILED (205)");
  const std::vector<std::byte> half(made->offer.begin(), made->offer.begin() + 40);
  expectError(to().openRooms(half).status(), Errc::protocol, "too short");
  const std::vector<std::byte> most(made->offer.begin(), made->offer.end() - 64);
  expectError(to().openRooms(most).status(), Errc::protocol, "lacks events");
}

TEST_F(Rooms, NumbersBehindTheLastAreRefused) {
  open("devices=2 opens-own");
  share();
  expectError(from().signalFilled(made_, rooms), Errc::invalidArgument, "no room 3 of 3");
  expectError(to().awaitFilled(opened_, rooms), Errc::invalidArgument, "no room 3 of 3");
}

TEST_F(Rooms, FullMemoryIsReported) {
  open("devices=2 memory=8000");
  expectError(from().makeRooms(roomBytes, rooms).status(), Errc::outOfMemory, "3 rooms of 4096 bytes");
}

TEST(RoomsOfOthers, AreUnsupported) {
  const std::unique_ptr<ComputeDevice> device = makeHostMemory();
  EXPECT_FALSE(device->hasRooms());
  expectError(device->makeRooms(roomBytes, rooms).status(), Errc::unsupported, "shares no memory");
  expectError(device->openRooms({}).status(), Errc::unsupported, "shares no memory");
  expectError(device->awaitFilled({}, 0), Errc::unsupported, "shares no memory");
}

}  // namespace

}  // namespace muster::cdm::test
