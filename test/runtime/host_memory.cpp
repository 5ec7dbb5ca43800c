// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arrays lie and what they hold: allocation, mirroring, adoption, lookup, protection, release.
#include "host/memory/host_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/memory/host_memory_impl.h"

namespace muster::rt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHuge = std::size_t{2} << 20;

HostArray& allocate(std::size_t bytes, bool mirrored, std::size_t alignment = 1) {
  auto array = hostMemory().allocate(bytes, alignment, mirrored);
  if (!array) throw std::runtime_error(array.status().message());
  return **array;
}

bool isZero(const std::byte* memory, std::size_t bytes) {
  return bytes == 0 || (memory[0] == std::byte{0} && std::memcmp(memory, memory + 1, bytes - 1) == 0);
}

std::size_t address(const std::byte* pointer) { return reinterpret_cast<std::size_t>(pointer); }

// "rw-p", "---p", ...: of the mapping that holds the address.
std::string mappingOf(const std::byte* pointer) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t lo = 0;
    std::size_t hi = 0;
    char kind[8] = "";
    std::sscanf(line.c_str(), "%zx-%zx %7s", &lo, &hi, kind);
    if (address(pointer) >= lo && address(pointer) < hi) return kind;
  }
  return "";
}

std::size_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * kPage;
}

class Allocation : public testing::TestWithParam<bool> {};  // mirrored or not

TEST_P(Allocation, isZeroAlignedAndOfTheSizeAskedFor) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kPage - 1, kPage, kPage + 1, kHuge - kPage - 1,
                                  kHuge - 1, kHuge, kHuge + 1, 5 * kHuge}) {
    HostArray& array = allocate(bytes, GetParam());
    EXPECT_EQ(array.bytes(), bytes);
    EXPECT_EQ(array.mirrored(), GetParam());
    EXPECT_EQ(array.alias() == array.user(), !GetParam());
    EXPECT_EQ(address(array.user()) % (bytes >= kHuge ? kHuge : kPage), 0u) << bytes;
    EXPECT_TRUE(isZero(array.user(), bytes));
    EXPECT_EQ(hostMemory().access(array, 0), PageAccess::readWrite);
    std::memset(array.user(), 1, bytes);
    hostMemory().release(array);
  }
}

TEST_P(Allocation, honoursAlignment) {
  for (std::size_t alignment = 1; alignment <= std::size_t{1} << 30; alignment *= 2) {
    HostArray& small = allocate(100, GetParam(), alignment);
    HostArray& large = allocate(3 * kHuge, GetParam(), alignment);
    EXPECT_EQ(address(small.user()) % alignment, 0u);
    EXPECT_EQ(address(large.user()) % alignment, 0u);
    hostMemory().release(small);
    hostMemory().release(large);
  }
}

TEST_P(Allocation, memoryIsZeroAgainAfterReuse) {
  for (const std::size_t bytes : {3 * kPage, 3 * kHuge}) {
    for (int round = 0; round < 5; ++round) {
      HostArray& array = allocate(bytes, GetParam());
      ASSERT_TRUE(isZero(array.user(), bytes)) << "round " << round;
      std::memset(array.user(), 0xab, bytes);
      hostMemory().release(array);
    }
  }
}

TEST_P(Allocation, releasedRangesAreGuardedAndUsedAgain) {
  for (const std::size_t bytes : {3 * kPage, 3 * kHuge}) {
    std::set<std::byte*> places;
    for (int round = 0; round < 50; ++round) {
      HostArray& array = allocate(bytes, GetParam());
      std::byte* user = array.user();
      places.insert(user);
      EXPECT_EQ(mappingOf(user), GetParam() ? "rw-s" : "rw-p");
      hostMemory().release(array);
      EXPECT_EQ(mappingOf(user), "---p");
      EXPECT_EQ(hostMemory().find(user), nullptr);
      EXPECT_TRUE(hostMemory().contains(user));
    }
    EXPECT_LE(places.size(), 2u);
  }
}

