// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what chunks read and write to copies and the next state of one array.
#include <algorithm>
#include <iterator>
#include <utility>

#include "plan/array_group.h"

namespace muster::cap {

namespace {

using Grant = ArrayState::Grant;
using PieceIterator = ArrayState::Iterator;

// From so many memories on that read the same elements, they get them by spreads.
constexpr std::size_t fewestOfSpread = 32;

// The closest id; of two as close, the lower one.
MemoryId closestHolder(const MemorySet& holders, MemoryId to) {
  const auto above = std::lower_bound(holders.begin(), holders.end(), to);
  if (above == holders.begin()) return *above;
  const MemoryId below = *(above - 1);
  return above == holders.end() || to - below <= *above - to ? below : *above;
}

// Appends the copies that bring `wanted` to `to`. `near`: where to look for the first element first; left at the last.
void copyMissing(const ArrayGroup& array, MemoryId to, const IntervalSet& wanted, PieceIterator& near,
                 std::vector<Copy>& copies) {
  const ArrayState::Pieces pieces = array.state->pieces();
  const std::size_t first = copies.size();
  const PieceIterator end = pieces.end();
  for (const Interval& interval : wanted) {
    for (PieceIterator piece = array.state->pieceAt(interval.lo, near); piece != end; ++piece) {
      const Interval part = piece->elements.intersect(interval);
      if (part.empty()) break;
      near = piece;
      if (piece->holders.contains(to)) continue;
      Copy* last = copies.size() > first ? &copies.back() : nullptr;
      if (last != nullptr && last->elements.hi == part.lo && piece->holders.contains(last->from)) {
        last->elements.hi = part.hi;
      } else {
        copies.push_back({array.array, array.elemSize, part, closestHolder(piece->holders, to), to});
      }
    }
  }
}

using ChunkIterator = std::vector<const Chunk*>::const_iterator;

// How many memories from `chunk` on have one chunk each and read the same elements.
std::size_t wantTheSame(ChunkIterator chunk, ChunkIterator end, const ArrayGroup& array) {
  if (array.parameters.size() > 1) return 0;
  const std::uint16_t parameter = array.parameters.front();
  const IntervalSet& wanted = (*chunk)->reads[parameter];
  if (wanted.empty()) return 0;
  auto other = chunk;
  for (; other != end && (*other)->reads[parameter] == wanted; ++other) {
    if (other != chunk && (*other)->memory == (*(other - 1))->memory) return 0;
  }
  return static_cast<std::size_t>(other - chunk);
}

// As copyMissing() for all memories, which is the same for elements of which each has one holder.
void spreadMissing(const ArrayGroup& array, const MemorySet& memories, const IntervalSet& wanted, Moves& moves) {
  const ArrayState::Pieces pieces = array.state->pieces();
  const PieceIterator end = pieces.end();
  IntervalSet others;
  moves.spreads.reserve(moves.spreads.size() + pieces.size());
  for (const Interval& interval : wanted) {
    for (PieceIterator piece = array.state->pieceAt(interval.lo); piece != end; ++piece) {
      const Interval part = piece->elements.intersect(interval);
      if (part.empty()) break;
      if (piece->holders.size() == 1) {
        moves.spreads.push_back({array.array, array.elemSize, part, piece->holders.front(), memories});
      } else if (!piece->holders.contains(memories)) {
        others.add(part);
      }
    }
  }
  auto near = pieces.begin();
  for (const MemoryId memory : memories) copyMissing(array, memory, others, near, moves.copies);
}

ArrayStateRef withSpreads(ArrayStateRef state, const std::vector<Spread>& spreads) {
  for (auto spread = spreads.begin(); spread != spreads.end();) {
    const MemorySet& to = spread->to;
    std::vector<ArrayState::Share> shares;
    shares.reserve(static_cast<std::size_t>(spreads.end() - spread));
    for (; spread != spreads.end() && spread->to == to; ++spread) shares.push_back({spread->elements, to});
    state = std::make_shared<const ArrayState>(state->withShares(shares));
  }
  return state;
}

// Each element goes to one of those that were to own it; the merge names the others.
void makeDisjoint(std::vector<Grant>& grants) {
  std::sort(grants.begin(), grants.end(), [](const Grant& a, const Grant& b) {
    return a.elements != b.elements ? a.elements < b.elements : a.memory < b.memory;
  });
  std::int64_t done = INT64_MIN;
  for (Grant& grant : grants) {
    grant.elements.lo = std::max(grant.elements.lo, done);
    done = std::max(done, grant.elements.hi);
  }
  std::erase_if(grants, [](const Grant& grant) { return grant.elements.empty(); });
}

// Is each memory the only holder of what it is to own? Then the state stays as it is.
bool ownAlready(const ArrayState& state, const std::vector<Grant>& owned) {
  auto near = state.pieces().begin();
  const PieceIterator end = state.pieces().end();
  return std::all_of(owned.begin(), owned.end(), [&](const Grant& grant) {
    near = state.pieceAt(grant.elements.lo, near);
    return near != end && near->elements.contains(grant.elements) && near->holders.size() == 1 &&
           near->holders.front() == grant.memory;
  });
}

template <class T>
void append(std::vector<T>& list, std::vector<T>&& more) {
  if (list.empty()) {
    list = std::move(more);
  } else {
    list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
}

}  // namespace

const IntervalSet& unionOf(const std::vector<IntervalSet>& sets, const ArrayGroup& array, IntervalSet& scratch) {
  if (array.parameters.size() == 1) return sets[array.parameters.front()];
  scratch = {};
  for (const std::uint16_t parameter : array.parameters) scratch.add(sets[parameter]);
  return scratch;
}

Moves planCopies(const std::vector<Chunk>& chunks, const ArrayGroup& array) {
  std::vector<const Chunk*> byMemory;
  byMemory.reserve(chunks.size());
  for (const Chunk& chunk : chunks) byMemory.push_back(&chunk);
  // The chunks lie in one vector, so their addresses are in the order of their iterations.
  const auto before = [](const Chunk* a, const Chunk* b) { return std::pair(a->memory, a) < std::pair(b->memory, b); };
  if (!std::is_sorted(byMemory.begin(), byMemory.end(), before)) std::sort(byMemory.begin(), byMemory.end(), before);
  Moves moves;
  IntervalSet scratch, together;
  auto near = array.state->pieces().begin();
  for (auto chunk = byMemory.begin(); chunk != byMemory.end();) {
    const std::size_t alike = wantTheSame(chunk, byMemory.end(), array);
    if (alike >= fewestOfSpread) {
      std::vector<MemoryId> memories(alike);
      std::transform(chunk, chunk + static_cast<std::ptrdiff_t>(alike), memories.begin(),
                     [](const Chunk* c) { return c->memory; });
      spreadMissing(array, MemorySet(memories.begin(), memories.end()), (*chunk)->reads[array.parameters.front()],
                    moves);
      chunk += static_cast<std::ptrdiff_t>(alike);
      continue;
    }
    const MemoryId memory = (*chunk)->memory;
    const auto end = std::find_if(chunk, byMemory.end(), [&](const Chunk* c) { return c->memory != memory; });
    const IntervalSet* wanted = &unionOf((*chunk)->reads, array, scratch);
    if (end - chunk > 1) {
      together = *wanted;
      for (auto other = chunk + 1; other != end; ++other) together.add(unionOf((*other)->reads, array, scratch));
      wanted = &together;
    }
    copyMissing(array, memory, *wanted, near, moves.copies);
    chunk = end;
  }
  return moves;
}

void planTransfers(const std::vector<Chunk>& chunks, const ArrayGroup& array, const Merge* merge, Plan& plan) {
  Moves moves = planCopies(chunks, array);
  std::vector<Grant> added, owned, merged;
  added.reserve(moves.copies.size());
  for (const Copy& copy : moves.copies) added.push_back({copy.elements, copy.to});
  IntervalSet scratch;
  owned.reserve(chunks.size());
  for (const Chunk& chunk : chunks) {
    for (const Interval& interval : unionOf(chunk.writes, array, scratch)) owned.push_back({interval, chunk.memory});
  }
  if (merge != nullptr) {
    makeDisjoint(owned);
    for (const Merge::Part& part : merge->parts) {
      for (const Interval& interval : part.elements) merged.push_back({interval, chunks[part.chunk].memory});
    }
  }
  ArrayStateRef next = array.state;
  next = withSpreads(next, moves.spreads);
  if (!added.empty()) next = std::make_shared<const ArrayState>(next->withHolders(std::move(added)));
  if (!ownAlready(*next, owned)) next = std::make_shared<const ArrayState>(next->withOwners(std::move(owned)));
  if (!merged.empty()) next = std::make_shared<const ArrayState>(next->withHolders(std::move(merged)));
  if (*next == *array.state) next = array.state;
  plan.next.emplace_back(array.array, std::move(next));
  append(plan.copies, std::move(moves.copies));
  append(plan.spreads, std::move(moves.spreads));
}

}  // namespace muster::cap
