// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// makePlan: cut the launch, find what each chunk touches and what chunks share, plan the copies.
#include "muster/cap/planner.h"

#include <algorithm>
#include <utility>

#include "muster/cdm/status.h"
#include "plan/array_group.h"
#include "plan/chunk_regions.h"
#include "plan/merges.h"
#include "plan/row_cut.h"

namespace muster::cap {

namespace {

void checkLaunch(const LaunchSpec& spec, const std::vector<ArrayStateRef>& states) {
  const std::string kernel = "makePlan: kernel " + std::to_string(spec.kernel) + ": ";
  if (states.size() != spec.arrays.size()) {
    panic(kernel + std::to_string(spec.arrays.size()) + " array parameters, but " + std::to_string(states.size()) +
          " states");
  }
  for (std::size_t p = 0; p < states.size(); ++p) {
    if (states[p] == nullptr || states[p]->count() != std::max<std::int64_t>(spec.arrays[p].count, 0)) {
      panic(kernel + "the state of parameter " + std::to_string(p) + " is not that of an array of " +
            std::to_string(spec.arrays[p].count) + " elements");
    }
  }
  for (const Access& access : spec.accesses) {
    if (access.array >= spec.arrays.size()) {
      panic(kernel + "line " + std::to_string(access.line) + ": access to parameter " + std::to_string(access.array) +
            " of " + std::to_string(spec.arrays.size()));
    }
  }
}

// By global id, ascending.
std::vector<ArrayGroup> groupArrays(const LaunchSpec& spec, const std::vector<ArrayStateRef>& states) {
  std::vector<ArrayGroup> groups;
  for (std::size_t p = 0; p < spec.arrays.size(); ++p) {
    const ArrayUse& use = spec.arrays[p];
    const auto place = std::lower_bound(groups.begin(), groups.end(), use.array,
                                        [](const ArrayGroup& g, std::uint32_t id) { return g.array < id; });
    if (place != groups.end() && place->array == use.array) {
      place->parameters.push_back(static_cast<std::uint16_t>(p));
      if (*place->state != *states[p]) {
        panic("makePlan: two states for array " + std::to_string(use.array));
      }
    } else {
      groups.insert(place, {use.array, use.elemSize, {static_cast<std::uint16_t>(p)}, states[p]});
    }
  }
  return groups;
}

bool hasIterations(const IterationSpace& space) {
  return !space.dims.empty() &&
         std::all_of(space.dims.begin(), space.dims.end(), [](const Dim& dim) { return dim.count > 0; });
}

std::vector<Chunk> cut(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices) {
  std::vector<Chunk> chunks;
  const std::vector<Interval> ranges = split(spec, devices);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (ranges[d].empty()) continue;
    Chunk chunk;
    chunk.device = devices[d].device;
    chunk.memory = devices[d].memory;
    chunk.lo = ranges[d].lo;
    chunk.hi = ranges[d].hi;
    chunks.push_back(std::move(chunk));
  }
  if (!chunks.empty() && chunks.front().lo != 0)
    std::reverse(chunks.begin(), chunks.end());  // a loop that runs downwards
  return chunks;
}

// The whole launch on the fastest device of the set.
std::vector<Chunk> oneChunk(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices) {
  const std::vector<std::int64_t> weights = scaledWeights(devices);
  std::size_t fastest = 0;
  for (std::size_t d = 1; d < devices.size(); ++d) {
    if (weights[d] > weights[fastest]) fastest = d;
  }
  std::vector<Chunk> chunks(1);
  chunks[0].device = devices[fastest].device;
  chunks[0].memory = devices[fastest].memory;
  chunks[0].hi = spec.space.dims.front().count;
  ChunkRegions(spec, 1).fill(chunks[0]);
  return chunks;
}

// The part that the spec asks for. Its device must be one of the set.
Chunk partOf(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices) {
  const Part& part = *spec.part;
  const Interval all{0, spec.space.dims.front().count};
  const auto slot = std::ranges::find(devices, part.device, &DeviceSlot::device);
  if (slot == devices.end() || part.iterations.empty() || !all.contains(part.iterations))
    panic("makePlan: kernel " + std::to_string(spec.kernel) + ": no part " + IntervalSet(part.iterations).toString() +
          " for device " + std::to_string(part.device));
  Chunk whole, chunk;
  whole.hi = all.hi;
  ChunkRegions(spec, 1).fill(whole);
  chunk.device = slot->device;
  chunk.memory = slot->memory;
  chunk.lo = part.iterations.lo;
  chunk.hi = part.iterations.hi;
  ChunkRegions(spec, 1).fill(chunk);
  chunk.windows = whole.windows;
  return chunk;
}

std::vector<Chunk> grainsOf(const LaunchSpec& spec, const Chunk& part) {
  const std::int64_t grain = spec.part->grain;
  if (grain == 0) return {part};
  std::vector<Chunk> grains;
  for (std::int64_t lo = part.lo; lo < part.hi; lo = grains.back().hi) {
    Chunk& chunk = grains.emplace_back(part);
    chunk.lo = lo;
    chunk.hi = std::min(part.hi, (lo / grain + 1) * grain);
  }
  ChunkRegions regions(spec, grains.size());
  for (Chunk& chunk : grains) {
    regions.fill(chunk);
    chunk.windows = part.windows;
  }
  return grains;
}

// A copy of its own costs about as much as so many bytes more in another one.
constexpr std::int64_t bytesPerCopy = std::int64_t{32} << 10;
// What moves less is not worth a closer look.
constexpr std::int64_t worthALook = std::int64_t{1} << 20;

std::int64_t costOf(const Moves& moves) {
  std::int64_t cost = 0;
  for (const Copy& copy : moves.copies) cost += bytesPerCopy + copy.bytes();
  for (const Spread& spread : moves.spreads) cost += bytesPerCopy * spread.copies() + spread.bytes();
  return cost;
}

// Gaps between rows are counted in, which saves copies, unless it moves more than that is worth: columns that two
// devices share have gaps as long as the rows themselves.
void leaveOutGaps(const ArrayGroup& array, ChunkRegions& regions, std::vector<Chunk>& chunks) {
  if (!regions.loose(array)) return;
  const std::int64_t cost = costOf(planCopies(chunks, array));
  if (cost < worthALook) return;
  std::vector<Chunk> closer = chunks;
  for (Chunk& chunk : closer) regions.refill(chunk, array, Detail::fine);
  if (costOf(planCopies(closer, array)) < cost) chunks = std::move(closer);
}

void planChunks(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices, const std::vector<ArrayGroup>& arrays,
                Plan& plan) {
  plan.chunks = cut(spec, devices);
  if (plan.chunks.empty()) {
    plan.reason.kind = PlanReason::Kind::noDevice;
    plan.onHost = true;
    return;
  }
  ChunkRegions regions(spec, plan.chunks.size());
  Sharing sharing = shareArrays(spec, arrays, regions, plan.chunks);
  plan.merges = std::move(sharing.merges);
  plan.reason = sharing.reason;
  if (!plan.reason.empty()) {
    plan.chunks = oneChunk(spec, devices);
    return;
  }
  for (const ArrayGroup& array : arrays) {
    const bool merged = std::any_of(plan.merges.begin(), plan.merges.end(),
                                    [&](const Merge& merge) { return merge.array == array.array; });
    if (!merged) leaveOutGaps(array, regions, plan.chunks);
  }
}

}  // namespace

