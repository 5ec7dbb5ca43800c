// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a chunk can compute while its ghost cells travel. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "muster/cap/planner.h"

namespace muster::cap {

// The largest run of iterations around the chunk's middle that touches no element which `copies` bring to its memory.
// Empty where there is none.
[[nodiscard]] Interval interiorOf(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies);

// Below so many innermost iterations, starting a chunk in three parts costs more than it hides.
inline constexpr std::int64_t overlapIterations = 1 << 16;
[[nodiscard]] bool worthOverlapping(const LaunchSpec& spec, const Chunk& chunk);

}  // namespace muster::cap
