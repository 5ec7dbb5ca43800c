// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance: buffers, transfers, events.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "conformance.h"

namespace muster::cdm::test {

namespace {

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t seed = 1) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) value = seed = seed * 1664525u + 1013904223u;
  return values;
}

}  // namespace

TEST_P(Conformance, InfoIsFilledIn) {
  const DeviceInfo& info = device().info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.backend.empty());
  EXPECT_GT(info.memoryBytes, 0u);
  EXPECT_GT(info.maxAllocationBytes, 0u);
  EXPECT_GT(info.computeUnits, 0u);
}

TEST_P(Conformance, AllocateGivesDistinctHandles) {
  const BufferId a = allocate(100), b = allocate(100);
  EXPECT_NE(a, 0u);
  EXPECT_NE(b, 0u);
  EXPECT_NE(a, b);
}

TEST_P(Conformance, AllocateRefusesZeroBytes) {
  expectError(device().allocate(0).status(), Errc::invalidArgument, "0 bytes");
}

TEST_P(Conformance, AllocateTooMuchNamesTheSize) {
  const std::size_t bytes = std::size_t{1} << 60;
  expectError(device().allocate(bytes).status(), Errc::outOfMemory, std::to_string(bytes));
  // The device goes on.
  const BufferId buffer = bufferOf(numbers(10));
  EXPECT_EQ(contents<std::uint32_t>(buffer, 10), numbers(10));
}

TEST_P(Conformance, ReleasedBufferIsUnknown) {
  const BufferId buffer = allocate(64), other = allocate(64);
  expectOk(device().release(buffer));
  std::uint64_t word = 0;
  expectError(device().release(buffer), Errc::invalidArgument, "no buffer");
  expectError(device().write(buffer, 0, &word, 8).status(), Errc::invalidArgument, "no buffer");
  expectError(device().read(buffer, 0, &word, 8).status(), Errc::invalidArgument, "no buffer");
  expectError(device().copy(buffer, 0, other, 0, 8).status(), Errc::invalidArgument, "no buffer");
  expectError(device().copy(other, 0, buffer, 0, 8).status(), Errc::invalidArgument, "no buffer");
  expectError(device().fill(buffer, 0, std::byte{1}, 8).status(), Errc::invalidArgument, "no buffer");
  EXPECT_EQ(device().address(buffer), nullptr);
}

TEST_P(Conformance, ZeroIsNoBuffer) {
  int word = 0;
  expectError(device().write(0, 0, &word, 4).status(), Errc::invalidArgument, "no buffer 0");
  expectError(device().release(0), Errc::invalidArgument, "no buffer 0");
}

TEST_P(Conformance, WriteThenReadGivesTheSameBytes) {
  const std::vector<std::uint32_t> values = numbers(1000);
  const BufferId buffer = bufferOf(values);
  EXPECT_EQ(contents<std::uint32_t>(buffer, 1000), values);
}

TEST_P(Conformance, TransfersNeedNoAlignment) {
  const std::vector<std::uint8_t> values = {1, 2, 3, 4, 5, 6, 7};
  const BufferId buffer = bufferOf(std::vector<std::uint8_t>(64, 9));
  write(buffer, values, 13);
  std::vector<std::uint8_t> expected(64, 9);
  std::copy(values.begin(), values.end(), expected.begin() + 13);
  EXPECT_EQ(contents<std::uint8_t>(buffer, 64), expected);
  EXPECT_EQ(contents<std::uint8_t>(buffer, 7, 13), values);
}

