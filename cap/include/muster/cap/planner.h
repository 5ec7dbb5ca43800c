// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner: state + launch -> chunks, copies, next state. A pure function: it knows neither device nor
// MPI, and every rank computes the same plan from the same numbers (design, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/cap/access.h"
#include "muster/cap/coherence.h"
#include "muster/cdm/device.h"

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
  bool absent = false;         // a null pointer: no access is to it
  bool operator==(const ArrayUse&) const = default;
};

// Some iterations of dims[0], for one device.
struct Part {
  std::uint32_t device = 0;  // index into the global device table
  Interval iterations;
  // A chunk for each so many iterations, the first of which are iteration 0's; 0: one chunk.
  std::int64_t grain = 0;
  bool operator==(const Part&) const = default;
};

struct LaunchSpec {
  std::uint64_t kernel = 0;  // id, for the memo and messages
  bool hostOnly = false;     // an `if` clause said no, or the kernel demands it
  // A chunk also computes so many iterations of dims[0] on either side of its own, for itself: it reads for them, and
  // keeps nothing of what they write.
  std::int64_t margin = 0;
  // This part of the launch alone, on its device. Others are launches of their own, before and after; each device's
  // windows are for the whole loop, so that they do not grow with every part.
  std::optional<Part> part;
  IterationSpace space;
  std::vector<ArrayUse> arrays;
  std::vector<Access> accesses;
  bool operator==(const LaunchSpec&) const = default;
};

// For each array of a launch, where there is one. The numbers of iterations are the logical ones.
[[nodiscard]] std::vector<std::optional<cdm::OwnElement>> ownElements(const LaunchSpec& spec);

// A spec that launches share, hashed once: their plans are found without reading it.
struct KeptSpec {
  LaunchSpec spec;
  std::uint64_t hash = 0;
  std::vector<std::optional<cdm::OwnElement>> own = {};
};
using SpecRef = std::shared_ptr<const KeptSpec>;
[[nodiscard]] SpecRef keepSpec(LaunchSpec spec);