TEST(StaggeredMemory, arraysOfSomePagesBeginAtDifferentPlacesInThem) {
  constexpr std::size_t kBytes = 12 * kPage + 4;
  HostMemoryImpl& memory = hostMemoryImpl();
  std::vector<HostArrayImpl*> arrays;
  std::vector<std::size_t> places;
  for (int i = 0; i < 8; ++i) {
    auto array = memory.allocate(kBytes, AllocateOptions{.recycled = true, .staggered = true});
    ASSERT_TRUE(array.ok()) << array.status().message();
    std::byte* user = (*array)->user();
    EXPECT_EQ(address(user) % 64, 0u);
    EXPECT_EQ((*array)->alias(), user);
    EXPECT_EQ(memory.find(user), *array);
    EXPECT_EQ(memory.find(user + kBytes - 1), *array);
    ASSERT_TRUE(isZero(user, kBytes));
    std::memset(user, i + 1, kBytes);
    for (const std::size_t other : places) {
      const std::size_t apart = (address(user) + kPage - other) % kPage;
      EXPECT_GE(std::min(apart, kPage - apart), 192u) << "array " << i;
    }
    places.push_back(address(user) % kPage);
    arrays.push_back(*array);
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::byte* user = arrays[i]->user();
    EXPECT_EQ(user[0], static_cast<std::byte>(i + 1));
    EXPECT_EQ(std::memcmp(user, user + 1, kBytes - 1), 0) << "another array was written over this one";
    memory.release(*arrays[i]);
    EXPECT_EQ(memory.find(user), nullptr);
  }
}

TEST(StaggeredMemory, isNotForTinyLargeAlignedOrMirroredArrays) {
  HostMemoryImpl& memory = hostMemoryImpl();
  const auto first =
      memory.allocate(kPage, AllocateOptions{.recycled = true, .staggered = true});  // the next one would be inset
  ASSERT_TRUE(first.ok());
  const auto beginsAPage = [&](std::size_t bytes, const AllocateOptions& options) {
    const auto array = memory.allocate(bytes, options);
    if (!array) return false;
    const bool begins = address((*array)->user()) % kPage == 0;
    memory.release(**array);
    return begins;
  };
  EXPECT_TRUE(beginsAPage(kPage - 1, {.recycled = true, .staggered = true}));
  EXPECT_TRUE(beginsAPage(kHuge, {.recycled = true, .staggered = true}));
  EXPECT_TRUE(beginsAPage(5 * kPage, {.alignment = 4096, .recycled = true, .staggered = true}));
  EXPECT_TRUE(beginsAPage(5 * kPage, {.mirrored = true, .staggered = true}));
  EXPECT_TRUE(beginsAPage(5 * kPage, {}));
  EXPECT_FALSE(beginsAPage(5 * kPage, {.recycled = true, .staggered = true}) &&
               beginsAPage(5 * kPage, {.recycled = true, .staggered = true}));
  memory.release(**first);
}

// A program that allocates and releases in turn meets the pages that it had before.
TEST(StaggeredMemory, keepsReleasedMemoryForArraysOfTheSameSize) {
  HostMemoryImpl& memory = hostMemoryImpl();
  std::set<std::size_t> pages;
  for (int round = 0; round < 70; ++round) {
    const auto array = memory.allocate(16 * kPage, AllocateOptions{.recycled = true, .staggered = true});
    ASSERT_TRUE(array.ok());
    std::byte* user = (*array)->user();
    ASSERT_TRUE(isZero(user, 16 * kPage));
    std::memset(user, 7, 16 * kPage);
    pages.insert(address(user) / kPage);
    memory.release(**array);
  }
  EXPECT_EQ(pages.size(), 1u);
}

TEST_P(Allocation, manyArraysOfMixedSizesDoNotOverlap) {
  std::mt19937 random(11);
  std::vector<HostArray*> live;
  for (int round = 0; round < 3000; ++round) {
    if (live.size() > 200 || (random() % 3 == 0 && !live.empty())) {
      const std::size_t pick = random() % live.size();
      HostArray* array = live[pick];
      const auto mark = static_cast<std::byte>(address(array->user()) / kPage);
      ASSERT_EQ(array->user()[0], mark);
      ASSERT_EQ(array->user()[array->bytes() - 1], mark);
      live[pick] = live.back();
      live.pop_back();
      hostMemory().release(*array);
      continue;
    }
    HostArray& array = allocate(1 + random() % (random() % 4 == 0 ? 3 * kHuge : 10 * kPage), GetParam());
    const auto mark = static_cast<std::byte>(address(array.user()) / kPage);
    array.user()[0] = mark;
    array.user()[array.bytes() - 1] = mark;
    ASSERT_EQ(hostMemory().find(array.user()), &array);
    ASSERT_EQ(hostMemory().find(array.user() + array.bytes() - 1), &array);
    live.push_back(&array);
  }
  for (HostArray* array : live) hostMemory().release(*array);
}