// Short and long rows, more of them than a staging slot holds, in lines that rows begin in the middle of or go beyond.
TEST_P(Conformance, RowsGoToTheirPlaces) {
  struct Case {
    Rows rows;
    std::size_t offset;
  };
  for (const auto& [rows, offset] :
       {Case{{8, 300, 64, 8}, 24}, Case{{8, 300, 64, 96}, 60}, Case{{1, 2, 1, 3}, 0}, Case{{700, 1000, 1000, 701}, 999},
        Case{{70000, 3, 80000, 70000}, 5}, Case{{16, 1, 0, 0}, 3}, Case{{48, 50, 48, 48}, 7}}) {
    const std::size_t bytes = offset + (rows.count - 1) * rows.pitch + rows.bytes;  // the last line is not whole
    const std::size_t hostBytes = rows.count * std::max(rows.hostPitch, rows.bytes);
    std::vector<std::uint8_t> there(bytes), here(hostBytes), read(hostBytes, 7), expected(hostBytes, 7);
    for (std::size_t i = 0; i < bytes; ++i) there[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    for (std::size_t i = 0; i < hostBytes; ++i) here[i] = static_cast<std::uint8_t>(i * 13 + i / 241);
    const BufferId buffer = bufferOf(there);
    for (std::size_t r = 0; r < rows.count; ++r)
      std::copy_n(&there[offset + r * rows.pitch], rows.bytes, &expected[r * rows.hostPitch]);
    const Result<Event> readEvent = device().readRows(buffer, offset, read.data(), rows);
    expectOk(readEvent.status());
    expectOk(device().wait(*readEvent));
    EXPECT_EQ(read, expected) << rows.bytes << " bytes, read";
    expectOk(device().writeRows(buffer, offset, here.data(), rows).status());
    for (std::size_t r = 0; r < rows.count; ++r)
      std::copy_n(&here[r * rows.hostPitch], rows.bytes, &there[offset + r * rows.pitch]);
    EXPECT_EQ(contents<std::uint8_t>(buffer, bytes), there) << rows.bytes << " bytes, written";
  }
}

TEST_P(Conformance, RowsAreChecked) {
  const BufferId buffer = allocate(100);
  std::vector<std::byte> host(200);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  expectError(device().writeRows(buffer, 0, host.data(), {8, 4, 31, 8}).status(), Errc::invalidArgument, "do not fit");
  expectError(device().readRows(buffer, 1, host.data(), {8, 4, 31, 8}).status(), Errc::invalidArgument, "do not fit");
  expectError(device().readRows(buffer, 0, host.data(), {8, huge, 16, 8}).status(), Errc::invalidArgument,
              "do not fit");
  expectError(device().readRows(buffer, 0, host.data(), {8, 2, 7, 8}).status(), Errc::invalidArgument, "overlap");
  expectError(device().writeRows(buffer, 0, host.data(), {8, 2, 8, 7}).status(), Errc::invalidArgument, "overlap");
  expectError(device().writeRows(buffer, 0, nullptr, {8, 2, 8, 8}).status(), Errc::invalidArgument, "null");
  expectError(device().writeRows(0, 0, host.data(), {8, 2, 8, 8}).status(), Errc::invalidArgument, "no buffer");
  expectOk(device().readRows(buffer, 100, nullptr, {0, 4, 8, 8}).status());
  expectOk(device().writeRows(buffer, 100, nullptr, {8, 0, 8, 8}).status());
}

TEST_P(Conformance, TransfersOfNothingSucceed) {
  const BufferId buffer = allocate(8);
  expectOk(device().write(buffer, 8, nullptr, 0).status());
  expectOk(device().read(buffer, 0, nullptr, 0).status());
  expectOk(device().copy(buffer, 8, buffer, 8, 0).status());
  expectOk(device().fill(buffer, 8, std::byte{1}, 0).status());
}

TEST_P(Conformance, NullPointersAreRefused) {
  const BufferId buffer = allocate(8);
  expectError(device().write(buffer, 0, nullptr, 8).status(), Errc::invalidArgument, "null");
  expectError(device().read(buffer, 0, nullptr, 8).status(), Errc::invalidArgument, "null");
}

TEST_P(Conformance, RangesAreChecked) {
  const BufferId buffer = allocate(100), other = allocate(50);
  std::vector<std::byte> host(200);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  expectError(device().write(buffer, 0, host.data(), 101).status(), Errc::invalidArgument, "100 bytes");
  expectError(device().write(buffer, 101, host.data(), 0).status(), Errc::invalidArgument, "offset 101");
  expectError(device().write(buffer, 8, host.data(), huge).status(), Errc::invalidArgument, "do not fit");
  expectError(device().read(buffer, 99, host.data(), 2).status(), Errc::invalidArgument, "offset 99");
  expectError(device().read(buffer, huge, host.data(), 2).status(), Errc::invalidArgument, "do not fit");
  expectError(device().copy(buffer, 60, other, 0, 50).status(), Errc::invalidArgument, "(from)");
  expectError(device().copy(buffer, 0, other, 1, 50).status(), Errc::invalidArgument, "(to)");
  expectError(device().fill(buffer, 0, std::byte{1}, 101).status(), Errc::invalidArgument, "100 bytes");
  expectError(device().fill(buffer, 101, std::byte{1}, 0).status(), Errc::invalidArgument, "offset 101");
  expectError(device().fill(buffer, 8, std::byte{1}, huge).status(), Errc::invalidArgument, "do not fit");
}

TEST_P(Conformance, CopyBetweenBuffers) {
  const std::vector<std::uint32_t> values = numbers(100);
  const BufferId from = bufferOf(values), to = bufferOf(std::vector<std::uint32_t>(100, 7));
  expectOk(device().copy(from, 40, to, 8, 200).status());
  std::vector<std::uint32_t> expected(100, 7);
  std::copy_n(values.begin() + 10, 50, expected.begin() + 2);
  EXPECT_EQ(contents<std::uint32_t>(to, 100), expected);
  EXPECT_EQ(contents<std::uint32_t>(from, 100), values);
}

TEST_P(Conformance, CopyWithinABuffer) {
  std::vector<std::uint32_t> values = numbers(100);
  const BufferId buffer = bufferOf(values);
  expectOk(device().copy(buffer, 0, buffer, 200, 200).status());
  std::copy_n(values.begin(), 50, values.begin() + 50);
  EXPECT_EQ(contents<std::uint32_t>(buffer, 100), values);
  expectError(device().copy(buffer, 0, buffer, 100, 104).status(), Errc::invalidArgument, "overlap");
  expectError(device().copy(buffer, 100, buffer, 0, 104).status(), Errc::invalidArgument, "overlap");
}

// Every alignment of both ends, and nothing beside them.
TEST_P(Conformance, FillSetsTheseBytesAndNoOthers) {
  constexpr std::size_t bytes = 100;
  for (const std::size_t offset : {0, 1, 2, 4, 8, 16, 37}) {
    for (const std::size_t length : {1, 2, 3, 4, 8, 15, 16, 32, 48, 63}) {
      const BufferId buffer = bufferOf(std::vector<std::uint8_t>(bytes, 9));
      expectOk(device().fill(buffer, offset, std::byte{0xA5}, length).status());
      std::vector<std::uint8_t> expected(bytes, 9);
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), length, std::uint8_t{0xA5});
      EXPECT_EQ(contents<std::uint8_t>(buffer, bytes), expected) << length << " bytes at " << offset;
      expectOk(device().release(buffer));
    }
  }
}

