// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C ABI of arrays: what it returns, what it tells the session, and its errors; also before main() and without a
// session.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "host/memory/host_memory.h"
#include "host_fake_device.h"
#include "muster/abi.h"

namespace muster::test {
namespace {

const muster_array_site kSite = {{"prog.cpp", 12, 3}, "u", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, ""};

bool isZero(const void* memory, std::size_t bytes) {
  const auto* begin = static_cast<const unsigned char*>(memory);
  return std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; });
}

// Idiom: arrays of file scope that are allocated before main() and freed after it.
struct EarlyArray {
  double* values = static_cast<double*>(muster_array_malloc(&kSite, 1000 * sizeof(double)));
  EarlyArray() { values[999] = 7; }
  ~EarlyArray() {
    if (values[999] != 7) abort();
    muster_free(values);
  }
};
EarlyArray early;

TEST(ArrayAbi, worksBeforeMainAndInStaticDestructors) {
  ASSERT_NE(early.values, nullptr);
  EXPECT_TRUE(muster_is_managed(early.values));
  EXPECT_EQ(early.values[999], 7);
}

TEST(ArrayAbi, newMemoryIsZeroWhereTheLanguageSaysSo) {
  for (int round = 0; round < 3; ++round) {
    void* arrays[] = {muster_array_create(&kSite, 1000), muster_array_malloc(&kSite, 8000),
                      muster_array_calloc(&kSite, 1000, 8), muster_array_aligned_alloc(&kSite, 1 << 14, 8000)};
    EXPECT_TRUE(isZero(arrays[0], 8000));
    EXPECT_TRUE(isZero(arrays[2], 8000));
    for (void* array : arrays) {
      ASSERT_NE(array, nullptr);
      EXPECT_TRUE(muster_is_managed(array));
      EXPECT_TRUE(muster_is_managed(static_cast<char*>(array) + 7999));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 4096, 0u);
      std::memset(array, 1, 8000);
    }
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays[3]) % (1 << 14), 0u);
    for (void* array : arrays) muster_free(array);
    for (void* array : arrays) EXPECT_FALSE(muster_is_managed(array));
  }
}

TEST(ArrayAbi, emptyArraysHavePlacesOfTheirOwn) {
  void* a = muster_array_malloc(&kSite, 0);
  void* b = muster_array_create(&kSite, 0);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_NE(a, b);
  muster_free(a);
  muster_free(b);
  muster_free(nullptr);
}

