// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fault service with real faults: several threads, whole blocks only, what is not ours, and what must end the
// program.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "counting_array.h"
#include "host/memory/host_memory.h"
#include "host_fake_device.h"
#include "muster/abi.h"

namespace muster::test {
namespace {

using rt::HostArray;
using rt::hostMemory;
using rt::PageAccess;

constexpr std::size_t kPage = 4096;

std::int64_t sum(const std::int64_t* array, std::size_t lo, std::size_t hi) {
  return std::accumulate(array + lo, array + hi, std::int64_t{0});
}

std::int64_t triangle(std::int64_t lo, std::int64_t hi) { return (hi * (hi - 1) - lo * (lo - 1)) / 2; }

TEST(Faults, readsAndWritesBringTheData) {
  FakeDevice device;
  constexpr std::size_t kCount = 100'000;
  std::int64_t* array = countingArray(kCount);
  device.moveToDevice(array);
  EXPECT_EQ(array[kCount / 2], static_cast<std::int64_t>(kCount / 2));
  EXPECT_EQ(hostMemory().access(*hostMemory().find(array), kCount / 2 * 8), PageAccess::read);
  array[kCount / 2] = -1;
  EXPECT_EQ(hostMemory().access(*hostMemory().find(array), kCount / 2 * 8), PageAccess::readWrite);
  EXPECT_EQ(device.faults(), 2u);
  EXPECT_EQ(sum(array, 0, kCount), triangle(0, kCount) - static_cast<std::int64_t>(kCount / 2) - 1);
  device.moveToDevice(array);
  EXPECT_EQ(array[kCount / 2], -1);
  muster_free(array);
}

TEST(Faults, writeToAnUntouchedBlockKeepsItsNeighbours) {
  FakeDevice device;
  std::int64_t* array = countingArray(4096);
  device.moveToDevice(array);
  array[1000] = 5;
  EXPECT_EQ(device.faults(), 1u);
  EXPECT_EQ(array[999], 999);
  EXPECT_EQ(array[1000], 5);
  EXPECT_EQ(array[1001], 1001);
  EXPECT_EQ(device.faults(), 1u);
  muster_free(array);
}

TEST(Faults, adoptedStorageFaultsToo) {
  alignas(4096) static std::int64_t storage[2 * 512];
  storage[600] = 6;
  FakeDevice device;
  muster_array_adopt(&countingSite, storage, sizeof storage);
  device.moveToDevice(storage);
  EXPECT_EQ(*const_cast<volatile std::int64_t*>(&storage[600]), 6);
  EXPECT_EQ(device.faults(), 1u);
}

TEST(Faults, severalThreadsSumTheirParts) {
  FakeDevice device;
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kCount = 400'000;
  std::int64_t* array = countingArray(kCount);
  for (int round = 0; round < 20; ++round) {
    device.moveToDevice(array);
    std::atomic<std::int64_t> total{0};
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back(
          [&, thread] { total += sum(array, kCount / kThreads * thread, kCount / kThreads * (thread + 1)); });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(total, triangle(0, kCount));
  }
  muster_free(array);
}

TEST(Faults, openMpWorkersFaultAndWrite) {
  FakeDevice device;
  constexpr std::int64_t kCount = 300'000;
  std::int64_t* array = countingArray(kCount);
  std::int64_t total = 0;
  for (int round = 0; round < 10; ++round) {
    device.moveToDevice(array);
#pragma omp parallel for reduction(+ : total) num_threads(4) schedule(static, 100)
    for (std::int64_t i = 0; i < kCount; ++i) {
      total += array[i];
      array[i] += 1;
    }
  }
  EXPECT_EQ(total, 10 * triangle(0, kCount) + 45 * kCount);
  muster_free(array);
}

// All threads fault on one page at once; each must see whole values, none an unfilled or half-filled block.
TEST(Faults, manyThreadsOnOnePageSeeWholeBlocksOnly) {
  FakeDevice device;
  constexpr std::size_t kThreads = 6;
  constexpr int kRounds = 300;
  constexpr std::size_t kCount = 2048;
  auto* array = static_cast<std::int64_t*>(muster_array_create(&countingSite, kCount));
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads + 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (std::int64_t round = 0; round < kRounds; ++round) {
        pthread_barrier_wait(&barrier);
        for (std::size_t i = 0; i < kCount; i += 61) wrong += array[i] != round;
        pthread_barrier_wait(&barrier);
      }
    });
  }
  for (std::int64_t round = 0; round < kRounds; ++round) {
    std::fill_n(array, kCount, round);
    device.moveToDevice(array);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
  }
  for (std::thread& thread : threads) thread.join();
  pthread_barrier_destroy(&barrier);
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(device.faults(), static_cast<std::size_t>(kRounds));
  muster_free(array);
}

