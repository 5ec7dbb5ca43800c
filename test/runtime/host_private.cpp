// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that no other device will see: pages and small blocks that are used again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "host/memory/host_memory_impl.h"
#include "host/space/mapping.h"
#include "host/space/private_heap.h"
#include "host/space/small_blocks.h"
#include "muster/abi.h"

namespace muster::rt {
namespace {

// ---------------------------------------------------------------- PrivateHeap

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kHeapPage = 4096;
constexpr std::size_t kMostKept = std::size_t{128} << 20;

bool isNull(std::byte byte) { return byte == std::byte{0}; }

struct Heap {
  int reservations = 0;
  PrivateHeap heap{kHeapPage, kMostKept, [this](std::size_t bytes) -> Result<std::byte*> {
                     ++reservations;
                     return reserveAddresses(bytes, 2 * kMegabyte);
                   }};
  std::byte* take(std::size_t bytes, std::size_t alignment = 1, bool zero = false) {
    const auto range = heap.take(bytes, alignment);
    if (!range) throw std::runtime_error(range.status().message());
    if (zero && !range->zero) PrivateHeap::clear(range->begin, bytes);
    if (zero || range->zero) EXPECT_TRUE(std::all_of(range->begin, range->begin + bytes, isNull)) << bytes;
    std::memset(range->begin, 1, bytes);
    return range->begin;
  }
};

TEST(PrivateHeap, givesTheSameMemoryAgain) {
  Heap heap;
  for (const std::size_t bytes : {kHeapPage, 25 * kHeapPage, kMegabyte, 8 * kMegabyte}) {
    std::byte* first = heap.take(bytes);
    heap.heap.give(first, bytes);
    const std::size_t held = heap.heap.held();
    EXPECT_GE(held, bytes);
    for (int round = 0; round < 20; ++round) {
      std::byte* again = heap.take(bytes);
      EXPECT_EQ(again, first);
      heap.heap.give(again, bytes);
      EXPECT_EQ(heap.heap.held(), held);
    }
  }
  EXPECT_EQ(heap.reservations, 1);
}

// A time step that allocates and frees all that it needs finds it again, however much that is, within the bound.
TEST(PrivateHeap, keepsWhatATimeStepFrees) {
  Heap heap;
  std::vector<std::byte*> ranges;
  for (int i = 0; i < 24; ++i) ranges.push_back(heap.take(4 * kMegabyte));
  for (std::byte* range : ranges) heap.heap.give(range, 4 * kMegabyte);
  EXPECT_EQ(heap.heap.held(), 96 * kMegabyte);
  for (std::byte*& range : ranges) range = heap.take(4 * kMegabyte);
  EXPECT_LE(heap.heap.held(), 4 * kMegabyte) << "one may lie where the heap grew by more than was asked for";
}

TEST(PrivateHeap, holdsNoMoreThanItMay) {
  Heap heap;
  std::vector<std::byte*> ranges;
  for (int i = 0; i < 40; ++i) ranges.push_back(heap.take(4 * kMegabyte));
  for (std::byte* range : ranges) {
    heap.heap.give(range, 4 * kMegabyte);
    EXPECT_LE(heap.heap.held(), kMostKept);
  }
}

// What a program needed long ago goes back to the system.
TEST(PrivateHeap, forgetsAPhaseThatIsOver) {
  Heap heap;
  std::byte* large = heap.take(100 * kMegabyte);
  heap.heap.give(large, 100 * kMegabyte);
  EXPECT_EQ(heap.heap.held(), 100 * kMegabyte);
  for (std::uint64_t i = 0; i <= 2 * KeptMemory::kShortTime; ++i) heap.heap.give(heap.take(kHeapPage), kHeapPage);
  EXPECT_LE(heap.heap.held(), KeptMemory::kSpareBytes);
}

TEST(PrivateHeap, clearsWhatHadContents) {
  Heap heap;
  for (const std::size_t bytes : {kHeapPage, kMegabyte, PrivateHeap::kLarge + kMegabyte}) {
    heap.heap.give(heap.take(bytes), bytes);
    heap.heap.give(heap.take(bytes, 1, true), bytes);
  }
}

TEST(PrivateHeap, rangesDoNotOverlapAndAreAligned) {
  Heap heap;
  std::mt19937 random(3);
  std::map<std::byte*, std::size_t> live;
  for (int round = 0; round < 1000; ++round) {
    if (live.size() > 30 || (random() % 2 == 0 && !live.empty())) {
      const auto pick = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      heap.heap.give(pick->first, pick->second);
      live.erase(pick);
      continue;
    }
    const std::size_t bytes = (1 + random() % (random() % 9 == 0 ? 2000 : 20)) * kHeapPage;
    const std::size_t alignment = std::size_t{1} << random() % 22;
    std::byte* begin = heap.take(bytes, alignment);
    ASSERT_EQ(reinterpret_cast<std::size_t>(begin) % alignment, 0u);
    const auto [at, isNew] = live.emplace(begin, bytes);
    ASSERT_TRUE(isNew);
    if (at != live.begin()) ASSERT_LE(std::prev(at)->first + std::prev(at)->second, begin);
    if (std::next(at) != live.end()) ASSERT_LE(begin + bytes, std::next(at)->first);
  }
}

TEST(PrivateHeap, saysWhatItCannotReserve) {
  PrivateHeap heap(kHeapPage, kMostKept,
                   [](std::size_t) -> Result<std::byte*> { return Status(Errc::outOfMemory, "full"); });
  EXPECT_EQ(heap.take(kHeapPage, 1).status().message(), "full");
  EXPECT_EQ(heap.held(), 0u);
}

// ---------------------------------------------------------------- SmallBlocks

TEST(SmallBlocks, haveLittleMoreRoomThanAskedFor) {
  for (std::size_t bytes = 0; bytes <= SmallBlocks::kLargest; ++bytes) {
    const std::size_t stride = SmallBlocks::strideOf(bytes);
    ASSERT_GE(stride, std::max<std::size_t>(bytes, 1));
    ASSERT_LE(stride, bytes + bytes / 8 + 2 * SmallBlocks::kAlignment) << bytes;
    ASSERT_EQ(stride % SmallBlocks::kAlignment, 0u);
    if (stride >= 1024) ASSERT_EQ(stride / SmallBlocks::kAlignment % 2, 1u) << "blocks begin alike in pages";
  }
}

TEST(SmallBlocks, agreeWithAModel) {
  Heap heap;
  AddressTable table;
  ASSERT_TRUE(table.open().ok());
  SmallBlocks blocks(heap.heap, table);
  static constexpr muster_array_site kSites[2] = {};
  struct Live {
    std::size_t bytes;
    unsigned char mark;
    const muster_array_site* site;
  };
  std::map<std::byte*, Live> live;
  std::mt19937 random(9);
  for (int round = 0; round < 20'000; ++round) {
    const bool shrinks = round / 5'000 % 2 == 1;
    if (!live.empty() && random() % 8 < (shrinks ? 5 : 3)) {
      const auto pick = live.lower_bound(
          std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(live.size(), 50)))
              ->first);
      const auto& [begin, array] = *pick;
      BlockSpan* span = table.owner(begin).span();
      ASSERT_NE(span, nullptr);
      const auto extent = span->blockAt(begin + array.bytes / 2);
      ASSERT_TRUE(extent);
      ASSERT_EQ(extent->begin, begin);
      ASSERT_GE(extent->bytes, array.bytes);
      ASSERT_EQ(span->siteAt(begin), array.site);
      for (std::size_t i = 0; i < array.bytes; ++i) ASSERT_EQ(static_cast<unsigned char>(begin[i]), array.mark);
      blocks.give(*span, begin);
      if (BlockSpan* still = table.owner(begin).span()) ASSERT_FALSE(still->blockAt(begin));
      live.erase(pick);
      continue;
    }
    const std::size_t bytes = random() % (random() % 10 == 0 ? SmallBlocks::kLargest + 1 : 300);
    const Live array{bytes, static_cast<unsigned char>(random()), &kSites[random() % 2]};
    const bool zero = random() % 2 == 0;
    const auto block = blocks.take(bytes, zero, array.site);
    ASSERT_TRUE(block);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(*block) % SmallBlocks::kAlignment, 0u);
    if (zero) ASSERT_TRUE(std::all_of(*block, *block + bytes, isNull));
    std::memset(*block, array.mark, bytes);
    ASSERT_TRUE(live.emplace(*block, array).second);
  }
  EXPECT_EQ(table.find(live.begin()->first), nullptr) << "blocks have no record";
}

