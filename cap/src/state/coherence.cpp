// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of arrays. Every change builds a new list of pieces in one pass, so that many grants cost as much as one.
#include "muster/cap/coherence.h"

#include <algorithm>
#include <utility>

#include "muster/cdm/status.h"
#include "state/hash.h"

namespace muster::cap {

namespace {

// Shorter lists of pieces, and repetitions in them, stay as they are.
constexpr std::size_t fewestPacked = 32;
// Pieces that may repeat themselves.
constexpr std::size_t longestPeriod = 4;

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

std::int64_t ArrayState::count() const {
  if (pieces_.empty()) return 0;
  const std::int64_t end = pieces_.back().elements.hi;
  const bool repeated = !periods_.empty() && periods_.back().end == pieces_.size();
  return repeated ? end + (periods_.back().count - 1) * periods_.back().stride : end;
}

void ArrayState::Iterator::startOver() {
  const Period& period = state_->periods_[period_];
  moved_ += period.stride;
  if (moved_ < period.count * period.stride) {
    piece_ -= period.end - period.begin;
  } else {
    moved_ = 0;
    ++period_;
    findPeriodEnd();
  }
}

std::size_t ArrayState::Pieces::size() const {
  std::size_t size = state_.pieces_.size();
  for (const Period& period : state_.periods_)
    size += static_cast<std::size_t>(period.count - 1) * (period.end - period.begin);
  return size;
}

// In the list, from `begin` to before `end`.
std::size_t ArrayState::firstEndingAfter(std::size_t begin, std::size_t end, std::int64_t element) const {
  const auto first = pieces_.begin();
  const auto found =
      std::upper_bound(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end), element,
                       [](std::int64_t e, const Piece& piece) { return e < piece.elements.hi; });
  return static_cast<std::size_t>(found - first);
}

ArrayState::Iterator ArrayState::pieceAt(std::int64_t element) const {
  if (periods_.empty()) return {*this, firstEndingAfter(0, pieces_.size(), element), 0, 0};
  const auto startOf = [this](const Period& period) { return pieces_[period.begin].elements.lo; };
  const auto period = std::upper_bound(periods_.begin(), periods_.end(), element, [&](std::int64_t e, const Period& p) {
    return e < startOf(p) + p.count * p.stride;
  });
  const auto number = static_cast<std::size_t>(period - periods_.begin());
  if (period == periods_.end() || element < startOf(*period)) {
    const std::size_t begin = number > 0 ? periods_[number - 1].end : 0;
    return {*this, firstEndingAfter(begin, period == periods_.end() ? pieces_.size() : period->begin, element), number,
            0};
  }
  const std::int64_t moved = (element - startOf(*period)) / period->stride * period->stride;
  return {*this, firstEndingAfter(period->begin, period->end, element - moved), number, moved};
}

ArrayState::Iterator ArrayState::pieceAt(std::int64_t element, const Iterator& near) const {
  const Piece* const end = pieces_.data() + pieces_.size();
  if (near.piece_ == end || element < near->elements.lo) return pieceAt(element);
  if (element < near->elements.hi) return near;
  Iterator next = near;
  ++next;
  return next.piece_ != end && element < next->elements.hi ? next : pieceAt(element);
}

IntervalSet ArrayState::heldBy(MemoryId memory) const {
  IntervalSet held;
  for (const auto& piece : pieces()) {
    if (piece.holders.contains(memory)) held.add(piece.elements);
  }
  return held;
}

IntervalSet ArrayState::heldOnlyBy(MemoryId memory) const {
  IntervalSet held;
  for (const auto& piece : pieces()) {
    if (piece.holders.size() == 1 && piece.holders.front() == memory) held.add(piece.elements);
  }
  return held;
}

IntervalSet ArrayState::missingAt(MemoryId memory, const IntervalSet& wanted) const {
  IntervalSet missing;
  for (const Interval& interval : wanted) {
    checkRange(interval, "missingAt");
    for (auto piece = pieceAt(interval.lo); piece != pieces().end() && piece->elements.lo < interval.hi; ++piece) {
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
                    [](const MemorySet& holders, const Grant& grant) { return holders.without(grant.memory); });
}

ArrayState ArrayState::withOwners(std::vector<Grant> grants) const {
  sortByStart(grants);
  if (!disjoint(grants))
    panic(
        "ArrayState::withOwners: two memories cannot both be the only holder "
        "of an element");
  return rewritten(grants, [](const MemorySet&, const Grant& grant) { return MemorySet{grant.memory}; });
}

ArrayState ArrayState::withShares(const std::vector<Share>& shares) const {
  return rewritten(shares, [](const MemorySet& holders, const Share& share) {
    return share.memories.contains(holders) ? share.memories : holders.with(share.memories);
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
  result.pieces_.reserve(pieces().size() + 2 * grants.size());
  std::vector<MemoryId> open;  // sorted; a memory with two open grants is in it twice
  auto start = grants.begin();
  auto end = byEnd.begin();
  for (const auto& piece : pieces()) {
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

// Is there, `period` pieces further, the same piece as this one, moved by `stride`?
bool ArrayState::recurs(std::size_t piece, std::size_t period, std::int64_t stride) const {
  if (piece + period >= pieces_.size()) return false;
  const Piece &one = pieces_[piece], &other = pieces_[piece + period];
  return other.elements.hi - one.elements.hi == stride && other.elements.lo - one.elements.lo == stride &&
         other.holders == one.holders;
}

std::optional<ArrayState> ArrayState::packed() const {
  if (!periods_.empty() || pieces_.size() < fewestPacked) return std::nullopt;
  ArrayState result;
  std::size_t done = 0;
  // Whatever is long enough has a piece at one of these places.
  for (std::size_t at = 0; at < pieces_.size(); at = std::max(at + fewestPacked / 2, done)) {
    for (std::size_t size = 2; size <= longestPeriod && at + size < pieces_.size(); ++size) {
      const std::int64_t stride = pieces_[at + size].elements.lo - pieces_[at].elements.lo;
      if (!recurs(at, size, stride)) continue;
      std::size_t begin = at, end = at + 1;
      while (begin > done && recurs(begin - 1, size, stride)) --begin;
      while (recurs(end, size, stride)) ++end;
      const std::size_t count = (end - begin) / size + 1;
      if (count * size < fewestPacked) continue;
      const auto first = pieces_.begin();
      result.pieces_.insert(result.pieces_.end(), first + static_cast<std::ptrdiff_t>(done),
                            first + static_cast<std::ptrdiff_t>(begin + size));
      const std::size_t kept = result.pieces_.size();
      result.periods_.push_back({kept - size, kept, stride, static_cast<std::int64_t>(count)});
      done = begin + count * size;
      break;
    }
  }
  if (result.periods_.empty()) return std::nullopt;
  result.pieces_.insert(result.pieces_.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(done), pieces_.end());
  result.pieces_.shrink_to_fit();
  return result;
}

std::size_t ArrayState::allocated() const {
  std::size_t bytes = pieces_.capacity() * sizeof(Piece) + periods_.capacity() * sizeof(Period);
  for (const Piece& piece : pieces_) bytes += piece.holders.allocated();
  return bytes;
}

bool ArrayState::operator==(const ArrayState& other) const {
  if (periods_ == other.periods_) return pieces_ == other.pieces_;
  return std::equal(pieces().begin(), pieces().end(), other.pieces().begin(), other.pieces().end(),
                    [](const auto& a, const auto& b) { return a.elements == b.elements && a.holders == b.holders; });
}

std::uint64_t ArrayState::hash() const {
  Hash hash;
  for (const auto& piece : pieces()) {
    hash.add(static_cast<std::uint64_t>(piece.elements.hi));
    for (const MemoryId memory : piece.holders) hash.add(memory);
  }
  return hash.value();
}

std::string ArrayState::toString() const {
  std::string text;
  for (const auto& piece : pieces()) {
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

// With the holders of each grant's elements replaced by change(holders, grant). Grants are sorted and disjoint.
template <class Grants, class Change>
ArrayState ArrayState::rewritten(const Grants& grants, Change change) const {
  if (grants.empty()) return *this;
  checkRange({grants.front().elements.lo, grants.back().elements.hi}, "a change of holders");
  ArrayState result;
  result.pieces_.reserve(pieces().size() + 2 * grants.size());
  auto grant = grants.begin();
  for (const auto& piece : pieces()) {
    std::int64_t done = piece.elements.lo;
    for (; grant != grants.end() && grant->elements.lo < piece.elements.hi; ++grant) {
      const Interval changed = piece.elements.intersect(grant->elements);
      if (done < changed.lo) result.append({done, changed.lo}, piece.holders);
      result.append(changed, change(piece.holders, *grant));
      done = changed.hi;
      if (grant->elements.hi > piece.elements.hi) break;  // it goes on in the next piece
    }
    if (done < piece.elements.hi) result.append({done, piece.elements.hi}, piece.holders);
  }
  return result;
}

}  // namespace muster::cap
