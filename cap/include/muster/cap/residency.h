// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residency: what the memories of limited size hold of each array, whether a launch fits, and what has to leave before
// it (docs/architecture.md, Memory pressure and blocks). Pure: it decides, and executors of all ranks obey.
//
// A memory holds one window of each array: the hull of its valid elements there, grown to what a launch touches.
// What is not valid takes no room, because a window can always be cut down to its valid elements.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/cap/planner.h"
#include "muster/cdm/status.h"

namespace muster::cap {

// A memory that can be full.
struct LimitedMemory {
  MemoryId memory = hostMemory;
  std::uint64_t capacity = 0;       // bytes for arrays and the twins of contested elements
  std::uint64_t largestWindow = 0;  // bytes of one array; 0: `capacity`
  MemoryId spill = hostMemory;      // where elements go that no other memory has
  std::string device;               // for messages: "rank 1 on node7, device NVIDIA H100"
};

struct ResidentArray {
  std::uint32_t elemSize = 0;
  std::int64_t count = 0;
  std::string name;         // for messages: "u (jacobi.cpp:7)"
  std::uint32_t block = 0;  // allocation block, 0: none
  bool replicated = false;  // its class: every device that uses it needs all of it
};

// `memory` keeps `keep` of what it holds of the array and gives up the rest.
struct Eviction {
  std::uint32_t array = 0;
  MemoryId memory = hostMemory, spill = hostMemory;
  Interval keep;
  bool operator==(const Eviction&) const = default;
};

// A part of a launch that fits.
struct Pass {
  Interval iterations;            // of dims[0], not empty unless the launch is
  std::vector<DeviceSlot> slots;  // those of the launch; weights are lower where a memory is small
};

// How a launch runs within the memories.
struct Placement {
  std::vector<Pass> passes;  // one after the other, at least one; together all iterations
  std::string reason;        // why it is not done as usual; "" if it is
};

// The launch of these iterations only.
[[nodiscard]] LaunchSpec partOf(const LaunchSpec& spec, const Interval& iterations);

class Residency {
 public:
  using StateOf = std::function<ArrayStateRef(std::uint32_t array)>;

  Residency() = default;
  // spill: launches that do not fit may move elements out of memories and run in passes; without it they are errors.
  Residency(std::vector<LimitedMemory> memories, bool spill);

  void add(std::uint32_t id, ResidentArray array);
  void remove(std::uint32_t id);

  // Whatever is launched, everything fits: nothing below needs to be asked.
  [[nodiscard]] bool roomy() const { return need_ <= smallest_; }

  // states: as for makePlan. Devices whose memory is too small for their share get less, the others more, so that the
  // launch's arrays fit, together with the others of their allocation blocks; if that does not help, passes over equal
  // parts (a power of two), and of those that do not fit over their halves: where a few iterations need much, only they
  // run alone. Errc::outOfMemory names device, arrays, sizes, and what to do.
  Result<Placement> place(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                          const std::vector<ArrayStateRef>& states);

  // What must leave before a launch that fits, least recently used first; then its own arrays' other parts.
  Result<std::vector<Eviction>> evictions(const LaunchSpec& spec, const Plan& plan, const StateOf& stateOf);

  // The launch's arrays were used by the memories of its chunks.
  void noteUse(const LaunchSpec& spec, const Plan& plan);

  // Bytes that a memory of limited size holds now: its windows' hulls.
  [[nodiscard]] std::uint64_t bytesHeld(MemoryId memory, const StateOf& stateOf);

 private:
  struct Array {
    ResidentArray info;
    std::vector<std::uint64_t> lastUse;  // by place in memories_
    // Hulls of what the memories hold, by place in memories_, of the state for which they were found.
    ArrayStateRef known;
    std::vector<Interval> hulls;
  };
  struct Demand;
  struct Companions;
  struct Remembered {
    LaunchSpec spec;
    std::vector<DeviceSlot> slots;
    Placement placement;
  };

  [[nodiscard]] int placeOf(MemoryId memory) const;  // in memories_, -1: not limited
  [[nodiscard]] std::map<std::size_t, Demand> demandsOf(const LaunchSpec& spec, const Plan& plan) const;
  [[nodiscard]] Companions companionsOf(const LaunchSpec& spec) const;
  [[nodiscard]] bool holdsAlone(std::size_t place, const Demand& demand) const;
  [[nodiscard]] bool fits(const LaunchSpec& spec, const Plan& plan, const Companions& companions) const;
  [[nodiscard]] std::vector<DeviceSlot> capped(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                                               const std::vector<ArrayStateRef>& states, const Companions& companions,
                                               double part) const;
  [[nodiscard]] bool search(const LaunchSpec& spec, const std::vector<ArrayStateRef>& states,
                            const Companions& companions, Pass& pass) const;
  [[nodiscard]] Status divide(const LaunchSpec& spec, const std::vector<DeviceSlot>& slots,
                              const std::vector<ArrayStateRef>& states, std::vector<Pass>& passes) const;
  [[nodiscard]] Status addPasses(const LaunchSpec& spec, const Interval& iterations,
                                 const std::vector<DeviceSlot>& slots, const std::vector<ArrayStateRef>& states,
                                 std::vector<Pass>& passes) const;
  [[nodiscard]] Status tooLarge(const LaunchSpec& spec, const Interval& iterations,
                                const std::vector<DeviceSlot>& slots, const std::vector<ArrayStateRef>& states) const;
  [[nodiscard]] Status mayNotSpill(std::size_t place, const Demand& demand, std::uint64_t others) const;
  [[nodiscard]] std::string listOf(const Demand& demand) const;
  [[nodiscard]] const std::vector<Interval>& hullsOf(Array& array, const ArrayStateRef& state) const;

  std::vector<LimitedMemory> memories_;
  std::vector<int> places_;  // by memory id
  bool spill_ = true;
  std::uint64_t smallest_ = UINT64_MAX;  // of capacities and largest windows
  std::uint64_t need_ = 0;               // bytes of all arrays, twice: each element may have a twin
  std::map<std::uint32_t, Array> arrays_;
  std::uint64_t clock_ = 0;
  std::vector<Remembered> remembered_;  // placements of launches that come again
  std::size_t nextRemembered_ = 0;
};

// The copies to spill memories and the states without what is given up. `onHost` is set, as for a host access.
[[nodiscard]] Plan makeEvictionPlan(std::span<const Eviction> evictions,
                                    const std::function<std::uint32_t(std::uint32_t array)>& elemSizeOf,
                                    const Residency::StateOf& stateOf);

}  // namespace muster::cap