TEST_P(Allocation, refusesWhatDoesNotFit) {
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - kHuge, std::size_t{5} << 40, std::size_t{4} << 40}) {
    const auto array = hostMemory().allocate(bytes, 1, GetParam());
    ASSERT_FALSE(array);
    EXPECT_EQ(array.status().code(), Errc::outOfMemory);
  }
  EXPECT_EQ(hostMemory().allocate(8, std::size_t{2} << 30, GetParam()).status().code(), Errc::outOfMemory);
  EXPECT_EQ(hostMemory().allocate(8, 3, GetParam()).status().code(), Errc::invalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Both, Allocation, testing::Bool(),
                         [](const auto& test) { return test.param ? "mirrored" : "plain"; });

TEST(PlainMemory, takesNoMoreThanItsPages) {
  constexpr std::size_t kBytes = 64 * kHuge;
  const std::size_t before = residentBytes();
  HostArray& array = allocate(kBytes, false);
  EXPECT_LT(residentBytes() - before, kHuge);  // nothing until it is touched
  std::memset(array.user(), 1, kBytes);
  const std::size_t after = residentBytes() - before;
  EXPECT_LT(after, kBytes / 20 * 21);
  EXPECT_GE(after, kBytes / 20 * 19);
  hostMemory().release(array);
  EXPECT_LT(residentBytes(), before + kBytes / 20);
}

// "hg" among the flags of the mapping: somebody asked for huge pages.
bool asksForHugePages(const std::byte* pointer) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::size_t lo = 0;
    std::size_t hi = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx", &lo, &hi) == 2) inside = address(pointer) >= lo && address(pointer) < hi;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line.find(" hg") != std::string::npos;
  }
  return false;
}

// Run twice, with and without the tunable (CMakeLists.txt).
TEST(PlainMemory, asksForHugePagesWhereMallocDoes) {
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  const bool expected = tunables != nullptr && std::string(tunables) == "glibc.malloc.hugetlb=1";
  HostArray& large = allocate(3 * kHuge, false);
  HostArray& small = allocate(3 * kPage, false);
  EXPECT_EQ(asksForHugePages(large.user()), expected);
  EXPECT_FALSE(asksForHugePages(small.user()));
  hostMemory().release(large);
  hostMemory().release(small);
}

TEST(Find, onePastTheEndIsNotTheNextArray) {
  HostArray& large = allocate(2 * kHuge, false);
  HostArray& next = allocate(2 * kHuge, false);
  EXPECT_EQ(hostMemory().find(large.user() + large.bytes()), &large);
  EXPECT_EQ(hostMemory().find(large.user() - 1), nullptr);
  HostArray& small = allocate(kPage + 100, false);
  EXPECT_EQ(hostMemory().find(small.user() + small.bytes()), &small);
  for (HostArray* array : {&large, &next, &small}) hostMemory().release(*array);
}

TEST(Find, knowsNothingElse) {
  int local = 0;
  static int global = 0;
  const auto heap = std::make_unique<int>();
  EXPECT_EQ(hostMemory().find(nullptr), nullptr);
  EXPECT_EQ(hostMemory().find(&local), nullptr);
  EXPECT_EQ(hostMemory().find(&global), nullptr);
  EXPECT_EQ(hostMemory().find(heap.get()), nullptr);
  EXPECT_EQ(hostMemory().find(reinterpret_cast<void*>(~std::uintptr_t{0})), nullptr);
  EXPECT_FALSE(hostMemory().contains(&local));
}

