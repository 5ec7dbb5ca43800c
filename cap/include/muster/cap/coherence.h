// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coherence: for each element interval of an array, the memories that hold its newest value (design,
// section 4). Immutable values: a launch turns one state into the next, every rank alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/cap/memory_set.h"
#include "muster/cap/region.h"

namespace muster::cap {

class ArrayState {
 public:
  struct Piece {
    Interval elements;
    MemorySet holders;
    bool operator==(const Piece&) const = default;
  };
  // Elements that a memory gets, for the changes in bulk below.
  struct Grant {
    Interval elements;
    MemoryId memory = hostMemory;
  };

  // Elements that several memories get.
  struct Share {
    Interval elements;
    MemorySet memories;
  };

  // All `count` elements are held by `memory` alone.
  ArrayState(std::int64_t count, MemoryId memory);

  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }  // cover [0, count), merged
  // The first piece that ends after `element`: where a walk over the pieces from there on starts.
  [[nodiscard]] std::vector<Piece>::const_iterator pieceAt(std::int64_t element) const;
  // The same; fast if it is the piece `near` or the one behind it.
  [[nodiscard]] std::vector<Piece>::const_iterator pieceAt(std::int64_t element,
                                                           std::vector<Piece>::const_iterator near) const;
  [[nodiscard]] IntervalSet heldBy(MemoryId memory) const;
  // Elements for which `memory` is the only holder.
  [[nodiscard]] IntervalSet heldOnlyBy(MemoryId memory) const;
  [[nodiscard]] IntervalSet missingAt(MemoryId memory, const IntervalSet& wanted) const;

  // Changes. Elements outside [0, count) are a programmer's error: panic.
  void addHolder(const IntervalSet& elements, MemoryId memory);
  void setOwner(const IntervalSet& elements, MemoryId memory);  // the only holder from now on
  // Forget that `memory` holds these; panics where it is the only holder.
  void dropHolder(const IntervalSet& elements, MemoryId memory);

  // The state with many grants made, in one pass over the pieces. Grants come in any order; those of owners must not
  // overlap.
  [[nodiscard]] ArrayState withHolders(std::vector<Grant> grants) const;
  [[nodiscard]] ArrayState withOwners(std::vector<Grant> grants) const;
  // Shares are ascending and do not overlap.
  [[nodiscard]] ArrayState withShares(const std::vector<Share>& shares) const;

  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] std::string toString() const;  // "[0,4){0} [4,8){1,2}"
  bool operator==(const ArrayState&) const = default;

 private:
  ArrayState() = default;
  void checkRange(const Interval& elements, const char* call) const;
  void append(Interval elements, const MemorySet& holders);
  template <class Grants, class Change>
  [[nodiscard]] ArrayState rewritten(const Grants& grants, Change change) const;

  std::vector<Piece> pieces_;
};

using ArrayStateRef = std::shared_ptr<const ArrayState>;

}  // namespace muster::cap
