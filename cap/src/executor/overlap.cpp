// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interior of a chunk, found by bisection over its access maps.
#include "executor/overlap.h"

#include <map>
#include <span>

#include "muster/cdm/iterations.h"
#include "plan/chunk_regions.h"

namespace muster::cap {
namespace {

class Interior {
 public:
  Interior(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies)
      : spec_(spec), chunk_(chunk), regions_(spec, 1) {
    for (const Copy& copy : copies) {
      if (copy.to == chunk.memory) incoming_[copy.array].add(copy.elements);
    }
  }

  Interval find() {
    if (incoming_.empty()) return {chunk_.lo, chunk_.hi};
    // Ghosts arrive at both ends; after a change of the split it may be anything up to all of the chunk.
    const std::int64_t size = chunk_.hi - chunk_.lo;
    Interval longest;
    for (const std::int64_t seed : {size / 2, size / 8, size - 1 - size / 8}) {
      const Interval run = around(chunk_.lo + seed);
      if (run.size() > longest.size()) longest = run;
      if (2 * longest.size() >= size) break;
    }
    return longest;
  }

 private:
  // The longest run downwards from the seed, then upwards from there.
  Interval around(std::int64_t seed) {
    if (touches(seed, seed + 1)) return {};
    std::int64_t good = seed;
    for (std::int64_t bad = chunk_.lo - 1; good - bad > 1;) {
      const std::int64_t probe = bad + (good - bad) / 2;
      (touches(probe, seed + 1) ? bad : good) = probe;
    }
    const std::int64_t lo = good;
    good = seed + 1;
    for (std::int64_t bad = chunk_.hi + 1; bad - good > 1;) {
      const std::int64_t probe = good + (bad - good) / 2;
      (touches(lo, probe) ? bad : good) = probe;
    }
    return {lo, good};
  }

  bool touches(std::int64_t lo, std::int64_t hi) {
    Chunk part;
    part.lo = lo;
    part.hi = hi;
    regions_.fill(part);
    for (std::size_t i = 0; i < spec_.arrays.size(); ++i) {
      const auto found = incoming_.find(spec_.arrays[i].array);
      if (found == incoming_.end()) continue;
      if (part.reads[i].overlaps(found->second) || part.writes[i].overlaps(found->second)) return true;
    }
    return false;
  }

  const LaunchSpec& spec_;
  const Chunk& chunk_;
  ChunkRegions regions_;
  std::map<std::uint32_t, IntervalSet> incoming_;  // by array
};

// Only the ends count, so rows need not be kept apart.
std::vector<Interval> touchedBy(const LaunchSpec& spec, const Interval& iterations) {
  std::vector<Interval> hulls(spec.arrays.size());
  if (iterations.empty()) return hulls;
  for (const Access& access : spec.accesses) {
    const ArrayUse& use = spec.arrays[access.array];
    const AccessRegion region =
        regionOf(access, spec.space, iterations.lo, iterations.hi, use.offset, use.count, /*maxIntervals=*/1);
    hulls[access.array] = hulls[access.array].hull(region.elements.hull());
  }
  return hulls;
}

}  // namespace

Interval interiorOf(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies) {
  return Interior(spec, chunk, copies).find();
}

ChunkParts cutAtInterior(const LaunchSpec& spec, const Chunk& chunk, std::span<const Copy> copies) {
  ChunkParts parts;
  parts.interior = interiorOf(spec, chunk, copies);
  parts.touched = {touchedBy(spec, {chunk.lo, parts.interior.lo}), touchedBy(spec, parts.interior),
                   touchedBy(spec, {parts.interior.hi, chunk.hi})};
  return parts;
}

bool worthOverlapping(const LaunchSpec& spec, const Chunk& chunk) {
  return cdm::iterationsOf(chunk.hi - chunk.lo, std::span(spec.space.dims).subspan(1)) >= overlapIterations;
}

}  // namespace muster::cap