TEST_P(Conformance, LargeFills) {
  std::vector<std::uint32_t> values = numbers((std::size_t{40} << 20) / 4 + 12345);
  const BufferId buffer = bufferOf(values);
  const std::size_t first = 1001, count = values.size() - 2 * first;
  expectRuns(device().fill(buffer, first * 4, std::byte{}, count * 4));
  std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, 0u);
  EXPECT_TRUE(contents<std::uint32_t>(buffer, values.size()) == values);
}

// Between transfers, copies and kernels of the same bytes.
TEST_P(Conformance, FillsTakeEffectInOrder) {
  const std::vector<int> twos(1000, 2);
  const BufferId a = allocate(4000), b = allocate(4000);
  std::vector<int> first(1000), second(1000), third(1000), fourth(1000);
  expectOk(device().write(a, 0, twos.data(), 4000).status());
  expectOk(device().read(a, 0, first.data(), 4000).status());
  expectOk(device().fill(a, 0, std::byte{}, 4000).status());
  expectOk(device().copy(a, 0, b, 0, 4000).status());
  const Result<Event> launched = launch1(increment(), {0, 1, 1000}, 0, 1000, {{a, 0}});
  expectOk(launched.status());
  expectOk(device().read(a, 0, second.data(), 4000).status());
  expectOk(device().fill(a, 0, std::byte{0xFF}, 4000).status());
  expectOk(device().write(a, 0, twos.data(), 2000).status());
  expectOk(device().read(a, 0, third.data(), 4000).status());
  expectOk(device().read(b, 0, fourth.data(), 4000).status());
  expectOk(device().finish());
  EXPECT_EQ(first, twos);
  EXPECT_EQ(second, std::vector<int>(1000, 1));
  std::vector<int> half(1000, -1);
  std::fill_n(half.begin(), 500, 2);
  EXPECT_EQ(third, half);
  EXPECT_EQ(fourth, std::vector<int>(1000, 0));
}

