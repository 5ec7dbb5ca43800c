// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers to rows, of which not all entries may be there.
#include "host/arrays/table_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace muster::rt {
namespace {

struct CountedRead {
  int* calls;
  const std::byte* end;
  bool operator()(const void* from, std::size_t bytes, void* into) const {
    ++*calls;
    if (static_cast<const std::byte*>(from) + bytes > end) return false;
    std::memcpy(into, from, bytes);
    return true;
  }
};

class Table : public testing::Test {
 protected:
  Table() {
    for (std::size_t i = 0; i < kEntries; ++i) memory_.pages[i] = reinterpret_cast<std::byte*>(i * 8);
  }
  static constexpr std::size_t kEntries = 2048;
  struct alignas(4096) Pages {
    std::byte* pages[kEntries];
  };
  Pages memory_;
  int calls_ = 0;
  CountedRead read(std::size_t entries) {
    return {&calls_, reinterpret_cast<const std::byte*>(memory_.pages + entries)};
  }
};

TEST_F(Table, isReadInBlocks) {
  for (const std::int64_t last : {1001, 1023, 2047}) {  // the bound is exact, at a page's end, and too wide
    calls_ = 0;
    TableReader reader(memory_.pages, last, std::nullopt, read(1024));
    for (std::int64_t row = 1; row <= 1001; ++row)
      ASSERT_EQ(reader.entry(row), reinterpret_cast<std::byte*>(row * 8)) << last;
    EXPECT_LE(calls_, 3) << last;
  }
}

TEST_F(Table, saysWhichEntriesAreNotThere) {
  TableReader reader(memory_.pages + 512, 1535, std::nullopt, read(1024));
  EXPECT_TRUE(reader.entry(511));
  EXPECT_FALSE(reader.entry(512));
  EXPECT_TRUE(reader.entry(0));
}

TEST_F(Table, isReadInPlaceWhereItIsKnown) {
  TableReader reader(memory_.pages, 2047, std::pair<std::int64_t, std::int64_t>(0, 999), read(0));
  for (std::int64_t row = 0; row < 1000; ++row) ASSERT_EQ(reader.entry(row), reinterpret_cast<std::byte*>(row * 8));
  EXPECT_EQ(calls_, 0);
  EXPECT_FALSE(reader.entry(1000));
}

}  // namespace
}  // namespace muster::rt
