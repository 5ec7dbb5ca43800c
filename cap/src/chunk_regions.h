// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each chunk of a launch reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array_group.h"
#include "muster/cap/planner.h"
#include "shape.h"

namespace muster::cap {

// coarse: gaps between many rows are counted in, which may make chunks overlap that do not; fine: rows are kept apart.
enum class Detail : std::uint8_t { coarse, fine };

class ChunkRegions {
 public:
  // `chunks`: how many there will be, which limits the rows of each that are kept apart.
  ChunkRegions(const LaunchSpec& spec, std::size_t chunks);

  // Sets chunk's reads, writes and windows from its iterations, coarsely.
  void fill(Chunk& chunk);
  // The same for one array alone.
  void refill(Chunk& chunk, const ArrayGroup& array, Detail detail);

  // Did fill() count in so many gaps of an array that Detail::fine could make a difference to what has to move?
  [[nodiscard]] bool loose(const ArrayGroup& array) const;

 private:
  [[nodiscard]] Shape& shapeOf(const Access& access, const Chunk& chunk);
  [[nodiscard]] std::optional<AccessRegion> rowsOf(const Access& access, Shape& shape, Detail detail);
  void add(Chunk& chunk, const Access& access, Detail detail);
  template <class Elements>
  void note(Chunk& chunk, const Access& access, Elements&& elements, bool exact);
  void settle(Chunk& chunk, std::size_t parameter);

  const LaunchSpec& spec_;
  std::size_t fewRows_, maxIntervals_;
  ShapeSolver solver_;
  const Access* solved_ = nullptr;             // for the chunk that is being filled
  std::vector<const Access*> accesses_;        // of the launch, those with the same rows after one another
  std::vector<IntervalSet> surely_, perhaps_;  // written, per array parameter
  std::vector<bool> loose_;                    // per array parameter
};

}  // namespace muster::cap
