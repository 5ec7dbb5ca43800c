// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The books of memories of limited size, and what has to leave them.
#include "muster/cap/residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "residency/demand.h"

namespace muster::cap {

Residency::Residency(std::vector<LimitedMemory> memories, bool spill) : memories_(std::move(memories)), spill_(spill) {
  for (std::size_t place = 0; place < memories_.size(); ++place) {
    LimitedMemory& memory = memories_[place];
    if (memory.largestWindow == 0) memory.largestWindow = memory.capacity;
    // need_ counts every array twice.
    const std::uint64_t window = memory.largestWindow > UINT64_MAX / 2 ? UINT64_MAX : 2 * memory.largestWindow;
    smallest_ = std::min({smallest_, memory.capacity, window});
    if (places_.size() <= memory.memory) places_.resize(memory.memory + std::size_t{1}, -1);
    places_[memory.memory] = static_cast<int>(place);
  }
}

void Residency::add(std::uint32_t id, ResidentArray array) {
  need_ += 2 * bytesOf({0, array.count}, array.elemSize);
  arrays_[id] = {std::move(array), std::vector<std::uint64_t>(memories_.size(), 0), nullptr, {}};
  remembered_.clear();
}

void Residency::remove(std::uint32_t id) {
  const auto found = arrays_.find(id);
  if (found == arrays_.end()) panic(fmt::format("Residency::remove: there is no array {}", id));
  need_ -= 2 * bytesOf({0, found->second.info.count}, found->second.info.elemSize);
  arrays_.erase(found);
  remembered_.clear();
}

int Residency::placeOf(MemoryId memory) const { return memory < places_.size() ? places_[memory] : -1; }

const std::vector<Interval>& Residency::hullsOf(Array& array, const ArrayStateRef& state) const {
  if (array.known == state) return array.hulls;
  array.known = state;
  array.hulls.assign(memories_.size(), {});
  for (const auto& piece : state->pieces()) {
    for (const MemoryId holder : piece.holders) {
      if (const int place = placeOf(holder); place >= 0) {
        Interval& hull = array.hulls[static_cast<std::size_t>(place)];
        hull = hull.hull(piece.elements);
      }
    }
  }
  return array.hulls;
}

std::uint64_t Residency::bytesHeld(MemoryId memory, const StateOf& stateOf) {
  const int place = placeOf(memory);
  if (place < 0) panic(fmt::format("Residency::bytesHeld: memory {} is not limited", memory));
  std::uint64_t bytes = 0;
  for (auto& [id, array] : arrays_)
    bytes += bytesOf(hullsOf(array, stateOf(id))[static_cast<std::size_t>(place)], array.info.elemSize);
  return bytes;
}

// By place in memories_: what the plan's chunks need there.
std::map<std::size_t, Residency::Demand> Residency::demandsOf(const LaunchSpec& spec, const Plan& plan) const {
  std::map<std::size_t, Demand> demands;
  for (const Chunk& chunk : plan.chunks) {
    const int place = placeOf(chunk.memory);
    if (place < 0) continue;
    Demand& demand = demands[static_cast<std::size_t>(place)];
    for (std::size_t p = 0; p < chunk.windows.size(); ++p) {
      if (chunk.windows[p].empty()) continue;
      Interval& window = demand.windows[spec.arrays[p].array];
      window = window.hull(chunk.windows[p]);
    }
    demand.share += static_cast<double>(chunk.hi - chunk.lo) / static_cast<double>(spec.space.dims[0].count);
  }
  for (const Merge& merge : plan.merges) {
    for (const Merge::Part& part : merge.parts) {
      const int place = placeOf(plan.chunks[part.chunk].memory);
      if (place >= 0)
        demands[static_cast<std::size_t>(place)].twins +=
            static_cast<std::uint64_t>(part.elements.size()) * merge.elemSize;
    }
  }
  for (auto& [place, demand] : demands) {
    for (const auto& [id, window] : demand.windows) demand.windowBytes += bytesOf(window, arrays_.at(id).info.elemSize);
  }
  return demands;
}

Result<std::vector<Eviction>> Residency::evictions(const LaunchSpec& spec, const Plan& plan, const StateOf& stateOf) {
  std::vector<Eviction> evictions;
  for (const auto& [place, demand] : demandsOf(spec, plan)) {
    const LimitedMemory& memory = memories_[place];
    struct Candidate {
      std::uint32_t id = 0;
      std::uint64_t lastUse = 0, bytes = 0;  // that become free
      Interval keep;
      bool tooLong = false;  // its window would be larger than one may be
    };
    std::vector<Candidate> others, own;
    std::uint64_t bytes = demand.twins;
    for (auto& [id, array] : arrays_) {
      const std::uint32_t elemSize = array.info.elemSize;
      const Interval held = hullsOf(array, stateOf(id))[place];
      const auto needed = demand.windows.find(id);
      if (needed == demand.windows.end()) {
        if (held.empty()) continue;
        others.push_back({id, array.lastUse[place], bytesOf(held, elemSize), {}, false});
        bytes += others.back().bytes;
      } else {
        const std::uint64_t window = bytesOf(held.hull(needed->second), elemSize);
        const std::uint64_t spare = window - bytesOf(needed->second, elemSize);
        if (spare > 0) own.push_back({id, array.lastUse[place], spare, needed->second, window > memory.largestWindow});
        bytes += window;
      }
    }
    const auto giveUp = [&](const Candidate& candidate) {
      evictions.push_back({candidate.id, memory.memory, memory.spill, candidate.keep});
      bytes -= candidate.bytes;
    };
    const bool tooLong = std::any_of(own.begin(), own.end(), [](const Candidate& c) { return c.tooLong; });
    if (!spill_ && (bytes > memory.capacity || tooLong)) return mayNotSpill(place, demand, bytes - demand.bytes());
    for (const Candidate& candidate : own) {
      if (candidate.tooLong) giveUp(candidate);
    }
    std::erase_if(own, [](const Candidate& c) { return c.tooLong; });
    std::sort(others.begin(), others.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.lastUse, a.id) < std::pair(b.lastUse, b.id);
    });
    std::sort(own.begin(), own.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(b.bytes, a.id) < std::pair(a.bytes, b.id);
    });
    others.insert(others.end(), own.begin(), own.end());
    for (auto next = others.begin(); bytes > memory.capacity; ++next) {
      if (next == others.end()) panic(fmt::format("Residency::evictions: {} does not fit the launch", memory.device));
      giveUp(*next);
    }
  }
  return evictions;
}

