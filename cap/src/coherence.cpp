// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of arrays. Every change builds a new list of pieces in one pass, so that many grants cost as much as one.
#include "muster/cap/coherence.h"

#include <algorithm>
#include <utility>

#include "hash.h"
#include "muster/cdm/status.h"

namespace muster::cap {

namespace {

void sortByStart(std::vector<ArrayState::Grant>& grants) {
  std::erase_if(grants, [](const ArrayState::Grant& g) { return g.elements.empty(); });
  const auto before = [](const ArrayState::Grant& a, const ArrayState::Grant& b) {
    return a.elements.lo != b.elements.lo ? a.elements.lo < b.elements.lo : a.memory < b.memory;
  };
  if (!std::is_sorted(grants.begin(), grants.end(), before)) std::sort(grants.begin(), grants.end(), before);
}

std::vector<ArrayState::Grant> grantsOf(const IntervalSet& elements, MemoryId memory) {
  std::vector<ArrayState::Grant> grants;
  grants.reserve(elements.intervals());
  for (const Interval& interval : elements) grants.push_back({interval, memory});
  return grants;
}

bool disjoint(const std::vector<ArrayState::Grant>& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end(),
                            [](const auto& a, const auto& b) { return b.elements.lo < a.elements.hi; }) == sorted.end();
}

}  // namespace

ArrayState::ArrayState(std::int64_t count, MemoryId memory) {
  if (count > 0) pieces_.push_back({{0, count}, {memory}});
}

std::int64_t ArrayState::count() const { return pieces_.empty() ? 0 : pieces_.back().elements.hi; }

std::vector<ArrayState::Piece>::const_iterator ArrayState::pieceAt(std::int64_t element) const {
  return std::upper_bound(pieces_.begin(), pieces_.end(), element,
                          [](std::int64_t e, const Piece& piece) { return e < piece.elements.hi; });
}

std::vector<ArrayState::Piece>::const_iterator ArrayState::pieceAt(std::int64_t element,
                                                                   std::vector<Piece>::const_iterator near) const {
  for (int tries = 0; tries < 2 && near != pieces_.end() && near->elements.lo <= element; ++tries, ++near) {
    if (element < near->elements.hi) return near;
  }
  return pieceAt(element);
}

IntervalSet ArrayState::heldBy(MemoryId memory) const {
  IntervalSet held;
  for (const Piece& piece : pieces_) {
    if (piece.holders.contains(memory)) held.add(piece.elements);
  }
  return held;
}

IntervalSet ArrayState::heldOnlyBy(MemoryId memory) const {
  IntervalSet held;
  for (const Piece& piece : pieces_) {
    if (piece.holders.size() == 1 && piece.holders.front() == memory) held.add(piece.elements);
  }
  return held;
}

IntervalSet ArrayState::missingAt(MemoryId memory, const IntervalSet& wanted) const {
  IntervalSet missing;
  for (const Interval& interval : wanted) {
    checkRange(interval, "missingAt");
    for (auto piece = pieceAt(interval.lo); piece != pieces_.end() && piece->elements.lo < interval.hi; ++piece) {
      if (!piece->holders.contains(memory)) missing.add(piece->elements.intersect(interval));
    }
  }
  return missing;
}

void ArrayState::addHolder(const IntervalSet& elements, MemoryId memory) {
  *this = withHolders(grantsOf(elements, memory));
}

void ArrayState::setOwner(const IntervalSet& elements, MemoryId memory) {
  *this = withOwners(grantsOf(elements, memory));
}

void ArrayState::dropHolder(const IntervalSet& elements, MemoryId memory) {
  const IntervalSet lost = heldOnlyBy(memory).intersect(elements);
  if (!lost.empty()) {
    panic("ArrayState::dropHolder: memory " + std::to_string(memory) + " is the only holder of " + lost.toString());
  }
  *this = rewritten(grantsOf(elements, memory),
                    [](const Piece& piece, const Grant& grant) { return piece.holders.without(grant.memory); });
}

ArrayState ArrayState::withOwners(std::vector<Grant> grants) const {
  sortByStart(grants);
  if (!disjoint(grants)) panic("ArrayState::withOwners: two memories cannot both be the only holder of an element");
  return rewritten(grants, [](const Piece&, const Grant& grant) { return MemorySet{grant.memory}; });
}

