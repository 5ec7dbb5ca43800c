// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner: state + launch -> chunks, copies, next state. A pure function: it knows neither device nor
// MPI, and every rank computes the same plan from the same numbers (design, section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/cap/access.h"
#include "muster/cap/coherence.h"

namespace muster::cap {

// One device of the current set, in the global order that all ranks share.
struct DeviceSlot {
  std::uint32_t device = 0;  // index into the global device table
  MemoryId memory = hostMemory;
  double weight = 0;  // relative speed; 0 takes no part
  bool operator==(const DeviceSlot&) const = default;
};

// One array argument of a launch.
struct ArrayUse {
  std::uint32_t array = 0;     // global array id; the same id may occur twice (aliases)
  std::int64_t offset = 0;     // elements from the array's start to the pointer that was passed
  std::int64_t count = 0;      // elements of the array
  std::uint32_t elemSize = 0;  // bytes
  bool operator==(const ArrayUse&) const = default;
};

struct LaunchSpec {
  std::uint64_t kernel = 0;  // id, for the memo and messages
  bool hostOnly = false;     // an `if` clause said no, or the kernel demands it
  IterationSpace space;
  std::vector<ArrayUse> arrays;
  std::vector<Access> accesses;
  bool operator==(const LaunchSpec&) const = default;
};

struct Chunk {
  std::uint32_t device = 0;  // index into the global device table
  MemoryId memory = hostMemory;
  std::int64_t lo = 0, hi = 0;  // logical iterations of dims[0]
  // Per array parameter, the hull of what the chunk touches: the window that the memory must hold.
  std::vector<Interval> windows;
  // Per array parameter: what it reads (with what must be valid because writes are not exact), and writes.
  std::vector<IntervalSet> reads, writes;
};

struct Copy {
  std::uint32_t array = 0;  // global array id
  std::uint32_t elemSize = 0;
  Interval elements;
  MemoryId from = hostMemory, to = hostMemory;
  [[nodiscard]] std::int64_t bytes() const { return elements.size() * elemSize; }
  bool operator==(const Copy&) const = default;
};

struct Plan {
  // Empty when the launch cannot be split: then it runs as one native piece on rank 0 over host memory, and
  // `reason` says why. The copies then bring everything it touches to the host.
  std::vector<Chunk> chunks;
  bool onHost = false;
  std::string reason;
  std::vector<Copy> copies;  // in canonical order: the same on all ranks
  // Per distinct array of the launch (by id, ascending): its state after the launch.
  std::vector<std::pair<std::uint32_t, ArrayStateRef>> next;
  [[nodiscard]] std::int64_t bytesMoved() const;
  [[nodiscard]] std::string toString() const;  // for -v output and tests; one line per chunk and copy
};

using PlanRef = std::shared_ptr<const Plan>;

// How dims[0] is cut: logical iteration boundaries, devices.size() + 1 of them, ascending, first 0, last count.
// Where the launch writes an array whose highest index is this dimension, the cut follows the array's rows,
// so that all loops over arrays of one shape are split alike (paper, section IV-A); else it follows the weights
// over the iterations. Boundaries are aligned (work-groups) where the range is large enough.
[[nodiscard]] std::vector<std::int64_t> split(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices);

// states: current state of each array in spec.arrays order (aliases share one). Never fails: what cannot be
// split runs on the host.
[[nodiscard]] Plan makePlan(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                            const std::vector<ArrayStateRef>& states);

// The host wants `elements` of one array valid (write = false) or its own (write = true).
[[nodiscard]] Plan makeHostPlan(std::uint32_t array, std::uint32_t elemSize, const ArrayStateRef& state,
                                const IntervalSet& elements, bool write);

// Plans are memoised: the same launch from equal states on the same devices replays its plan. Returned
// states are interned, so that equal states are the same pointer. Not thread-safe.
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity = 1024);
  ~PlanCache();
  [[nodiscard]] PlanRef launch(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                               const std::vector<ArrayStateRef>& states);
  [[nodiscard]] ArrayStateRef intern(ArrayStateRef state);
  [[nodiscard]] std::size_t hits() const;
  [[nodiscard]] std::size_t misses() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::cap
