// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each chunk of a launch reads and writes, and whether two chunks write the same elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array_group.h"
#include "muster/cap/planner.h"
#include "shape.h"

namespace muster::cap {

// coarse: gaps in writes are counted in, which may make chunks overlap that do not; fine: rows are kept apart.
enum class Detail : std::uint8_t { coarse, fine };

class ChunkRegions {
 public:
  // `chunks`: how many there will be, which limits the rows of each that are kept apart.
  ChunkRegions(const LaunchSpec& spec, std::size_t chunks);

  // Sets chunk's reads, writes and windows from its iterations.
  void fill(Chunk& chunk, Detail detail);

 private:
  [[nodiscard]] AccessRegion touched(const Access& access, const Chunk& chunk, bool rowsApart);

  const LaunchSpec& spec_;
  std::size_t maxIntervals_;
  ShapeSolver solver_;
  std::vector<IntervalSet> surely_, perhaps_;  // written, per array parameter
};

struct Conflict {
  std::uint16_t parameter = 0;        // of the first chunk
  std::size_t first = 0, second = 0;  // chunks
  Interval elements;
};

// Elements of one array that two chunks write.
[[nodiscard]] std::optional<Conflict> findConflict(const std::vector<Chunk>& chunks, const ArrayGroup& array);

}  // namespace muster::cap
