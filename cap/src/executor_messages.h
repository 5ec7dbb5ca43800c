// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the copies of a plan become messages: large ones travel alone, small ones between the same two memories together.
// Pure, and the same on every rank, so that both ends of a message agree without talking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "muster/cap/planner.h"

namespace muster::cap {

struct Message {
  MemoryId from = hostMemory, to = hostMemory;
  std::vector<const Copy*> copies;  // their bytes follow one another
  std::size_t bytes = 0;
  std::uint32_t index = 0;  // tells messages between the same two ranks apart
};

// Copies of at least this size are not packed.
inline constexpr std::int64_t packLimitBytes = 256 << 10;
// Messages of one plan between two ranks; above it everything between two memories is packed.
inline constexpr std::uint32_t maxMessages = 0xE000;

using RankOf = std::function<int(MemoryId)>;
[[nodiscard]] std::vector<Message> groupCopies(std::span<const Copy> copies, const RankOf& rankOf);

}  // namespace muster::cap