// The block is filled through the alias in two halves with a pause between them; readers that poll the user's view all
// the while must never get in between.
TEST(Faults, fillingIsAtomicForReaders) {
  auto created = hostMemory().allocate(4 * kPage, 1, true);
  ASSERT_TRUE(created);
  HostArray& array = **created;
  std::atomic<std::int64_t> generation{0};
  ASSERT_TRUE(rt::startFaultService([&](HostArray& faulted, std::size_t, bool) {
                auto* values = reinterpret_cast<std::int64_t*>(faulted.alias());
                const std::int64_t value = ++generation;
                std::fill_n(values, 1024, value);
                usleep(200);
                std::fill_n(values + 1024, 1024, value);
                return hostMemory().setAccess(faulted, 0, faulted.bytes(), PageAccess::read).ok();
              }).ok());
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::atomic<std::size_t> reads{0};
  ASSERT_TRUE(hostMemory().setAccess(array, 0, array.bytes(), PageAccess::none).ok());
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      const volatile std::int64_t* values = reinterpret_cast<std::int64_t*>(array.user());
      while (!stop) {
        // The half that is filled first comes first: a reader between the halves would find the other one older.
        const std::int64_t early = values[0];
        const std::int64_t late = values[2047];
        torn += early == 0 || late < early;
        ++reads;
      }
    });
  }
  while (generation < 100) {
    usleep(100);
    ASSERT_TRUE(hostMemory().setAccess(array, 0, array.bytes(), PageAccess::none).ok());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(reads, 100u);
  ASSERT_TRUE(hostMemory().setAccess(array, 0, array.bytes(), PageAccess::readWrite).ok());
  rt::stopFaultService();
  hostMemory().release(array);
}

// Another thread of the program goes on writing while its arrays get shared mappings.
TEST(Faults, writersWaitWhileAnArrayIsMirrored) {
  FakeDevice device;
  constexpr std::size_t kCount = std::size_t{1} << 20;
  for (int round = 0; round < 5; ++round) {
    auto array = hostMemory().allocate(kCount * sizeof(std::int64_t), 1, false);
    ASSERT_TRUE(array.ok());
    auto* numbers = reinterpret_cast<std::int64_t*>((*array)->user());
    std::atomic<bool> done{false};
    std::atomic<std::int64_t> passes{0};
    std::thread writer([&] {
      while (!done.load()) {
        for (std::size_t i = 0; i < kCount; i += 64) ++numbers[i];
        ++passes;
      }
    });
    while (passes.load() < 2) std::this_thread::yield();
    EXPECT_TRUE(hostMemory().mirror(**array).ok());
    done.store(true);
    writer.join();
    for (std::size_t i = 0; i < kCount; i += 64) ASSERT_EQ(numbers[i], passes.load()) << i;
    hostMemory().release(**array);
  }
}