// ---------------------------------------------------------------- arrays

TEST(RecycledMemory, isMirroredWhereItBeginsAPage) {
  HostMemoryImpl& memory = hostMemoryImpl();
  for (int round = 0; round < 3; ++round) {  // the heap gives the same range again
    const auto array = memory.allocate(5 * kHeapPage, AllocateOptions{.zero = false, .recycled = true});
    ASSERT_TRUE(array.ok());
    std::byte* const user = (*array)->user();
    std::memset(user, 3 + round, 5 * kHeapPage);
    ASSERT_TRUE(memory.mirror(**array).ok());
    EXPECT_EQ((*array)->user(), user);
    EXPECT_NE((*array)->alias(), user);
    EXPECT_FALSE(memory.resize(**array, 4 * kHeapPage));
    for (std::size_t i = 0; i < 5 * kHeapPage; ++i) ASSERT_EQ(user[i], std::byte(3 + round));
    (*array)->alias()[7] = std::byte{77};
    EXPECT_EQ(user[7], std::byte{77});
    memory.release(**array);
  }
  const auto zero = memory.allocate(5 * kHeapPage, AllocateOptions{.recycled = true});
  ASSERT_TRUE(zero.ok());
  EXPECT_TRUE(std::all_of((*zero)->user(), (*zero)->user() + 5 * kHeapPage, isNull));
  (void)memory.allocate(5 * kHeapPage, AllocateOptions{.recycled = true, .staggered = true});
  const auto inside = memory.allocate(5 * kHeapPage, AllocateOptions{.recycled = true, .staggered = true});
  ASSERT_TRUE(inside.ok());
  EXPECT_FALSE(memory.mirror(**inside).ok());
}

