// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coherence: for each element interval of an array, the memories that hold its newest value (design,
// section 4). Immutable values: a launch turns one state into the next, every rank alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/cap/region.h"

namespace muster::cap {

// 0 is the host view of rank 0 (and so the memory of rank 0's CPU device); the others belong to one device each.
using MemoryId = std::uint32_t;
inline constexpr MemoryId hostMemory = 0;

// Sorted, no duplicates, never empty inside a state.
using MemorySet = std::vector<MemoryId>;

class ArrayState {
 public:
  struct Piece {
    Interval elements;
    MemorySet holders;
    bool operator==(const Piece&) const = default;
  };

  // All `count` elements are held by `memory` alone.
  ArrayState(std::int64_t count, MemoryId memory);

  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }  // cover [0, count), merged
  [[nodiscard]] IntervalSet heldBy(MemoryId memory) const;
  // Elements for which `memory` is the only holder.
  [[nodiscard]] IntervalSet heldOnlyBy(MemoryId memory) const;
  [[nodiscard]] IntervalSet missingAt(MemoryId memory, const IntervalSet& wanted) const;

  void addHolder(const IntervalSet& elements, MemoryId memory);
  void setOwner(const IntervalSet& elements, MemoryId memory);  // the only holder from now on
  // Forget that `memory` holds these; panics where it is the only holder.
  void dropHolder(const IntervalSet& elements, MemoryId memory);

  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] std::string toString() const;
  bool operator==(const ArrayState&) const = default;

 private:
  std::vector<Piece> pieces_;
};

using ArrayStateRef = std::shared_ptr<const ArrayState>;

}  // namespace muster::cap
