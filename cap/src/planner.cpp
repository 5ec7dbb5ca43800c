// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// makePlan: cut the launch, find what each chunk touches, see whether that may run in parallel, plan the copies.
#include "muster/cap/planner.h"

#include <algorithm>
#include <utility>

#include "array_group.h"
#include "chunk_regions.h"
#include "muster/cdm/status.h"

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

std::string describe(const LaunchSpec& spec, const std::vector<Chunk>& chunks, const Conflict& conflict) {
  std::string line;
  for (const Access& access : spec.accesses) {
    if (access.mode != AccessMode::read && access.array == conflict.parameter && line.empty()) {
      line = "line " + std::to_string(access.line) + ": ";
    }
  }
  return line + "devices " + std::to_string(chunks[conflict.first].device) + " and " +
         std::to_string(chunks[conflict.second].device) + " may both write elements " +
         IntervalSet(conflict.elements).toString() + " of array " +
         std::to_string(spec.arrays[conflict.parameter].array) + " (parameter " + std::to_string(conflict.parameter) +
         ")";
}

// Fills in the chunks' regions. Why they must not run beside each other; empty if they may.
std::string findRegions(const LaunchSpec& spec, const std::vector<ArrayGroup>& arrays, std::vector<Chunk>& chunks) {
  if (chunks.empty()) return "no device of the set takes part: all weights are 0";
  if (chunks.size() > 1) {
    for (const Access& access : spec.accesses) {
      if (access.mode != AccessMode::read && access.unbounded) {
        return "line " + std::to_string(access.line) + ": the elements of array " +
               std::to_string(spec.arrays[access.array].array) + " (parameter " + std::to_string(access.array) +
               ") that are written cannot be bounded, and " + std::to_string(chunks.size()) +
               " devices would write them";
      }
    }
  }
  ChunkRegions regions(spec, chunks.size());
  std::string conflict;
  for (const Detail detail : {Detail::coarse, Detail::fine}) {
    conflict.clear();
    for (Chunk& chunk : chunks) regions.fill(chunk, detail);
    for (const ArrayGroup& array : arrays) {
      const std::optional<Conflict> found = findConflict(chunks, array);
      if (found && conflict.empty()) conflict = describe(spec, chunks, *found);
    }
    if (conflict.empty()) break;
  }
  return conflict;
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
    plan.reason = "the loop's if clause or its kernel asks for the host";
  } else {
    plan.chunks = cut(spec, devices);
    plan.reason = findRegions(spec, arrays, plan.chunks);
  }
  plan.onHost = !plan.reason.empty();
  if (plan.onHost) {
    std::vector<Chunk> whole(1);
    whole[0].hi = spec.space.dims[0].count;
    ChunkRegions(spec, 1).fill(whole[0], Detail::coarse);
    plan.chunks.clear();
    for (const ArrayGroup& array : arrays) planTransfers(whole, array, plan);
  } else {
    for (const ArrayGroup& array : arrays) planTransfers(plan.chunks, array, plan);
  }
  return plan;
}

Plan makeHostPlan(std::uint32_t array, std::uint32_t elemSize, const ArrayStateRef& state, const IntervalSet& elements,
                  bool write) {
  if (state == nullptr || !Interval{0, state->count()}.contains(elements.hull())) {
    panic("makeHostPlan: array " + std::to_string(array) + ": elements " + elements.toString() + " are not all in it");
  }
  std::vector<Chunk> access(1);
  access[0].hi = 1;
  access[0].reads = {elements};
  access[0].writes = {write ? elements : IntervalSet()};
  Plan plan;
  plan.onHost = true;
  planTransfers(access, {array, elemSize, {0}, state}, plan);
  return plan;
}

}  // namespace muster::cap