Plan makePlan(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
              const std::vector<ArrayStateRef>& states) {
  checkLaunch(spec, states);
  const std::vector<ArrayGroup> arrays = groupArrays(spec, states);
  Plan plan;
  if (!hasIterations(spec.space)) {
    for (const ArrayGroup& array : arrays) plan.next.emplace_back(array.array, array.state);
    return plan;
  }
  if (spec.hostOnly) {
    plan.reason.kind = PlanReason::Kind::askedForHost;
    plan.onHost = true;
  } else if (!spec.part) {
    planChunks(spec, devices, arrays, plan);
  }
  std::vector<Chunk> whole;
  if (spec.part && !plan.onHost) {
    // One device computes all of its chunks, whose regions may overlap where they are not exact.
    whole.push_back(partOf(spec, devices));
    plan.chunks = grainsOf(spec, whole.front());
  }
  if (plan.onHost) {
    whole.resize(1);
    whole[0].hi = spec.space.dims[0].count;
    ChunkRegions(spec, 1).fill(whole[0]);
  }
  auto merge = plan.merges.begin();  // both by array id
  for (const ArrayGroup& array : arrays) {
    const bool merged = merge != plan.merges.end() && merge->array == array.array;
    planTransfers(whole.empty() ? plan.chunks : whole, array, merged ? &*merge++ : nullptr, plan);
  }
  return plan;
}

Plan makeHostPlan(std::uint32_t array, std::uint32_t elemSize, const ArrayStateRef& state, const IntervalSet& elements,
                  HostMode mode) {
  if (state == nullptr || !Interval{0, state->count()}.contains(elements.hull())) {
    panic("makeHostPlan: array " + std::to_string(array) + ": elements " + elements.toString() + " are not all in it");
  }
  std::vector<Chunk> access(1);
  access[0].hi = 1;
  access[0].reads = {mode == HostMode::overwrite ? IntervalSet() : elements};
  access[0].writes = {mode == HostMode::read ? IntervalSet() : elements};
  Plan plan;
  plan.onHost = true;
  planTransfers(access, {array, elemSize, {0}, state}, nullptr, plan);
  return plan;
}

}  // namespace muster::cap
