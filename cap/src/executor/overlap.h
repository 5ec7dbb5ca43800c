// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a chunk can compute while its ghost cells travel. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cap/planner.h"

namespace muster::cap {

// A long run of iterations that touches no element which `copies` bring to the chunk's memory: around its middle, or
// where that is short, towards one of its ends. Empty where there is none.
[[nodiscard]] Interval interiorOf(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies);

// A chunk cut into what is below its interior, the interior, and what is above.
struct ChunkParts {
  Interval interior;
  // Per part and array parameter, the hull of the elements that it can touch.
  std::array<std::vector<Interval>, 3> touched;
};
[[nodiscard]] ChunkParts cutAtInterior(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies);

// Below so many innermost iterations, starting a chunk in three parts costs more than it hides.
inline constexpr std::int64_t overlapIterations = 1 << 16;
[[nodiscard]] bool worthOverlapping(const LaunchSpec& spec, const Chunk& chunk);

}  // namespace muster::cap