TEST_P(Conformance, ManyBuffersAtOnce) {
  std::vector<BufferId> buffers;
  for (std::uint32_t i = 0; i < 300; ++i) buffers.push_back(bufferOf(numbers(17, i)));
  for (std::size_t i = 0; i < buffers.size(); i += 2) expectOk(device().release(buffers[i]));
  for (std::uint32_t i = 1; i < 300; i += 2) EXPECT_EQ(contents<std::uint32_t>(buffers[i], 17), numbers(17, i));
}

TEST_P(Conformance, LargeTransfers) {
  // More than all staging slots together, and no multiple of anything.
  const std::vector<std::uint32_t> values = numbers((std::size_t{40} << 20) / 4 + 12345);
  const BufferId buffer = bufferOf(values);
  EXPECT_TRUE(contents<std::uint32_t>(buffer, values.size()) == values);
  const std::size_t middle = values.size() / 3;
  const std::vector<std::uint32_t> part(values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  EXPECT_TRUE(contents<std::uint32_t>(buffer, part.size(), middle * 4) == part);
}

TEST_P(Conformance, MemoryOfAWriteMayChangeOnceTheWriteHasTakenIt) {
  // In slots and page-locked, with parts of both in one write, small and larger than all slots.
  std::vector<std::uint32_t> large((std::size_t{40} << 20) / 4), small(1000);
  const auto pinned = device().pinnedMemory(std::size_t{1} << 20);
  ASSERT_TRUE(pinned.ok()) << pinned.status().message();
  auto* const locked = reinterpret_cast<std::uint32_t*>(pinned->get());
  const BufferId first = allocate(large.size() * 4), second = allocate(4000), third = allocate(std::size_t{1} << 20);
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    const auto values = numbers(large.size(), seed);
    large = values;
    std::copy_n(values.begin(), small.size(), small.begin());
    std::copy_n(values.begin(), (std::size_t{1} << 20) / 4, locked);
    const auto a = device().write(third, 0, locked, std::size_t{1} << 20);
    const auto b = device().write(first, 0, large.data(), large.size() * 4);
    const auto c = device().write(second, 0, small.data(), 4000);
    ASSERT_TRUE(a.ok() && b.ok() && c.ok());
    for (const Event write : {*a, *b, *c}) expectOk(device().waitForSource(write));
    std::fill(large.begin(), large.end(), 0);
    std::fill(small.begin(), small.end(), 0);
    std::fill_n(locked, (std::size_t{1} << 20) / 4, 0);
    EXPECT_TRUE(contents<std::uint32_t>(first, values.size()) == values);
    EXPECT_TRUE(contents<std::uint32_t>(second, 1000) == std::vector(values.begin(), values.begin() + 1000));
    EXPECT_TRUE(contents<std::uint32_t>(third, (std::size_t{1} << 20) / 4) ==
                std::vector(values.begin(), values.begin() + (1 << 20) / 4));
  }
  expectOk(device().waitForSource(0));
}

// As rows of a grid that begin and end inside of pages: drivers may refuse to lock a page twice, nothing else.
TEST_P(Conformance, NeighboursMayBePageLockedInTheirTurn) {
  constexpr std::size_t row = 100000, rows = 5;
  std::vector<std::byte> memory(rows * row), back(rows * row);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  const std::vector<std::byte> expected = memory;
  std::vector<PinnedMemory> locked;
  for (const std::size_t r : {1, 0, 3, 2}) {
    auto pinned = device().pin(std::span(memory.data() + r * row, row));
    if (pinned.ok()) locked.push_back(std::move(*pinned));
  }
  const BufferId buffer = allocate(memory.size());
  for (std::size_t r = 0; r < rows; ++r)
    expectOk(device().write(buffer, r * row, memory.data() + r * row, row).status());
  expectOk(device().read(buffer, 0, back.data(), back.size()).status());
  expectOk(device().finish());
  EXPECT_TRUE(back == expected);
  std::fill(memory.begin(), memory.end(), std::byte{0});
  for (std::size_t r = 0; r < rows; ++r)
    expectOk(device().read(buffer, r * row, memory.data() + r * row, row).status());
  expectOk(device().finish());
  EXPECT_TRUE(memory == expected);
  while (!locked.empty()) locked.pop_back();
  EXPECT_TRUE(memory == expected) << "what was locked stays";
}

