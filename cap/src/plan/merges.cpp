// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the regions of chunks to merges.
#include "plan/merges.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::cap {

namespace {

// What a launch does with one array as a whole.
struct Usage {
  const Access* write = nullptr;   // the first write or update
  const Access* update = nullptr;  // the first update
  const Access* other = nullptr;   // the first access that is no update, or one with another operation
  const Access* ordered = nullptr;
  const Access* partial = nullptr;
  bool everywhere = false;  // some write may be to any element
  bool atomic = true;       // all writes are

  // Chunks that share elements would have to take turns.
  [[nodiscard]] const Access* needsTurns() const {
    return ordered != nullptr ? ordered : update != nullptr ? other : nullptr;
  }
};

Usage usageOf(const LaunchSpec& spec, const ArrayGroup& array) {
  Usage usage;
  const auto note = [](const Access*& first, const Access& access) {
    if (first == nullptr) first = &access;
  };
  const auto accesses = [&](const Access& access) {
    return std::binary_search(array.parameters.begin(), array.parameters.end(), access.array);
  };
  for (const Access& access : spec.accesses) {
    if (!accesses(access)) continue;
    if (access.ordered) note(usage.ordered, access);
    if (access.partial) note(usage.partial, access);
    const bool update = access.mode == AccessMode::update;
    if (update) note(usage.update, access);
    if (!update || access.op != usage.update->op) note(usage.other, access);
    if (access.mode == AccessMode::read) continue;
    note(usage.write, access);
    usage.everywhere = usage.everywhere || access.unbounded;
    usage.atomic = usage.atomic && (update || access.atomic);
  }
  return usage;
}

struct Written {
  Interval elements;
  std::size_t chunk = 0;
};

// What all chunks write of an array, by element.
std::vector<Written> writesOf(const std::vector<Chunk>& chunks, const ArrayGroup& array) {
  std::vector<Written> written;
  written.reserve(chunks.size());
  IntervalSet scratch;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const Interval& interval : unionOf(chunks[c].writes, array, scratch)) written.push_back({interval, c});
  }
  const auto before = [](const Written& a, const Written& b) { return a.elements < b.elements; };
  if (!std::is_sorted(written.begin(), written.end(), before)) std::sort(written.begin(), written.end(), before);
  return written;
}

// Elements that at least two chunks write.
IntervalSet contestedOf(const std::vector<Written>& written) {
  IntervalSet contested;
  std::int64_t end = INT64_MIN;
  for (const Written& w : written) {
    contested.add({w.elements.lo, std::min(w.elements.hi, end)});
    end = std::max(end, w.elements.hi);
  }
  return contested;
}

// Does a chunk read what another one writes? `written`: no two of them overlap.
bool readsOfOthers(const std::vector<Chunk>& chunks, const ArrayGroup& array, const std::vector<Written>& written) {
  IntervalSet scratch;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const Interval& interval : unionOf(chunks[c].reads, array, scratch)) {
      auto w = std::upper_bound(written.begin(), written.end(), interval.lo,
                                [](std::int64_t lo, const Written& other) { return lo < other.elements.hi; });
      for (; w != written.end() && w->elements.lo < interval.hi; ++w) {
        if (w->chunk != c) return true;
      }
    }
  }
  return false;
}

// The common elements of two sets of which one may be much longer.
IntervalSet commonOf(const IntervalSet& a, const IntervalSet& b) {
  const IntervalSet& few = a.intervals() < b.intervals() ? a : b;
  const IntervalSet& many = &few == &a ? b : a;
  if (few.intervals() * 16 > many.intervals()) return few.intersect(many);
  IntervalSet common;
  for (const Interval& interval : few) common.add(many.intersect(interval));
  return common;
}

// One array in the search for what chunks share.
class Sharer {
 public:
  Sharer(const LaunchSpec& spec, const ArrayGroup& array, std::vector<Chunk>& chunks, ChunkRegions& regions)
      : spec_(spec), array_(array), chunks_(chunks), regions_(regions), usage_(usageOf(spec, array)) {}

