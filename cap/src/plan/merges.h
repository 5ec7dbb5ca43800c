// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements several chunks of a launch write, and how their copies become one again (docs/architecture.md, Writes
// that are not exact, and merges).
#pragma once

#include <vector>

#include "muster/cap/planner.h"
#include "plan/array_group.h"
#include "plan/chunk_regions.h"

namespace muster::cap {

struct Sharing {
  std::vector<Merge> merges;
  PlanReason reason;  // not empty: the launch has to run on one device, and why
};

// Fills in the chunks' regions and finds what they share; `chunks` is not empty. Elements to merge are among the reads
// of each chunk that may write them. With a reason the regions are of no use.
[[nodiscard]] Sharing shareArrays(const LaunchSpec& spec, const std::vector<ArrayGroup>& arrays, ChunkRegions& regions,
                                  std::vector<Chunk>& chunks);

}  // namespace muster::cap
