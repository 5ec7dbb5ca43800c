// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the copies of a plan become messages: large ones travel in parts, small ones between the same two memories
// together.
// Pure. What becomes of copies between two ranks depends on
// these alone and their order, so that both ends of a message agree without talking, whatever else they know.
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

// Copies next to each other in a message that are equal rows of one array, equally far apart, as the column of a grid
// is: a device moves them together.
struct CopyRun {
  std::span<const Copy* const> copies;  // at least one
  std::int64_t stride = 0;              // elements, from the start of one to the start of the next
  [[nodiscard]] const Copy& first() const { return *copies.front(); }
  [[nodiscard]] Interval hull() const { return {first().elements.lo, copies.back()->elements.hi}; }
  [[nodiscard]] std::size_t bytes() const { return copies.size() * static_cast<std::size_t>(first().bytes()); }
};
// The one at the beginning. Copies of at least `large` bytes are runs by themselves.
[[nodiscard]] CopyRun firstRun(std::span<const Copy* const> copies, std::int64_t large);

// Copies of at least this size are not packed.
inline constexpr std::int64_t packLimitBytes = 256 << 10;
// Messages of one plan between two ranks; above it everything between two memories is packed.
inline constexpr std::uint32_t maxMessages = 0xE000;

using RankOf = std::function<int(MemoryId)>;
// Bytes of a message from one memory to another at most.
using Largest = std::function<std::size_t(MemoryId from, MemoryId to)>;
// Large copies in parts of about the same size. Empty if there is nothing to cut.
[[nodiscard]] std::vector<Copy> cutCopies(std::span<const Copy> copies, const Largest& largest);
// Packs small copies together, as long as there are numbers for so many messages.
[[nodiscard]] std::vector<Message> groupCopies(std::span<const Copy> copies, const RankOf& rankOf,
                                               const Largest& largest);

}  // namespace muster::cap