TEST(Find, readersNeverSeeAWrongArrayWhileOthersComeAndGo) {
  HostArray& stays = allocate(3 * kPage, false);
  HostArray& staysToo = allocate(3 * kHuge, false);
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> lookups{0};
  std::vector<std::thread> readers;
  for (int thread = 0; thread < 3; ++thread) {
    readers.emplace_back([&] {
      while (!stop) {
        ASSERT_EQ(hostMemory().find(stays.user() + 2 * kPage), &stays);
        ASSERT_EQ(hostMemory().find(staysToo.user() + kHuge), &staysToo);
        ++lookups;
      }
    });
  }
  for (int round = 0; round < 2000 || lookups < 1000; ++round) {
    HostArray& small = allocate(2 * kPage, false);
    HostArray& large = allocate(kHuge, false);
    hostMemory().release(small);
    hostMemory().release(large);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  hostMemory().release(stays);
  hostMemory().release(staysToo);
}

TEST(Mirror, keepsPlaceAndContents) {
  for (const std::size_t bytes : {std::size_t{100}, 5 * kPage + 7, 70 * kHuge / 2 + kPage}) {
    HostArray& array = allocate(bytes, false);
    std::byte* user = array.user();
    for (std::size_t at = 0; at < bytes; at += 97) user[at] = static_cast<std::byte>(at);
    ASSERT_TRUE(hostMemory().mirror(array).ok());
    ASSERT_TRUE(hostMemory().mirror(array).ok()) << "a second time changes nothing";
    EXPECT_TRUE(array.mirrored());
    ASSERT_EQ(array.user(), user);
    ASSERT_NE(array.alias(), user);
    for (std::size_t at = 0; at < bytes; at += 97) {
      ASSERT_EQ(user[at], static_cast<std::byte>(at));
      ASSERT_EQ(array.alias()[at], static_cast<std::byte>(at));
    }
    array.alias()[bytes - 1] = std::byte{77};
    EXPECT_EQ(user[bytes - 1], std::byte{77});
    hostMemory().release(array);
  }
}

TEST(Mirror, leavesUntouchedPagesWithoutMemory) {
  constexpr std::size_t kBytes = 64 * kHuge;
  HostArray& array = allocate(kBytes, false);
  array.user()[kBytes / 2] = std::byte{1};
  const std::size_t before = residentBytes();
  ASSERT_TRUE(hostMemory().mirror(array).ok());
  EXPECT_LT(residentBytes(), before + kBytes / 8);
  EXPECT_EQ(array.alias()[kBytes / 2], std::byte{1});
  hostMemory().release(array);
}

// ---------------------------------------------------------------- adopted storage

struct alignas(kPage) Static {
  unsigned char bytes[5 * kPage];
};
Static zeroed;
Static filled = {{1, 2, 3}};

TEST(Adopt, leavesPlainStorageAlone) {
  const auto array = hostMemory().adopt(&zeroed, sizeof zeroed - 10, false);
  ASSERT_TRUE(array);
  EXPECT_EQ((*array)->user(), reinterpret_cast<std::byte*>(&zeroed));
  EXPECT_EQ((*array)->alias(), (*array)->user());
  EXPECT_EQ(hostMemory().find(&zeroed.bytes[4 * kPage]), *array);
  EXPECT_TRUE(hostMemory().contains(&zeroed.bytes[1]));
  zeroed.bytes[100] = 9;
  hostMemory().release(**array);
  EXPECT_EQ(hostMemory().find(&zeroed), nullptr);
  EXPECT_FALSE(hostMemory().contains(&zeroed));
  EXPECT_EQ(zeroed.bytes[100], 9);
}

TEST(Adopt, mirrorsStorageInPlaceAndGivesItBack) {
  filled.bytes[sizeof filled - 1] = 4;
  const auto array = hostMemory().adopt(&filled, sizeof filled, true);
  ASSERT_TRUE(array);
  ASSERT_TRUE((*array)->mirrored());
  EXPECT_EQ(filled.bytes[1], 2);
  EXPECT_EQ(filled.bytes[sizeof filled - 1], 4);
  std::byte* alias = (*array)->alias();
  ASSERT_NE(alias, (*array)->user());
  alias[2 * kPage] = std::byte{200};
  EXPECT_EQ(filled.bytes[2 * kPage], 200);
  ASSERT_TRUE(hostMemory().setAccess(**array, 0, kPage, PageAccess::none).ok());
  EXPECT_EQ(mappingOf((*array)->user()), "---s");
  hostMemory().release(**array);
  EXPECT_EQ(mappingOf(reinterpret_cast<std::byte*>(&filled)), "rw-p");
  EXPECT_EQ(filled.bytes[1], 2);
  EXPECT_EQ(filled.bytes[2 * kPage], 200);
  EXPECT_EQ(filled.bytes[sizeof filled - 1], 4);
  filled.bytes[0] = 1;
}

TEST(Adopt, refusesStorageThatIsNotOnAPage) {
  EXPECT_EQ(hostMemory().adopt(&filled.bytes[8], 100, false).status().code(), Errc::invalidArgument);
}

// ---------------------------------------------------------------- protection

TEST(SetAccess, followsAModelAndTheKernelAgrees) {
  constexpr std::size_t kPages = 12;
  HostArray& array = allocate(kPages * kPage - 100, true);
  std::vector<PageAccess> model(kPages, PageAccess::readWrite);
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t lo = random() % array.bytes();
    const std::size_t hi = lo + random() % (array.bytes() - lo + 1);
    const auto access = static_cast<PageAccess>(random() % 3);
    const bool limits = random() % 3 == 0;
    const Status status =
        limits ? hostMemory().limitAccess(array, lo, hi, access) : hostMemory().setAccess(array, lo, hi, access);
    ASSERT_TRUE(status.ok());
    for (std::size_t page = lo / kPage; page * kPage < hi && lo < hi; ++page) {
      model[page] = limits ? std::min(model[page], access) : access;
    }
    for (std::size_t page = 0; page < kPages; ++page) {
      ASSERT_EQ(hostMemory().access(array, page * kPage), model[page]);
      static constexpr const char* kKinds[] = {"---s", "r--s", "rw-s"};
      ASSERT_EQ(mappingOf(array.user() + page * kPage), kKinds[static_cast<int>(model[page])]);
    }
    ASSERT_EQ(mappingOf(array.alias()), "rw-s");
  }
  hostMemory().release(array);
}