TEST(RecycledMemory, isZeroAlignedAndApart) {
  HostMemoryImpl& memory = hostMemoryImpl();
  std::mt19937 random(5);
  std::vector<HostArrayImpl*> live;
  for (int round = 0; round < 500; ++round) {
    if (live.size() > 20 || (random() % 2 == 0 && !live.empty())) {
      const std::size_t pick = random() % live.size();
      HostArrayImpl* array = live[pick];
      ASSERT_EQ(array->user()[0], array->user()[array->bytes() - 1]);
      memory.release(*array);
      live[pick] = live.back();
      live.pop_back();
      continue;
    }
    const std::size_t alignment = std::size_t{1} << random() % 22;
    const std::size_t bytes = 1 + random() % (random() % 5 == 0 ? 6 * kMegabyte : 20 * kHeapPage);
    const auto array =
        memory.allocate(bytes, AllocateOptions{.alignment = alignment, .recycled = true, .staggered = true});
    ASSERT_TRUE(array.ok()) << array.status().message();
    std::byte* user = (*array)->user();
    ASSERT_EQ(reinterpret_cast<std::size_t>(user) % alignment, 0u);
    ASSERT_TRUE(std::all_of(user, user + bytes, isNull));
    ASSERT_EQ(memory.find(user), *array);
    ASSERT_EQ(memory.find(user + bytes - 1), *array);
    std::memset(user, 1 + static_cast<int>(random() % 250), bytes);
    live.push_back(*array);
  }
  for (HostArrayImpl* array : live) memory.release(*array);
}

TEST(RecycledMemory, changesItsSizeWhereItHasRoom) {
  HostMemoryImpl& memory = hostMemoryImpl();
  const auto array = memory.allocate(5 * kHeapPage + 1, AllocateOptions{.recycled = true});
  const auto other = memory.allocate(5 * kHeapPage, AllocateOptions{});
  ASSERT_TRUE(array.ok() && other.ok());
  EXPECT_TRUE(memory.resize(**array, 6 * kHeapPage));
  EXPECT_EQ((*array)->bytes(), 6 * kHeapPage);
  EXPECT_FALSE(memory.resize(**array, 6 * kHeapPage + 1));
  EXPECT_FALSE(memory.resize(**array, kHeapPage));
  EXPECT_FALSE(memory.resize(**other, 5 * kHeapPage - 1)) << "it may be mirrored";
  memory.release(**array);
  memory.release(**other);
}

}  // namespace
}  // namespace muster::rt
