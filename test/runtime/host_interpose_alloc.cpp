// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc, free, realloc, operators new and delete as a program that links libmuster.so meets them, and vectors and
// arrays in scopes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "host_fake_session.h"
#include "muster/muster.hpp"

extern "C" void muster_session_begin(int*, char***) { std::abort(); }
extern "C" void muster_session_end(void) { std::abort(); }

namespace {

const muster_array_site kSite = {{"prog.cpp", 12, 3}, "v", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, ""};
const muster_array_site kOther = {{"prog.cpp", 99, 3}, "w", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, ""};

// Where AddressSanitizer owns malloc and new, vectors stay plain and only muster_free() takes managed pointers.
#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Early start-up: allocation and release in a constructor that runs before the library's users are set up.
std::vector<double>* earlyVector = [] {
  const muster::VectorScope scope(kSite, 100);
  return new std::vector<double>(1000, 2.0);
}();

class Interposed : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "AddressSanitizer owns the allocator";
  }
};

TEST_F(Interposed, freeTakesManagedPointers) {
  void* array = muster_array_malloc(&kSite, 1000);
  std::free(array);
  EXPECT_FALSE(muster_is_managed(array));
  std::free(std::malloc(100));
  std::free(nullptr);
}

TEST_F(Interposed, reallocTakesManagedPointers) {
  auto* array = static_cast<char*>(muster_array_malloc(&kSite, 1000));
  std::strcpy(array, "kept");
  array = static_cast<char*>(std::realloc(array, 100'000));
  EXPECT_TRUE(muster_is_managed(array));
  EXPECT_STREQ(array, "kept");
  array = static_cast<char*>(reallocarray(array, 1000, 1000));
  EXPECT_TRUE(muster_is_managed(array));
  EXPECT_STREQ(array, "kept");
  errno = 0;
  volatile std::size_t many = SIZE_MAX / 2;
  EXPECT_EQ(reallocarray(array, many, 4), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  std::free(array);
  auto* plain = static_cast<char*>(std::realloc(nullptr, 10));
  std::strcpy(plain, "plain");
  plain = static_cast<char*>(std::realloc(plain, 1'000'000));
  EXPECT_STREQ(plain, "plain");
  EXPECT_FALSE(muster_is_managed(plain));
  std::free(plain);
}

TEST_F(Interposed, deleteTakesManagedPointers) {
  auto* array = static_cast<double*>(muster_array_create(&kSite, 10));
  delete[] array;
  EXPECT_FALSE(muster_is_managed(array));
  auto* one = static_cast<double*>(muster_array_create(&kSite, 1));
  delete one;
  EXPECT_FALSE(muster_is_managed(one));
}

TEST_F(Interposed, releaseTakesManagedPointersOnly) {
  void* array = muster_array_create(&kSite, 10);
  EXPECT_NE(muster_release(array), 0);
  EXPECT_FALSE(muster_is_managed(array));
  auto* plain = static_cast<char*>(std::malloc(10));
  std::strcpy(plain, "plain");
  EXPECT_EQ(muster_release(plain), 0);
  EXPECT_STREQ(plain, "plain");
  std::free(plain);
  EXPECT_EQ(muster_release(nullptr), 0);
}

TEST_F(Interposed, allocationScopesTakeWhatFunctionsAllocateForArrays) {
  const auto allocateAll = [] {
    void* aligned = nullptr;
    EXPECT_EQ(posix_memalign(&aligned, 512, 1024), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 512, 0u);
    volatile std::size_t bytes = 1000;  // keeps the compiler from dropping the pairs
    return std::vector<void*>{
        std::malloc(bytes),      std::calloc(bytes / 8, 8),   std::aligned_alloc(128, 1024), aligned,
        ::operator new[](bytes), std::realloc(nullptr, bytes)};
  };
  const auto expect = [](const std::vector<void*>& pointers, int managed) {
    for (void* pointer : pointers) {
      EXPECT_EQ(muster_is_managed(pointer), managed);
      std::memset(pointer, 1, 1000);
      std::free(pointer);
    }
  };
  {
    const muster::AllocationScope scope(kSite, 100);
    expect(allocateAll(), 1);
    void* small = std::malloc(99);
    void* object = ::operator new(1000);
    EXPECT_FALSE(muster_is_managed(small));
    EXPECT_FALSE(muster_is_managed(object)) << "what is no array stays plain";
    ::operator delete(object);
    std::free(small);
    {
      const muster::VectorScope inner(kOther, 8);
      void* plain = std::malloc(1000);
      EXPECT_FALSE(muster_is_managed(plain)) << "vectors do not get their memory from malloc";
      std::free(plain);
    }
    std::thread([&] { expect(allocateAll(), 0); }).join();
    auto* zero = static_cast<char*>(std::calloc(100, 10));
    EXPECT_EQ(std::count(zero, zero + 1000, 0), 1000);
    std::free(zero);
  }
  expect(allocateAll(), 0);
}

TEST_F(Interposed, posixMemalignOfAnArray) {
  void* array = nullptr;
  EXPECT_EQ(muster_array_posix_memalign(&kSite, &array, 3, 100), EINVAL);
  EXPECT_EQ(array, nullptr);
  EXPECT_EQ(muster_array_posix_memalign(&kSite, &array, 1 << 14, 100), 0);
  EXPECT_TRUE(muster_is_managed(array));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % (1 << 14), 0u);
  std::free(array);
}

TEST_F(Interposed, everyFormOfNewFollowsTheScope) {
  constexpr std::align_val_t kAlignment{256};
  const auto allocateAll = [&] {
    return std::vector<void*>{::operator new(1000),
                              ::operator new[](1000),
                              ::operator new(1000, std::nothrow),
                              ::operator new[](1000, std::nothrow),
                              ::operator new(1000, kAlignment),
                              ::operator new[](1000, kAlignment),
                              ::operator new(1000, kAlignment, std::nothrow),
                              ::operator new[](1000, kAlignment, std::nothrow)};
  };
  const auto freeAll = [&](const std::vector<void*>& pointers) {
    ::operator delete(pointers[0]);
    ::operator delete[](pointers[1]);
    ::operator delete(pointers[2], std::nothrow);
    ::operator delete[](pointers[3], std::nothrow);
    ::operator delete(pointers[4], kAlignment);
    ::operator delete[](pointers[5], 1000, kAlignment);
    ::operator delete(pointers[6], kAlignment, std::nothrow);
    ::operator delete[](pointers[7], kAlignment, std::nothrow);
  };
  const std::vector<void*> plain = allocateAll();
  for (void* pointer : plain) EXPECT_FALSE(muster_is_managed(pointer));
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(plain[i]) % 256, 0u);
  freeAll(plain);
  std::vector<void*> managed;
  managed.reserve(8);
  {
    const muster::VectorScope scope(kSite, 1000);
    const std::vector<void*> inside = allocateAll();
    managed.assign(inside.begin(), inside.end());
  }
  for (void* pointer : managed) EXPECT_TRUE(muster_is_managed(pointer));
  freeAll(managed);
  for (void* pointer : managed) EXPECT_FALSE(muster_is_managed(pointer));
  ::operator delete(::operator new(1000), 1000);
  ::operator delete[](::operator new[](1000), 1000);
}

int handlerCalls = 0;
void newHandler() {
  if (++handlerCalls == 3) std::set_new_handler(nullptr);
}

TEST_F(Interposed, newCallsItsHandlerAndThrows) {
  std::set_new_handler(newHandler);
  volatile std::size_t tooLarge = std::size_t{1} << 62;
  EXPECT_THROW(static_cast<void>(::operator new(tooLarge)), std::bad_alloc);
  EXPECT_EQ(handlerCalls, 3);
  EXPECT_EQ(::operator new(tooLarge, std::nothrow), nullptr);
  EXPECT_EQ(::operator new(tooLarge, std::align_val_t{64}, std::nothrow), nullptr);
}

TEST_F(Interposed, scopesNestAndBelongToTheirThread) {
  const auto isManaged = [](std::size_t count) {
    const std::vector<double> vector(count);
    return muster_is_managed(vector.data()) != 0;
  };
  EXPECT_FALSE(isManaged(100));
  {
    const muster::VectorScope outer(kSite, 800);
    EXPECT_TRUE(isManaged(100));
    EXPECT_FALSE(isManaged(99));
    {
      const muster::VectorScope inner(kOther, 8000);
      EXPECT_FALSE(isManaged(100));
      EXPECT_TRUE(isManaged(1000));
    }
    EXPECT_TRUE(isManaged(100));
    bool inThread = true;
    std::thread([&] { inThread = isManaged(100); }).join();
    EXPECT_FALSE(inThread);
  }
  EXPECT_FALSE(isManaged(100));
}

TEST_F(Interposed, vectorsMayGrowAndShrinkAnywhere) {
  std::vector<double> vector;
  {
    const muster::VectorScope scope(kSite, 8);
    vector.resize(1000);
  }
  EXPECT_TRUE(muster_is_managed(vector.data()));
  std::iota(vector.begin(), vector.end(), 0.0);
  vector.push_back(1000);  // outside of a scope: plain memory again, and the managed one is released
  EXPECT_FALSE(muster_is_managed(vector.data()));
  EXPECT_TRUE(muster::manageVector(vector, kSite));
  EXPECT_TRUE(muster_is_managed(vector.data()));
  for (std::size_t i = 0; i <= 1000; ++i) ASSERT_EQ(vector[i], static_cast<double>(i));
}

TEST_F(Interposed, manageVectorKeepsSizeCapacityAndContents) {
  std::vector<int> vector;
  vector.reserve(500);
  for (int i = 0; i < 300; ++i) vector.push_back(i);
  ASSERT_TRUE(muster::manageVector(vector, kSite));
  EXPECT_TRUE(muster_is_managed(vector.data()));
  EXPECT_EQ(vector.size(), 300u);
  EXPECT_EQ(vector.capacity(), 500u);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(vector[static_cast<std::size_t>(i)], i);
  const int* place = vector.data();
  ASSERT_TRUE(muster::manageVector(vector, kSite));
  EXPECT_EQ(vector.data(), place) << "it stays where it is";
  std::vector<int> empty;
  EXPECT_TRUE(muster::manageVector(empty, kSite));
  EXPECT_EQ(empty.capacity(), 0u);
}

TEST_F(Interposed, vectorsBeforeMainAreManaged) {
  EXPECT_TRUE(muster_is_managed(earlyVector->data()));
  EXPECT_EQ(earlyVector->at(999), 2.0);
  delete earlyVector;
}

template <class T>
struct MallocAllocator {
  using value_type = T;
  T* allocate(std::size_t n) { return static_cast<T*>(std::malloc(n * sizeof(T))); }
  void deallocate(T* pointer, std::size_t) { std::free(pointer); }
  bool operator==(const MallocAllocator&) const { return true; }
};

TEST(VectorFallback, aVectorWithAnAllocatorOfItsOwnStaysPlain) {
  std::vector<int, MallocAllocator<int>> vector(100, 5);
  const int* place = vector.data();
  EXPECT_FALSE(muster::manageVector(vector, kSite));
  EXPECT_EQ(vector.data(), place);
  EXPECT_EQ(vector[99], 5);
}

// The session's own containers, made while the program is in a scope, are not its arrays.
TEST_F(Interposed, theRuntimeAllocatesNothingManagedForItself) {
  fakeSessionBegin();
  std::vector<double> vector;
  {
    const muster::VectorScope scope(kSite, 1);
    vector.resize(100'000);
  }
  std::iota(vector.begin(), vector.end(), 0.0);
  {
    const muster::VectorScope scope(kSite, 1);
    fakeMoveToDevice(vector.data());
    muster_host_access(vector.data(), SIZE_MAX, MUSTER_READ);
  }
  for (std::size_t i = 0; i < vector.size(); ++i) ASSERT_EQ(vector[i], static_cast<double>(i));
  EXPECT_EQ(fakeFaults(), 0u);
  vector = {};
  fakeSessionEnd();
}

TEST_F(Interposed, manyThreadsAllocateAndFree) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (int round = 0; round < 500; ++round) {
        const auto count = static_cast<std::size_t>(1 + (thread * 7919 + round * 104729) % 400'000);
        const muster::VectorScope scope(kSite, 4096);
        std::vector<int> vector(count, thread);
        ASSERT_EQ(muster_is_managed(vector.data()) != 0, count * sizeof(int) >= 4096);
        ASSERT_EQ(vector.back(), thread);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
