// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coherence: for each element interval of an array, the memories that hold its newest value (design,
// section 4). Immutable values: a launch turns one state into the next, every rank alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
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
  // Pieces in their order; each is found where it stands, or is one of a first period, moved.
  class Iterator;
  class Pieces;  // begin() to end(), size(), empty()
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
  [[nodiscard]] Pieces pieces() const;  // cover [0, count), merged
  // The first piece that ends after `element`: where a walk over the pieces from there on starts.
  [[nodiscard]] Iterator pieceAt(std::int64_t element) const;
  // The same; fast if it is the piece `near` or the one behind it.
  [[nodiscard]] Iterator pieceAt(std::int64_t element, const Iterator& near) const;
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

  // The same state in less memory: of pieces that repeat themselves many times, as where a device has written a few
  // columns of a matrix, the first period is kept. Changes write them out again. Nothing: there are none.
  [[nodiscard]] std::optional<ArrayState> packed() const;
  // Bytes outside of the object.
  [[nodiscard]] std::size_t allocated() const;

  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] std::string toString() const;  // "[0,4){0} [4,8){1,2}"
  bool operator==(const ArrayState& other) const;

 private:
  // Pieces [begin, end) of the list, and count - 1 times the same again, each time `stride` elements further.
  struct Period {
    std::size_t begin = 0, end = 0;
    std::int64_t stride = 0, count = 0;
    bool operator==(const Period&) const = default;
  };

  ArrayState() = default;
  void checkRange(const Interval& elements, const char* call) const;
  void append(Interval elements, const MemorySet& holders);
  template <class Grants, class Change>
  [[nodiscard]] ArrayState rewritten(const Grants& grants, Change change) const;

  [[nodiscard]] std::size_t firstEndingAfter(std::size_t begin, std::size_t end, std::int64_t element) const;
  [[nodiscard]] bool recurs(std::size_t piece, std::size_t period, std::int64_t stride) const;

  std::vector<Piece> pieces_;
  std::vector<Period> periods_;  // ascending, apart
};

class ArrayState::Iterator {
 public:
  struct Reference {
    Interval elements;
    const MemorySet& holders;
    const Reference* operator->() const { return this; }
  };
  using iterator_category = std::input_iterator_tag;
  using value_type = Piece;
  using difference_type = std::ptrdiff_t;
  using pointer = Reference;
  using reference = Reference;

  Reference operator*() const {
    return {{piece_->elements.lo + moved_, piece_->elements.hi + moved_}, piece_->holders};
  }
  Reference operator->() const { return **this; }
  Iterator& operator++() {
    if (++piece_ == periodEnd_) startOver();
    return *this;
  }
  bool operator==(const Iterator& other) const { return piece_ == other.piece_ && moved_ == other.moved_; }

 private:
  friend class ArrayState;
  friend class ArrayState::Pieces;
  Iterator(const ArrayState& state, std::size_t piece, std::size_t period, std::int64_t moved)
      : state_(&state), piece_(state.pieces_.data() + piece), moved_(moved), period_(period) {
    findPeriodEnd();
  }
  void startOver();
  void findPeriodEnd() {
    const bool more = period_ < state_->periods_.size();
    periodEnd_ = more ? state_->pieces_.data() + state_->periods_[period_].end : nullptr;
  }

  const ArrayState* state_;
  const Piece* piece_;      // in the list
  const Piece* periodEnd_;  // of the period that it is in, or of the next one
  std::int64_t moved_;      // from the first repetition of that period
  std::size_t period_;
};

class ArrayState::Pieces {
 public:
  explicit Pieces(const ArrayState& state) : state_(state) {}
  [[nodiscard]] Iterator begin() const { return {state_, 0, 0, 0}; }
  [[nodiscard]] Iterator end() const { return {state_, state_.pieces_.size(), state_.periods_.size(), 0}; }
  [[nodiscard]] bool empty() const { return state_.pieces_.empty(); }
  [[nodiscard]] std::size_t size() const;

 private:
  const ArrayState& state_;
};

inline ArrayState::Pieces ArrayState::pieces() const { return Pieces(*this); }

using ArrayStateRef = std::shared_ptr<const ArrayState>;

}  // namespace muster::cap