  // Appends the merge that the array needs, if any, or gives the reason why a merge is not enough.
  void run(Sharing& sharing) {
    if (usage_.write == nullptr) return;
    const bool turns = usage_.needsTurns() != nullptr;
    look(turns);
    if (shared_ && !usage_.everywhere) lookCloser(turns);
    if (!shared_) return;
    if (turns || usage_.partial != nullptr) {
      sharing.reason = whyTurns();
      return;
    }
    Merge merge = merged();
    if (shareMemory(merge)) {
      sharing.reason = because(PlanReason::Kind::sharedMemory, *usage_.write);
      return;
    }
    sharing.merges.push_back(std::move(merge));
  }

 private:
  void look(bool turns) {
    const std::vector<Written> written = writesOf(chunks_, array_);
    contested_ = contestedOf(written);
    shared_ = !contested_.empty() || (turns && readsOfOthers(chunks_, array_, written));
  }

  void refill(Detail detail) {
    for (Chunk& chunk : chunks_) regions_.refill(chunk, array_, detail);
  }

  // Rows that are kept apart may be disjoint where blocks of them are not. They stay apart only if that helps, because
  // they make states and lists of copies long.
  void lookCloser(bool turns) {
    IntervalSet coarse = std::move(contested_);
    refill(Detail::fine);
    look(turns);
    if (!shared_ || contested_.size() < coarse.size() / 2) return;
    refill(Detail::coarse);
    contested_ = std::move(coarse);
  }

  [[nodiscard]] Merge merged() {
    Merge merge;
    merge.array = array_.array;
    merge.elemSize = array_.elemSize;
    merge.line = usage_.write->line;
    merge.accumulate = usage_.other == nullptr;
    merge.op = merge.accumulate ? usage_.update->op : UpdateOp::add;
    merge.atomic = usage_.atomic;
    merge.parameter = UINT16_MAX;
    for (const Access& access : spec_.accesses) {
      if (access.mode == AccessMode::read) continue;
      if (std::binary_search(array_.parameters.begin(), array_.parameters.end(), access.array))
        merge.parameter = std::min(merge.parameter, access.array);
    }
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      Merge::Part part{c, {}};
      for (const std::uint16_t parameter : array_.parameters) {
        const IntervalSet mine = commonOf(contested_, chunks_[c].writes[parameter]);
        part.elements.add(mine);
        chunks_[c].reads[parameter].add(mine);
      }
      if (!part.elements.empty()) merge.parts.push_back(std::move(part));
    }
    return merge;
  }

  [[nodiscard]] bool shareMemory(const Merge& merge) const {
    std::vector<MemoryId> memories;
    memories.reserve(merge.parts.size());
    for (const Merge::Part& part : merge.parts) memories.push_back(chunks_[part.chunk].memory);
    std::sort(memories.begin(), memories.end());
    return std::adjacent_find(memories.begin(), memories.end()) != memories.end();
  }

  [[nodiscard]] PlanReason because(PlanReason::Kind kind, const Access& access) const {
    return {kind, access.line, array_.array, access.array};
  }

  [[nodiscard]] PlanReason whyTurns() const {
    if (usage_.ordered != nullptr) return because(PlanReason::Kind::ordered, *usage_.ordered);
    if (usage_.needsTurns() == nullptr) return because(PlanReason::Kind::partial, *usage_.partial);
    const bool updates = usage_.other->mode == AccessMode::update;
    return because(updates ? PlanReason::Kind::mixedOperations : PlanReason::Kind::mixedAccesses, *usage_.other);
  }

  const LaunchSpec& spec_;
  const ArrayGroup& array_;
  std::vector<Chunk>& chunks_;
  ChunkRegions& regions_;
  const Usage usage_;
  IntervalSet contested_;
  bool shared_ = false;
};

}  // namespace

Sharing shareArrays(const LaunchSpec& spec, const std::vector<ArrayGroup>& arrays, ChunkRegions& regions,
                    std::vector<Chunk>& chunks) {
  Sharing sharing;
  for (Chunk& chunk : chunks) regions.fill(chunk);
  if (chunks.size() == 1) return sharing;
  for (const ArrayGroup& array : arrays) {
    Sharer(spec, array, chunks, regions).run(sharing);
    if (!sharing.reason.empty()) return {{}, sharing.reason};
  }
  return sharing;
}

}  // namespace muster::cap