TEST(SetAccess, countsThePiecesOfAllArrays) {
  const std::size_t before = hostMemoryImpl().fragments();
  HostArray& array = allocate(8 * kPage, true);
  EXPECT_EQ(hostMemoryImpl().fragments(), before + 1);
  ASSERT_TRUE(hostMemory().setAccess(array, 2 * kPage, 3 * kPage, PageAccess::none).ok());
  EXPECT_EQ(hostMemoryImpl().fragments(), before + 3);
  hostMemory().release(array);
  EXPECT_EQ(hostMemoryImpl().fragments(), before);
}

TEST(SetAccess, countsOnlyWhatTakesAccessAway) {
  auto& array = static_cast<HostArrayImpl&>(allocate(4 * kPage, true));
  const std::uint64_t before = array.revocations();
  ASSERT_TRUE(hostMemory().setAccess(array, 0, 4 * kPage, PageAccess::readWrite).ok());
  EXPECT_EQ(array.revocations(), before);
  ASSERT_TRUE(hostMemory().setAccess(array, 0, kPage, PageAccess::none).ok());
  EXPECT_EQ(array.revocations(), before + 1);
  ASSERT_TRUE(hostMemory().setAccess(array, 0, kPage, PageAccess::none).ok());
  ASSERT_TRUE(hostMemory().setAccess(array, 0, kPage, PageAccess::read).ok());
  EXPECT_EQ(array.revocations(), before + 1);
  hostMemory().release(array);
}

TEST(SetAccess, refusesPlainArraysAndRangesOutside) {
  HostArray& plain = allocate(kPage, false);
  EXPECT_EQ(hostMemory().setAccess(plain, 0, kPage, PageAccess::read).code(), Errc::invalidArgument);
  HostArray& mirrored = allocate(kPage, true);
  EXPECT_EQ(hostMemory().setAccess(mirrored, 0, 3 * kPage, PageAccess::read).code(), Errc::invalidArgument);
  EXPECT_TRUE(hostMemory().setAccess(mirrored, 10, 10, PageAccess::none).ok());
  EXPECT_EQ(hostMemory().access(mirrored, 10), PageAccess::readWrite);
  hostMemory().release(plain);
  hostMemory().release(mirrored);
}

}  // namespace
}  // namespace muster::rt