TEST(ArrayAbi, whatIsTooLargeFailsAsInTheCLibraryWithAMessage) {
  constexpr std::size_t kHuge = std::size_t{1} << 60;
  testing::internal::CaptureStderr();
  errno = 0;
  EXPECT_EQ(muster_array_malloc(&kSite, kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(message.find("muster: prog.cpp:12: array 'u' of 1.0 EiB: the host has not that much address space"), 0u)
      << message;
  testing::internal::CaptureStderr();
  errno = 0;
  EXPECT_EQ(muster_array_calloc(&kSite, kHuge, kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(muster_array_aligned_alloc(&kSite, 3, 100), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_THROW(muster_array_create(&kSite, kHuge / 8), std::bad_alloc);
  EXPECT_THROW(muster_array_create(&kSite, kHuge * 8), std::bad_array_new_length);
  testing::internal::GetCapturedStderr();
}

TEST(ArrayAbi, reallocKeepsContentsAndSite) {
  auto* array = static_cast<unsigned char*>(muster_array_malloc(&kSite, 5000));
  for (int i = 0; i < 5000; ++i) array[i] = static_cast<unsigned char>(i * 7);
  array = static_cast<unsigned char*>(muster_realloc(array, 3'000'000));
  ASSERT_TRUE(muster_is_managed(array));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(array[i], static_cast<unsigned char>(i * 7));
  array = static_cast<unsigned char*>(muster_realloc(array, 100));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(array[i], static_cast<unsigned char>(i * 7));
  EXPECT_EQ(rt::hostMemory().find(array)->bytes(), 100u);
  testing::internal::CaptureStderr();
  EXPECT_EQ(muster_realloc(array, std::size_t{1} << 60), nullptr);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(array[99], static_cast<unsigned char>(99 * 7)) << "a failed realloc leaves the array";
  EXPECT_EQ(muster_realloc(array, 0), nullptr);
  EXPECT_FALSE(muster_is_managed(array));
}

TEST(ArrayAbi, plainPointersGoToTheCLibrary) {
  auto* plain = static_cast<char*>(muster_realloc(nullptr, 10));
  ASSERT_NE(plain, nullptr);
  EXPECT_FALSE(muster_is_managed(plain));
  std::strcpy(plain, "plain");
  plain = static_cast<char*>(muster_realloc(plain, 100'000));
  EXPECT_STREQ(plain, "plain");
  muster_free(plain);
  EXPECT_FALSE(muster_is_managed(nullptr));
}

TEST(ArrayAbi, reallocBringsTheDataFirst) {
  FakeDevice device;
  auto* array = static_cast<double*>(muster_array_malloc(&kSite, 800'000));
  for (int i = 0; i < 100'000; ++i) array[i] = i;
  device.moveToDevice(array);
  array = static_cast<double*>(muster_realloc(array, 1'600'000));
  EXPECT_EQ(device.faults(), 0u) << "in bulk, not page by page";
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(array[i], i);
  muster_free(array);
}

// ---------------------------------------------------------------- what the session hears

class RecordingListener final : public rt::ArrayListener {
 public:
  RecordingListener() { rt::setArrayListener(this); }
  ~RecordingListener() override { rt::setArrayListener(nullptr); }
  bool wantsMirrored() override { return mirrored; }
  void created(rt::HostArray& array, const muster_array_site* site, std::size_t bytes) override {
    EXPECT_EQ(array.bytes(), bytes);
    EXPECT_TRUE(array.mirrored());
    log.push_back(std::string("created ") + site->name + " " + std::to_string(bytes));
    array.owner = this;
  }
  void createdPrivate(const muster_array_site* site, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);  // of any thread
    log.push_back(std::string("private ") + site->name + " " + std::to_string(bytes));
  }
  void aboutToRelease(rt::HostArray& array) override {
    EXPECT_EQ(array.owner, this);
    EXPECT_EQ(rt::hostMemory().find(array.user()), &array) << "still there";
    log.push_back("release");
  }
  void hostAccess(rt::HostArray&, std::size_t offset, std::size_t bytes, int mode) override {
    log.push_back("access " + std::to_string(offset) + " " + std::to_string(bytes) + " " + std::to_string(mode));
  }
  bool mirrored = false;
  std::vector<std::string> log;

 private:
  std::mutex mutex_;
};

TEST(ArrayListener, hearsOfEveryArray) {
  {
    RecordingListener listener;
    listener.mirrored = true;
    auto* array = static_cast<char*>(muster_array_create(&kSite, 10));
    muster_host_access(array + 8, 16, MUSTER_READ);
    muster_host_access(array + 8, SIZE_MAX, MUSTER_WRITE);
    muster_host_access(array + 80, 1, MUSTER_READ);  // behind the array: nothing
    muster_host_access(array, 0, MUSTER_READ);
    muster_host_access(&listener, 8, MUSTER_READ);  // not managed
    muster_free(array);
    EXPECT_EQ(listener.log, (std::vector<std::string>{"created u 80", "access 8 16 1", "access 8 72 2", "release"}));
  }
  RecordingListener listener;
  for (const std::size_t count : {10, 10000}) {
    auto* array = static_cast<char*>(muster_array_create(&kSite, count));
    muster_host_access(array + 8, 16, MUSTER_READ);
    muster_free(array);
  }
  EXPECT_EQ(listener.log, (std::vector<std::string>{"private u 80", "private u 80000"}));
}

// Arrays of a session without devices: some have a record, some none.
TEST(PrivateArrays, canBeAskedFreedAndReallocated) {
  RecordingListener listener;
  for (const std::size_t bytes : {0, 1, 64, 1000, 4096, 32768, 32769, 100'000, 5'000'000}) {
    auto* array = static_cast<unsigned char*>(muster_array_calloc(&kSite, bytes, 1));
    ASSERT_NE(array, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 64, 0u);
    EXPECT_TRUE(isZero(array, bytes));
    EXPECT_TRUE(muster_is_managed(array));
    if (bytes > 0) EXPECT_TRUE(muster_is_managed(array + bytes - 1));
    for (std::size_t i = 0; i < bytes; ++i) array[i] = static_cast<unsigned char>(i * 7);
    for (const std::size_t size : {bytes + 1, 2 * bytes + 100, bytes / 2 + 1}) {
      const std::size_t kept = std::min(bytes, size);
      array = static_cast<unsigned char*>(muster_realloc(array, size));
      ASSERT_NE(array, nullptr);
      for (std::size_t i = 0; i < std::min(kept, bytes / 2 + 1); ++i)
        ASSERT_EQ(array[i], static_cast<unsigned char>(i * 7)) << size;
    }
    muster_free(array);
    EXPECT_FALSE(muster_is_managed(array));
  }
}

TEST(PrivateArrays, areFreedByAnyThread) {
  RecordingListener listener;
  constexpr int kThreads = 4, kArrays = 500;
  std::vector<std::vector<int*>> made(kThreads);
  const auto inThreads = [](auto work) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
    for (std::thread& thread : threads) thread.join();
  };
  for (int round = 0; round < 3; ++round) {
    inThreads([&](int thread) {
      for (int i = 0; i < kArrays; ++i) {
        const std::size_t count = 1 + static_cast<std::size_t>((i * 37 + thread) % 9000);
        auto* array = static_cast<int*>(muster_array_malloc(&kSite, count * sizeof(int)));
        array[0] = array[count - 1] = thread * kArrays + i;
        made[static_cast<std::size_t>(thread)].push_back(array);
      }
    });
    inThreads([&](int thread) {
      const int other = (thread + 1) % kThreads;
      std::vector<int*>& arrays = made[static_cast<std::size_t>(other)];
      for (int i = 0; i < kArrays; ++i) {
        EXPECT_EQ(*arrays[static_cast<std::size_t>(i)], other * kArrays + i);
        muster_free(arrays[static_cast<std::size_t>(i)]);
      }
      arrays.clear();
    });
  }
}

TEST(PrivateArrays, rowsOfATableAreEvenlySpaced) {
  RecordingListener listener;
  for (int round = 0; round < 3; ++round) {
    auto** table = static_cast<double**>(muster_table_create(nullptr, 10));
    for (int i = 0; i < 10; ++i) {
      table[i] = static_cast<double*>(round == 1 ? muster_row_new(&kSite, &table[i], 5)
                                                 : muster_row_create(&kSite, &table[i], 5));
      EXPECT_EQ(table[i], table[0] + 6 * i);
      if (round != 1) EXPECT_TRUE(isZero(table[i], 40));
      std::memset(table[i], 1, 40);
    }
    for (int i = 0; i < 10; ++i) muster_free(table[i]);
    muster_free(table);
    EXPECT_FALSE(muster_is_managed(table));
  }
}

// Of planes that are equally long, in any order; of others each has an array of its own, as have planes whose table
// lies elsewhere by then.
TEST(PrivateArrays, rowsOfTablesOfTablesAreEvenlySpaced) {
  RecordingListener listener;
  auto*** planes = static_cast<double***>(muster_table_create(nullptr, 4));
  const auto plane = [&](int i, std::size_t rows) {
    planes[i] = static_cast<double**>(muster_table_malloc(&planes[i], rows * sizeof(double*)));
    for (std::size_t j = 0; j < rows; ++j) {
      planes[i][j] = static_cast<double*>(muster_row_calloc(&kSite, &planes[i][j], 5, sizeof(double)));
      EXPECT_TRUE(isZero(planes[i][j], 40));
      std::memset(planes[i][j], 1, 40);
    }
  };
  const auto release = [&](int i, std::size_t rows) {
    for (std::size_t j = 0; j < rows; ++j) muster_free(planes[i][j]);
    muster_free(planes[i]);
    EXPECT_FALSE(muster_is_managed(planes[i]));
  };
  for (int round = 0; round < 3; ++round) {
    plane(2, 3);
    plane(0, 3);
    plane(1, round == 1 ? 4 : 3);
    plane(3, 3);
    for (int i : {0, 2, 3})
      for (int j = 0; j < 3; ++j) EXPECT_EQ(planes[i][j], planes[0][0] + (i * 3 + j) * 6) << i << " " << j;
    EXPECT_EQ(planes[1][1] == planes[0][0] + 24, round != 1);
    EXPECT_EQ(planes[1][2], planes[1][0] + 12);
    for (int i : {3, 0, 1, 2}) release(i, round == 1 && i == 1 ? 4 : 3);
  }
  auto** elsewhere = static_cast<double**>(muster_table_malloc(&planes[0], 2 * sizeof(double*)));
  planes[0] = nullptr;
  for (int j : {0, 1}) elsewhere[j] = static_cast<double*>(muster_row_malloc(&kSite, &elsewhere[j], 40));
  EXPECT_EQ(elsewhere[1], elsewhere[0] + 6);
  muster_free(planes);
  for (int j : {0, 1}) muster_free(elsewhere[j]);
  muster_free(elsewhere);
}

// new T[n] says no alignment: an element's size is a multiple of it.
TEST(ArrayListener, elementsLieAsTheirTypeMayAsk) {
  RecordingListener listener;  // of a session without devices, whose arrays may begin inside of pages
  for (const std::uint32_t alignment : {8u, 64u, 128u, 1024u, 4096u}) {
    for (const std::uint32_t size : {alignment, 3 * alignment}) {
      const muster_array_site site = {{"prog.cpp", 12, 3}, "c", "Cell", size, MUSTER_TYPE_OTHER,
                                      MUSTER_PARTITIONED,  0,   ""};
      for (int i = 0; i < 5; ++i) {
        void* array = muster_array_create(&site, 20000 / size + 1);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % alignment, 0u) << size;
        muster_free(array);
      }
    }
  }
}

TEST(ArrayListener, adoptedArraysAreToldOnce) {
  alignas(4096) static char storage[8192];
  RecordingListener listener;
  muster_array_adopt(&kSite, storage, 5000);
  muster_array_adopt(&kSite, storage, 5000);
  EXPECT_EQ(listener.log, std::vector<std::string>{"private u 5000"});
  EXPECT_TRUE(muster_is_managed(storage + 4999));
  rt::hostMemory().release(*rt::hostMemory().find(storage));
}

TEST(ArrayListener, earlierArraysAreListedInOrder) {
  void* first = muster_array_create(&kSite, 1);
  void* second = muster_array_create(&kSite, 2);
  void* third = muster_array_create(&kSite, 3);
  muster_free(second);
  std::vector<void*> seen;
  rt::forEachArray([&](rt::HostArray& array, const muster_array_site* site) {
    EXPECT_EQ(site, &kSite);
    EXPECT_TRUE(rt::hostMemory().mirror(array).ok());
    seen.push_back(array.user());
  });
  EXPECT_EQ(seen, (std::vector<void*>{early.values, first, third}));
  muster_free(first);
  muster_free(third);
}

// ---------------------------------------------------------------- errors of the program

class ArrayDeath : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ArrayDeath, freeingTwice) {
  EXPECT_DEATH(
      {
        void* array = muster_array_create(&kSite, 10);
        muster_free(array);
        muster_free(array);
      },
      "muster: free\\(\\) of 0x.*: freed before\\?");
}

TEST_F(ArrayDeath, freeingTheMiddle) {
  EXPECT_DEATH(muster_free(static_cast<double*>(muster_array_create(&kSite, 10)) + 1),
               "muster: prog.cpp:12: array 'u': free\\(\\) of .*byte 8 of the array");
}

TEST_F(ArrayDeath, freeingPrivateArraysWrongly) {
  RecordingListener listener;
  EXPECT_DEATH(
      {
        void* array = muster_array_create(&kSite, 10);
        muster_free(array);
        muster_free(array);
      },
      "muster: free\\(\\) of 0x.*: freed before\\?");
  EXPECT_DEATH(muster_free(static_cast<double*>(muster_array_create(&kSite, 10)) + 1),
               "muster: prog.cpp:12: array 'u': free\\(\\) of .*byte 8 of the array");
  EXPECT_DEATH((void)muster_realloc(static_cast<double*>(muster_array_create(&kSite, 10)) + 1, 100),
               "muster: prog.cpp:12: array 'u': realloc\\(\\) of .*byte 8 of the array");
}

TEST_F(ArrayDeath, adoptingStorageThatIsNotAligned) {
  alignas(4096) static char storage[8192];
  EXPECT_DEATH(muster_array_adopt(&kSite, storage + 16, 100),
               "muster: prog.cpp:12: static array 'u' of 100 B cannot be managed: .*start on a page");
}

}  // namespace
}  // namespace muster::test
