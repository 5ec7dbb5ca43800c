// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each chunk of a launch reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cap/planner.h"
#include "plan/array_group.h"
#include "region/shape.h"

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
  struct Entry;
  [[nodiscard]] Interval iterationsOf(const Entry& entry, const Chunk& chunk) const;
  [[nodiscard]] Shape& shapeOf(const Entry& entry, const Interval& iterations);
  [[nodiscard]] std::optional<AccessRegion> rowsOf(const Access& access, Shape& shape, Detail detail);
  // What chunks touch that is one interval: chunks with as many iterations touch the same elements, moved by a stride
  // per iteration between them, unless an inner loop depends on dims[0].
  struct Known {
    std::int64_t iterations = 0;  // 0: nothing is known
    Detail detail = Detail::coarse;
    bool exact = false;       // inside the array
    Wide first = 0, end = 0;  // for a chunk that begins at iteration 0, not clamped
  };
  // An access, and those beside it that touch the next elements in the same way: `x[4 * i]` to `x[4 * i + 3]`.
  struct Entry {
    const Access* access = nullptr;  // the one with the smallest constant
    std::int64_t width = 1;          // elements that all of them touch in one iteration
    bool moving = false;
    Wide stride = 0;
    std::array<Known, 32> known;  // by a hash of `iterations`
  };
  [[nodiscard]] static Known& knownOf(Entry& entry, const Interval& iterations);
  [[nodiscard]] bool addKnown(Chunk& chunk, Entry& entry, const Interval& iterations, Detail detail);
  void add(Chunk& chunk, Entry& entry, Detail detail);
  template <class Elements>
  void note(Chunk& chunk, const Access& access, Elements&& elements, bool exact);
  void settle(Chunk& chunk, std::size_t parameter);

  const LaunchSpec& spec_;
  std::size_t fewRows_, maxIntervals_;
  ShapeSolver solver_;
  const Entry* solved_ = nullptr;              // for the chunk that is being filled
  Interval solvedFor_;                         // these iterations
  std::vector<Entry> accesses_;                // of the launch, those with the same rows after one another
  std::vector<IntervalSet> surely_, perhaps_;  // written, per array parameter
  std::vector<bool> loose_;                    // per array parameter
};

}  // namespace muster::cap