struct Chunk {
  std::uint32_t device = 0;  // index into the global device table
  MemoryId memory = hostMemory;
  std::int64_t lo = 0, hi = 0;  // logical iterations of dims[0]
  // Per array parameter, the hull of what the chunk touches: the window that the memory must hold.
  std::vector<Interval> windows;
  // Per array parameter: what it reads (with what must be valid because writes are not exact), and writes. Where
  // at least half of a range is touched, gaps in it are counted in: few long intervals instead of one per row.
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

// One copy of the elements to each memory of `to` but `from`. Where many devices read what each of them holds a part
// of, as all bodies in each step, copies one by one are a million for a thousand devices.
struct Spread {
  std::uint32_t array = 0;  // global array id
  std::uint32_t elemSize = 0;
  Interval elements;
  MemoryId from = hostMemory;
  MemorySet to;  // of spreads in a row one and the same
  [[nodiscard]] bool reaches(MemoryId memory) const;
  [[nodiscard]] std::int64_t copies() const;
  [[nodiscard]] std::int64_t bytes() const { return copies() * elements.size() * elemSize; }
};

// An array that several chunks of a launch write, perhaps at the same elements (ClusterJaMP, section IV-B). Each chunk
// works on a copy of its own; afterwards what each changed goes to all the others.
struct Merge {
  struct Part {
    std::size_t chunk = 0;  // position in Plan::chunks
    IntervalSet elements;   // contested ones that this chunk may write; valid in its memory before it starts
    bool operator==(const Part&) const = default;
  };
  std::uint32_t array = 0;  // global array id
  std::uint32_t elemSize = 0;
  std::uint16_t parameter = 0;  // the first array parameter of the launch that is this array and written
  std::uint32_t line = 0;       // of a write, for messages
  // All writes are updates with one operation: a chunk's copy starts as that operation's identity, and all partial
  // values are combined with the old one, in the order of the chunks. Otherwise: what differs from the state before is
  // what a chunk has written; of several chunks' values the last chunk's counts.
  bool accumulate = false;
  UpdateOp op = UpdateOp::add;
  bool atomic = false;      // all writes are atomic: different values for one element are no error
  std::vector<Part> parts;  // at least two, by chunk
  bool operator==(const Merge&) const = default;
};

// Why a launch does not run on all devices that it was offered. A value: whoever prints it knows what arrays are
// called.
struct PlanReason {
  enum class Kind : std::uint8_t {
    none,
    noDevice,      // all weights are 0: on the host
    askedForHost,  // on the host
    // On one device, because of an access:
    ordered,          // the order of updates counts
    partial,          // writes of parts of elements meet
    mixedOperations,  // updates with several operations meet
    mixedAccesses,    // updates and other accesses meet
    sharedMemory      // of devices that write the same elements, some share a memory
  };
  Kind kind = Kind::none;
  std::uint32_t line = 0;       // of the access
  std::uint32_t array = 0;      // global array id
  std::uint16_t parameter = 0;  // of the launch
  [[nodiscard]] bool empty() const { return kind == Kind::none; }
  // `name`: of the array. One sentence, without it with numbers instead.
  [[nodiscard]] std::string toString(const std::string& name) const;
  [[nodiscard]] std::string toString() const;
  bool operator==(const PlanReason&) const = default;
};

struct Plan {
  // Ascending by iterations, none empty: the last one holds the last iteration. No chunks when no device may run the
  // launch: then onHost is set, it runs as one native piece on rank 0 over host memory, and `reason` says why; the
  // copies bring everything it touches to the host. No chunks and not onHost: a loop without iterations.
  // `reason` without onHost: it runs on one device alone, and why (ordered updates, updates mixed with other accesses).
  std::vector<Chunk> chunks;
  bool onHost = false;
  PlanReason reason;
  // Arrays whose copies must be made one after the chunks, by array id. In `next` each contested element is held by the
  // memories of all parts that contain it. The copies bring every part's old values to its chunk's memory.
  std::vector<Merge> merges;
  // By array id, then destination, then element: the same on all ranks. Sources hold the data before the launch, and
  // no copy reads what another one writes, so they may run in any order. Source: the holder whose memory id
  // is closest to the destination's (the lower of two), which is likely to be near, and spreads the load; the
  // holder of the elements just before goes on where it can, so that copies are long.
  std::vector<Copy> copies;
  // Further copies, of the same kind.
  std::vector<Spread> spreads;
  // Per distinct array of the launch (by id, ascending): its state after the launch.
  std::vector<std::pair<std::uint32_t, ArrayStateRef>> next;
  [[nodiscard]] bool moves() const { return !copies.empty() || !spreads.empty(); }
  [[nodiscard]] std::int64_t bytesMoved() const;
  // All copies, those of spreads too, from or to memories that are asked for. Those between two memories are in the
  // same order whatever else is asked for.
  [[nodiscard]] std::vector<Copy> copiesOf(const std::function<bool(MemoryId)>& asked) const;
  [[nodiscard]] std::string toString() const;  // for -v output and tests; one line per chunk and copy
};

// Calls visit(copy) for all copies of a plan, those of spreads one by one.
template <class Visit>
void forEachCopy(const Plan& plan, Visit visit) {
  for (const Copy& copy : plan.copies) visit(copy);
  for (const Spread& spread : plan.spreads) {
    for (const MemoryId to : spread.to) {
      if (to != spread.from) visit(Copy{spread.array, spread.elemSize, spread.elements, spread.from, to});
    }
  }
}

using PlanRef = std::shared_ptr<const Plan>;

// How dims[0] is cut: each device's logical iterations, in the order of `devices`; disjoint, together [0, count).
// Where the launch writes an array (or, without such a write, reads one) through an index that grows or falls with
// dims[0], and covers at least 3/4 of its rows (count / |coefficient| of them), the cut follows the array's rows, so
// that all loops over arrays of one shape are split alike (paper, section IV-A): `1 .. n-1` as `0 .. n`, upwards
// as downwards. Else it follows the values of the loop variable in the same way (rows 0 to the largest value), and if
// those are not covered either, the iterations. Boundaries of rows are multiples of a power of two up to 64
// (work-groups) as long as every device has at least 8 such units.
[[nodiscard]] std::vector<Interval> split(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices);

// states: current state of each array in spec.arrays order (aliases share one). Never fails: what cannot be
// split runs on one device, the fastest (the first of several), or on the host.
[[nodiscard]] Plan makePlan(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                            const std::vector<ArrayStateRef>& states);

// What the host wants of elements: to have them valid; valid and its own alone; its own alone with any contents,
// because it writes all of them.
enum class HostMode : std::uint8_t { read, write, overwrite };

// The host wants `elements` of one array. onHost is set, `reason` is empty.
[[nodiscard]] Plan makeHostPlan(std::uint32_t array, std::uint32_t elemSize, const ArrayStateRef& state,
                                const IntervalSet& elements, HostMode mode);

// Plans are memoised: the same launch from equal states on the same devices replays its plan. Returned
// states are interned, so that equal states are the same pointer. The least recently used plans go first, when
// there are more than `capacity`, or when all together take more than `mostBytes`. Not thread-safe.
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity = 4096, std::size_t mostBytes = std::size_t{128} << 20);
  ~PlanCache();
  [[nodiscard]] PlanRef launch(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                               const std::vector<ArrayStateRef>& states);
  [[nodiscard]] PlanRef launch(const SpecRef& spec, const std::vector<DeviceSlot>& devices,
                               const std::vector<ArrayStateRef>& states);
  // The plan of launch(), if it is remembered for these very states; else nullptr, which says nothing.
  [[nodiscard]] PlanRef find(const SpecRef& spec, const std::vector<DeviceSlot>& devices,
                             std::span<const ArrayState* const> states);
  [[nodiscard]] ArrayStateRef intern(ArrayStateRef state);
  [[nodiscard]] std::size_t hits() const;
  [[nodiscard]] std::size_t misses() const;
  [[nodiscard]] std::size_t size() const;   // plans
  [[nodiscard]] std::size_t bytes() const;  // about: what plans take, and their states, each once

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::cap