TEST_P(Conformance, OperationsTakeEffectInOrder) {
  const std::vector<int> ones(1000, 1), twos(1000, 2);
  const BufferId a = allocate(4000), b = allocate(4000);
  std::vector<int> first(1000), second(1000), third(1000);
  expectOk(device().write(a, 0, ones.data(), 4000).status());
  expectOk(device().copy(a, 0, b, 0, 4000).status());
  expectOk(device().read(b, 0, first.data(), 4000).status());
  expectOk(device().write(a, 0, twos.data(), 4000).status());
  expectOk(device().read(b, 0, second.data(), 4000).status());
  expectOk(device().copy(a, 0, b, 0, 4000).status());
  expectOk(device().read(b, 0, third.data(), 4000).status());
  expectOk(device().finish());
  EXPECT_EQ(first, ones);
  EXPECT_EQ(second, ones);
  EXPECT_EQ(third, twos);
}

TEST_P(Conformance, ManySmallTransfersWithoutAWait) {
  std::vector<std::uint32_t> from = numbers(3000), to(3000);
  const BufferId buffer = allocate(from.size() * 4);
  for (std::size_t i = 0; i < from.size(); ++i) expectOk(device().write(buffer, i * 4, &from[i], 4).status());
  for (std::size_t i = 0; i < to.size(); ++i) expectOk(device().read(buffer, i * 4, &to[i], 4).status());
  expectOk(device().finish());
  EXPECT_EQ(to, from);
}

static std::vector<Event> readEach(ComputeDevice& device, BufferId buffer, std::vector<std::uint32_t>& to) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Result<Event> event = device.read(buffer, i * 4, &to[i], 4);
    EXPECT_TRUE(event.ok()) << event.status().message();
    events.push_back(event.ok() ? *event : Event{0});
  }
  return events;
}

TEST_P(Conformance, EventsCanBeWaitedForInAnyOrder) {
  const std::vector<std::uint32_t> values = numbers(64);
  const BufferId buffer = bufferOf(values);
  std::vector<std::uint32_t> to(64);
  const std::vector<Event> events = readEach(device(), buffer, to);
  expectOk(device().wait(events[40]));
  EXPECT_EQ(to[40], values[40]);
  expectOk(device().wait(events[3]));
  EXPECT_EQ(to[3], values[3]);
  expectOk(device().wait(events[63]));
  expectOk(device().wait(events[63]));
  EXPECT_EQ(to, values);
  expectOk(device().wait(0));
  expectOk(device().finish());
}

TEST_P(Conformance, UnknownEventIsRefused) {
  expectError(device().wait(std::numeric_limits<Event>::max()), Errc::invalidArgument, "never given out");
  expectError(device().test(std::numeric_limits<Event>::max()).status(), Errc::invalidArgument, "never given out");
}

TEST_P(Conformance, TestSaysWhatIsComplete) {
  const std::vector<std::uint32_t> values = numbers(64);
  const BufferId buffer = bufferOf(values);
  std::vector<std::uint32_t> to(64);
  const std::vector<Event> events = readEach(device(), buffer, to);
  const auto isComplete = [&](Event event) {
    const Result<bool> complete = device().test(event);
    expectOk(complete.status());
    return !complete.ok() || *complete;
  };
  while (!isComplete(events[40])) std::this_thread::yield();
  EXPECT_EQ(to[40], values[40]);
  EXPECT_TRUE(isComplete(events[3]));
  EXPECT_EQ(to[3], values[3]);
  while (!isComplete(events[63])) std::this_thread::yield();
  EXPECT_TRUE(isComplete(events[63]));
  EXPECT_EQ(to, values);
  EXPECT_TRUE(isComplete(0));
  expectOk(device().finish());
}

TEST_P(Conformance, WrappedMemoryIsUsedInPlace) {
  std::vector<int> mine(100, 5);
  Result<BufferId> buffer = device().wrap(mine.data(), 400);
  if (!device().info().hostAddressable) {
    expectError(buffer.status(), Errc::unsupported, "wrap");
    return;
  }
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  EXPECT_EQ(device().address(*buffer), mine.data());
  expectRuns(launch1(increment(), {0, 1, 100}, 10, 20, {{*buffer, 0}}));
  EXPECT_EQ(std::accumulate(mine.begin(), mine.end(), 0), 510);
  expectOk(device().release(*buffer));
  EXPECT_EQ(mine[10], 6);
}