ArrayState ArrayState::withShares(const std::vector<Share>& shares) const {
  return rewritten(shares, [](const Piece& piece, const Share& share) {
    return share.memories.contains(piece.holders) ? share.memories : piece.holders.with(share.memories);
  });
}

// A sweep over the pieces with the memories whose grants are open at the current element.
ArrayState ArrayState::withHolders(std::vector<Grant> grants) const {
  sortByStart(grants);
  if (grants.empty()) return *this;
  std::vector<Grant> byEnd = grants;
  const auto endsBefore = [](const Grant& a, const Grant& b) { return a.elements.hi < b.elements.hi; };
  if (!std::is_sorted(byEnd.begin(), byEnd.end(), endsBefore)) std::sort(byEnd.begin(), byEnd.end(), endsBefore);
  checkRange({grants.front().elements.lo, byEnd.back().elements.hi}, "withHolders");

  ArrayState result;
  result.pieces_.reserve(pieces_.size() + 2 * grants.size());
  std::vector<MemoryId> open;  // sorted; a memory with two open grants is in it twice
  auto start = grants.begin();
  auto end = byEnd.begin();
  for (const Piece& piece : pieces_) {
    for (std::int64_t at = piece.elements.lo; at < piece.elements.hi;) {
      for (; end != byEnd.end() && end->elements.hi <= at; ++end) {
        open.erase(std::lower_bound(open.begin(), open.end(), end->memory));
      }
      for (; start != grants.end() && start->elements.lo <= at; ++start) {
        open.insert(std::lower_bound(open.begin(), open.end(), start->memory), start->memory);
      }
      std::int64_t next = piece.elements.hi;
      if (end != byEnd.end()) next = std::min(next, end->elements.hi);
      if (start != grants.end()) next = std::min(next, start->elements.lo);
      result.append({at, next}, open.empty() ? piece.holders : piece.holders.with(open));
      at = next;
    }
  }
  return result;
}

std::uint64_t ArrayState::hash() const {
  Hash hash;
  for (const Piece& piece : pieces_) {
    hash.add(static_cast<std::uint64_t>(piece.elements.hi));
    for (const MemoryId memory : piece.holders) hash.add(memory);
  }
  return hash.value();
}

std::string ArrayState::toString() const {
  std::string text;
  for (const Piece& piece : pieces_) {
    if (!text.empty()) text += ' ';
    text += IntervalSet(piece.elements).toString() + '{';
    const char* comma = "";
    for (const MemoryId holder : piece.holders) text += std::exchange(comma, ",") + std::to_string(holder);
    text += '}';
  }
  return text;
}

void ArrayState::checkRange(const Interval& elements, const char* call) const {
  if (elements.lo >= 0 && elements.hi <= count()) return;
  panic(std::string("ArrayState::") + call + ": " + IntervalSet(elements).toString() + " is outside the array's [0," +
        std::to_string(count()) + ")");
}

void ArrayState::append(Interval elements, const MemorySet& holders) {
  if (!pieces_.empty() && pieces_.back().holders == holders) {
    pieces_.back().elements.hi = elements.hi;
  } else {
    pieces_.push_back({elements, holders});
  }
}

// With the holders of each grant's elements replaced by change(piece, grant). Grants are sorted and disjoint.
template <class Grants, class Change>
ArrayState ArrayState::rewritten(const Grants& grants, Change change) const {
  if (grants.empty()) return *this;
  checkRange({grants.front().elements.lo, grants.back().elements.hi}, "a change of holders");
  ArrayState result;
  result.pieces_.reserve(pieces_.size() + 2 * grants.size());
  auto grant = grants.begin();
  for (const Piece& piece : pieces_) {
    std::int64_t done = piece.elements.lo;
    for (; grant != grants.end() && grant->elements.lo < piece.elements.hi; ++grant) {
      const Interval changed = piece.elements.intersect(grant->elements);
      if (done < changed.lo) result.append({done, changed.lo}, piece.holders);
      result.append(changed, change(piece, *grant));
      done = changed.hi;
      if (grant->elements.hi > piece.elements.hi) break;  // it goes on in the next piece
    }
    if (done < piece.elements.hi) result.append({done, piece.elements.hi}, piece.holders);
  }
  return result;
}

}  // namespace muster::cap
