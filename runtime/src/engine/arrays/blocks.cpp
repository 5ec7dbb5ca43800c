// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/arrays/blocks.h"

#include <fmt/core.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// Blocks nest when a function with a block of its own is called inside one.
thread_local std::vector<muster::rt::AllocationBlock> openBlocks;
std::atomic<std::uint32_t> blocksSoFar{0};

}  // namespace

muster::rt::AllocationBlock muster::rt::currentBlock() {
  return openBlocks.empty() ? AllocationBlock{} : openBlocks.back();
}

#pragma GCC visibility push(default)

void muster_block_begin(const muster_loc* loc) {
  openBlocks.push_back({blocksSoFar.fetch_add(1, std::memory_order_relaxed) + 1, *loc});
}

void muster_block_end(const muster_loc* loc) {
  if (openBlocks.empty()) {
    // The plugin pairs them; code written by hand, or a jump out of a block, can get here.
    fmt::print(stderr, "muster: error: {}:{}: alloc_end without an open alloc_start on this thread\n", loc->file,
               loc->line);
    std::exit(1);
  }
  openBlocks.pop_back();
}

#pragma GCC visibility pop