TEST(Faults, aThreadMayFaultAtOneAddressForEverIfItIsTakenAwayInBetween) {
  FakeDevice device;
  std::int64_t* array = countingArray(16);
  for (int round = 0; round < 3000; ++round) {
    device.moveToDevice(array);
    ASSERT_EQ(*const_cast<volatile std::int64_t*>(&array[3]), 3);
  }
  EXPECT_EQ(device.faults(), 3000u);
  muster_free(array);
}

// One page here, one there: without filling holes the process would run out of mappings (65,530 by default).
TEST(Faults, jumpingAboutInALargeArrayDoesNotUseUpTheMappings) {
  constexpr std::size_t kPages = 160'000;
  auto created = hostMemory().allocate(kPages * kPage, 1, true);
  ASSERT_TRUE(created);
  HostArray& array = **created;
  ASSERT_TRUE(hostMemory().setAccess(array, 0, array.bytes(), PageAccess::none).ok());
  std::size_t asked = 0;
  ASSERT_TRUE(rt::startFaultService([&](HostArray& faulted, std::size_t offset, bool write) {
                ++asked;
                const std::size_t page = offset / kPage * kPage;
                faulted.alias()[page + 7] = std::byte{1};
                const PageAccess access = write ? PageAccess::readWrite : PageAccess::read;
                return hostMemory().setAccess(faulted, page, page + kPage, access).ok();
              }).ok());
  const volatile std::byte* values = array.user();
  std::size_t seen = 0;
  for (std::size_t page = 0; page < kPages; page += 2) seen += values[page * kPage + 7] == std::byte{1};
  EXPECT_EQ(seen, kPages / 2);
  for (std::size_t page = 1; page < kPages; page += 2) seen += values[page * kPage + 7] == std::byte{1};
  EXPECT_EQ(seen, kPages);
  EXPECT_EQ(asked, kPages);
  ASSERT_TRUE(hostMemory().setAccess(array, 0, array.bytes(), PageAccess::readWrite).ok());
  rt::stopFaultService();
  hostMemory().release(array);
}

TEST(Faults, workOnAThreadsAlternateStack) {
  FakeDevice device;
  std::int64_t* array = countingArray(1024);
  device.moveToDevice(array);
  std::thread([&] {
    std::vector<char> memory(64 << 10);
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
    EXPECT_EQ(*const_cast<volatile std::int64_t*>(&array[5]), 5);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
  }).join();
  EXPECT_EQ(device.faults(), 1u);
  muster_free(array);
}

TEST(Faults, keepErrno) {
  FakeDevice device;
  std::int64_t* array = countingArray(1024);
  device.moveToDevice(array);
  errno = 4711;
  const std::int64_t value = *const_cast<volatile std::int64_t*>(&array[5]);
  EXPECT_EQ(errno, 4711);
  EXPECT_EQ(value, 5);
  muster_free(array);
}

std::int64_t* handlerArray = nullptr;
std::atomic<std::int64_t> seenInHandler{0};
void readInHandler(int) { seenInHandler = handlerArray[700]; }

TEST(Faults, signalHandlersOfTheProgramMayFault) {
  FakeDevice device;
  handlerArray = countingArray(1024);
  device.moveToDevice(handlerArray);
  signal(SIGUSR1, readInHandler);
  raise(SIGUSR1);
  EXPECT_EQ(seenInHandler, 700);
  signal(SIGUSR1, SIG_DFL);
  muster_free(handlerArray);
}

TEST(Faults, serviceStartsAgainAfterItStopped) {
  for (int round = 0; round < 50; ++round) {
    FakeDevice device;
    EXPECT_EQ(rt::startFaultService([](HostArray&, std::size_t, bool) { return true; }).code(), Errc::invalidArgument);
    std::int64_t* array = countingArray(512);
    device.moveToDevice(array);
    ASSERT_EQ(*const_cast<volatile std::int64_t*>(&array[1]), 1);
    muster_free(array);
  }
  rt::stopFaultService();  // when it is not running: nothing
}

}  // namespace
}  // namespace muster::test