void Residency::noteUse(const LaunchSpec& spec, const Plan& plan) {
  ++clock_;
  for (const auto& [place, demand] : demandsOf(spec, plan)) {
    for (const auto& [id, window] : demand.windows) arrays_.at(id).lastUse[place] = clock_;
  }
}

std::string Residency::listOf(const Demand& demand) const {
  std::string list;
  for (const auto& [id, window] : demand.windows) {
    const ResidentArray& info = arrays_.at(id).info;
    list += fmt::format("{}{} bytes for elements [{}, {}) of {}", list.empty() ? "" : ", ",
                        bytesOf(window, info.elemSize), window.lo, window.hi, info.name);
  }
  if (demand.twins > 0) list += fmt::format(", {} bytes for elements that several devices write", demand.twins);
  return list;
}

Status Residency::mayNotSpill(std::size_t place, const Demand& demand, std::uint64_t others) const {
  const LimitedMemory& memory = memories_[place];
  return {
      Errc::outOfMemory,
      fmt::format("{} has {} bytes for arrays, of which {} hold other elements; this launch needs {} ({}). Allocate "
                  "the arrays between alloc_start and alloc_end, so that they are placed together and no one array "
                  "takes the room that the next one needs, or let data leave the device with MUSTER_SPILL=on",
                  memory.device, memory.capacity, others, demand.bytes(), listOf(demand))};
}

Plan makeEvictionPlan(std::span<const Eviction> evictions,
                      const std::function<std::uint32_t(std::uint32_t array)>& elemSizeOf,
                      const Residency::StateOf& stateOf) {
  Plan plan;
  plan.onHost = true;
  std::map<std::uint32_t, ArrayStateRef> states;
  for (const Eviction& eviction : evictions) {
    ArrayStateRef& state = states[eviction.array];
    if (state == nullptr) state = stateOf(eviction.array);
    IntervalSet gone = state->heldBy(eviction.memory);
    gone.subtract(eviction.keep);
    const IntervalSet only = state->heldOnlyBy(eviction.memory).intersect(gone);
    for (const Interval& elements : only)
      plan.copies.push_back({eviction.array, elemSizeOf(eviction.array), elements, eviction.memory, eviction.spill});
    ArrayState next = *state;
    next.addHolder(only, eviction.spill);
    next.dropHolder(gone, eviction.memory);
    state = std::make_shared<const ArrayState>(std::move(next));
  }
  std::sort(plan.copies.begin(), plan.copies.end(), [](const Copy& a, const Copy& b) {
    return std::tuple(a.array, a.to, a.elements.lo) < std::tuple(b.array, b.to, b.elements.lo);
  });
  plan.next.assign(states.begin(), states.end());
  return plan;
}

}  // namespace muster::cap