TEST_P(Conformance, WrapChecksItsArguments) {
  int word = 0;
  expectError(device().wrap(nullptr, 4).status(), Errc::invalidArgument, "wrap");
  expectError(device().wrap(&word, 0).status(), Errc::invalidArgument, "wrap");
}

TEST_P(Conformance, AddressIsThatOfTheBytes) {
  const std::vector<std::uint32_t> values = numbers(100);
  const BufferId buffer = bufferOf(values);
  const auto* address = static_cast<const std::uint32_t*>(device().address(buffer));
  ASSERT_EQ(address != nullptr, device().info().hostAddressable);
  if (address) EXPECT_EQ(std::vector<std::uint32_t>(address, address + 100), values);
  EXPECT_EQ(device().address(12345), nullptr);
}

// ---------------------------------------------------------------- memory for messages

TEST_P(Conformance, PinnedMemoryServesTransfersLikeAnyOther) {
  constexpr std::size_t bytes = 100000;
  const Result<PinnedMemory> from = device().pinnedMemory(bytes), to = device().pinnedMemory(2 * bytes);
  ASSERT_TRUE(from.ok() && to.ok());
  const BufferId buffer = allocate(bytes);
  for (std::size_t i = 0; i < bytes; ++i) (*from)[i] = static_cast<std::byte>(i * 7);
  // In parts, from and to places within the memory.
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 777}, {777, bytes}}) {
    expectOk(device().write(buffer, begin, from->get() + begin, end - begin).status());
    expectOk(device().read(buffer, begin, to->get() + bytes + begin, end - begin).status());
  }
  expectOk(device().finish());
  EXPECT_EQ(std::memcmp(to->get() + bytes, from->get(), bytes), 0);
}

TEST_P(Conformance, PinnedMemoryComesAndGoes) {
  const BufferId buffer = bufferOf(std::vector<int>(1000, 5));
  for (int i = 0; i < 20; ++i) {
    const Result<PinnedMemory> memory = device().pinnedMemory(4000 + static_cast<std::size_t>(i) * 1000);
    ASSERT_TRUE(memory.ok()) << memory.status().message();
    const Result<Event> read = device().read(buffer, 0, memory->get(), 4000);
    expectRuns(read);
    int last = 0;
    std::memcpy(&last, memory->get() + 3996, sizeof last);
    EXPECT_EQ(last, 5);
  }
  // What follows the memory is not part of it.
  std::vector<int> plain(1000);
  expectRuns(device().read(buffer, 0, plain.data(), 4000));
  EXPECT_EQ(plain, std::vector<int>(1000, 5));
}

TEST_P(Conformance, PinnedMemoryOfNoBytesIsRefused) {
  expectError(device().pinnedMemory(0).status(), Errc::invalidArgument, "0 bytes");
  expectError(device().pin({}).status(), Errc::invalidArgument, "0 bytes");
}

// Memory that two processes share, as messages within a host use it.
TEST_P(Conformance, SharedMemoryIsPinnedInPlace) {
  constexpr std::size_t bytes = 100000;
  const int file = memfd_create("muster-test", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, bytes), 0);
  const auto mapped = [&] {
    return static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  };
  std::byte *const ours = mapped(), *const theirs = mapped();
  close(file);
  {
    const Result<PinnedMemory> pinned = device().pin({ours, bytes});
    ASSERT_TRUE(pinned.ok()) << pinned.status().message();
    EXPECT_EQ(pinned->get(), ours);
    const BufferId buffer = allocate(bytes);
    for (std::size_t i = 0; i < bytes; ++i) theirs[i] = static_cast<std::byte>(i * 7);
    expectOk(device().write(buffer, 0, ours, bytes).status());
    expectOk(device().finish());
    std::memset(theirs, 0, bytes);
    expectOk(device().read(buffer, 777, ours + 777, bytes - 777).status());
    expectOk(device().finish());
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(theirs[i], i < 777 ? std::byte{} : static_cast<std::byte>(i * 7)) << "byte " << i;
    }
  }
  // No longer pinned, it serves like any other memory.
  const BufferId again = bufferOf(std::vector<int>(1000, 5));
  expectRuns(device().read(again, 0, ours, 4000));
  int last = 0;
  std::memcpy(&last, theirs + 3996, sizeof last);
  EXPECT_EQ(last, 5);
  munmap(ours, bytes);
  munmap(theirs, bytes);
}

}  // namespace muster::cdm::test
