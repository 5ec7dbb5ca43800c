// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of chunks, and the search for conflicts among their writes.
#include "chunk_regions.h"

#include <algorithm>

namespace muster::cap {

namespace {

// Up to so many rows stay apart; more of them would only make states and copy lists long.
constexpr Wide fewRows = 16;
// No chunk has more rows than this, all chunks together not many more than that: beyond, plans cost more than they
// save.
constexpr std::size_t mostRows = 65536, mostRowsTogether = std::size_t{1} << 20;

struct Written {
  Interval elements;
  std::size_t chunk = 0;
};

}  // namespace

ChunkRegions::ChunkRegions(const LaunchSpec& spec, std::size_t chunks)
    : spec_(spec), maxIntervals_(std::clamp(mostRowsTogether / chunks, static_cast<std::size_t>(fewRows), mostRows)) {}

AccessRegion ChunkRegions::touched(const Access& access, const Chunk& chunk, bool rowsApart) {
  const ArrayUse& use = spec_.arrays[access.array];
  Shape& shape = solver_.solve(access, spec_.space, chunk.lo, chunk.hi, use.offset, use.count);
  const bool expandable = shape.rowCount <= (rowsApart ? static_cast<Wide>(maxIntervals_) : fewRows);
  if (shape.kind == Shape::Kind::rows && !expandable) shape.fillSmallGaps();
  return expand(shape, use.count, maxIntervals_);
}

void ChunkRegions::fill(Chunk& chunk, Detail detail) {
  const std::size_t parameters = spec_.arrays.size();
  chunk.reads.assign(parameters, {});
  chunk.writes.assign(parameters, {});
  chunk.windows.assign(parameters, {});
  surely_.assign(parameters, {});
  perhaps_.assign(parameters, {});
  for (const Access& access : spec_.accesses) {
    const bool write = access.mode != AccessMode::read;
    AccessRegion region = touched(access, chunk, write && detail == Detail::fine);
    if (access.mode == AccessMode::update) region.exact = false;  // the old value counts
    IntervalSet& into = !write         ? chunk.reads[access.array]
                        : region.exact ? surely_[access.array]
                                       : perhaps_[access.array];
    if (into.empty()) {
      into = std::move(region.elements);
    } else {
      into.add(region.elements);
    }
  }
  for (std::size_t p = 0; p < parameters; ++p) {
    chunk.writes[p] = std::move(surely_[p]);
    if (!perhaps_[p].empty()) {
      // What this chunk surely writes needs no valid data, even if another of its writes is not sure.
      IntervalSet unsure = perhaps_[p];
      unsure.subtract(chunk.writes[p]);
      chunk.reads[p].add(unsure);
      chunk.writes[p].add(perhaps_[p]);
    }
    chunk.windows[p] = chunk.reads[p].hull().hull(chunk.writes[p].hull());
  }
}

std::optional<Conflict> findConflict(const std::vector<Chunk>& chunks, const ArrayGroup& array) {
  std::vector<Written> written;
  IntervalSet scratch;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const Interval& interval : unionOf(chunks[c].writes, array, scratch)) written.push_back({interval, c});
  }
  const auto before = [](const Written& a, const Written& b) { return a.elements < b.elements; };
  if (!std::is_sorted(written.begin(), written.end(), before)) std::sort(written.begin(), written.end(), before);
  const auto pair = std::adjacent_find(
      written.begin(), written.end(), [](const Written& a, const Written& b) { return b.elements.lo < a.elements.hi; });
  if (pair == written.end()) return std::nullopt;
  const Written& a = pair[0];
  const Written& b = pair[1];
  Conflict conflict{array.parameters.front(), std::min(a.chunk, b.chunk), std::max(a.chunk, b.chunk),
                    a.elements.intersect(b.elements)};
  for (const std::uint16_t parameter : array.parameters) {
    if (!chunks[conflict.first].writes[parameter].intersect(conflict.elements).empty()) conflict.parameter = parameter;
  }
  return conflict;
}

}  // namespace muster::cap
