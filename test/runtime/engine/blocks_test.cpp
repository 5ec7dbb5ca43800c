// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/arrays/blocks.h"

#include <gtest/gtest.h>

#include <thread>

namespace {

using muster::rt::currentBlock;

const muster_loc outer{"prog.cpp", 3, 1}, inner{"prog.cpp", 9, 1};

TEST(Blocks, NoneIsOpenOutside) { EXPECT_EQ(currentBlock().number, 0u); }

TEST(Blocks, NestAndAreNumberedInOrder) {
  muster_block_begin(&outer);
  const auto first = currentBlock();
  EXPECT_GT(first.number, 0u);
  EXPECT_EQ(first.start.line, 3u);
  muster_block_begin(&inner);
  EXPECT_EQ(currentBlock().number, first.number + 1);
  EXPECT_EQ(currentBlock().start.line, 9u);
  muster_block_end(&inner);
  EXPECT_EQ(currentBlock().number, first.number);
  muster_block_end(&outer);
  EXPECT_EQ(currentBlock().number, 0u);
}

TEST(Blocks, BelongToOneThread) {
  muster_block_begin(&outer);
  std::uint32_t seen = 1;
  std::thread([&] { seen = currentBlock().number; }).join();
  EXPECT_EQ(seen, 0u);
  muster_block_end(&outer);
}

TEST(BlocksDeathTest, EndWithoutStartEndsTheProgram) {
  EXPECT_EXIT(muster_block_end(&outer), testing::ExitedWithCode(1),
              "prog.cpp:3: alloc_end without an open alloc_start");
}

}  // namespace
