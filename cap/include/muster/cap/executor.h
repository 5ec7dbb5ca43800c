// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executor: carries out plans on one rank. Every rank runs the same plans in the same order; each does the copies in
// which it takes part and runs the chunks of its own devices (docs/architecture.md, The path of one loop).
//
// Thread-safety: one call at a time; only runNative may overlap with transfer(), of elements of host memory that its
// chunks do not touch. Errors name rank, device, kernel and sizes; after one the job has to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/cap/array.h"
#include "muster/cap/planner.h"
#include "muster/cap/trace.h"
#include "muster/cdm/device.h"
#include "muster/cdm/transport.h"

namespace muster::cap {

// One device of the job, in the order that all ranks share.
struct DevicePlace {
  int rank = 0;
  std::uint32_t index = 0;  // position in that rank's own list
  MemoryId memory = hostMemory;
  std::string name;
  std::uint64_t capacity = 0;  // bytes for arrays in a memory of its own; 0: what the device gives
  bool computes = true;        // false: a memory only, where elements wait that have no room on a device
};

// Large copies of a plan travel in parts, so that reading a device, sending, and writing another one overlap.
struct PipelineLimits {
  std::size_t messageBytes = std::size_t{2} << 20;  // a larger copy is cut
  // Staging memory of messages under way, for each direction. Shared out among the ranks that messages go to (come
  // from), of which each gets two messages at least.
  std::size_t windowBytes = std::size_t{64} << 20;
  // As messageBytes, between devices of two ranks that hand messages to each other within their memory: each message
  // costs 20 us there, in which 8 MB go.
  std::size_t deviceMessageBytes = std::size_t{16} << 20;
};

struct ExecutorOptions {
  bool loseDevices = false;  // test fault: such devices fail at their first launch
  bool failOnRaces = false;  // MUSTER_CHECK=races: two devices that wrote one element differently end the job
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  PipelineLimits pipeline;
  cdm::DirectMessages directMessages = cdm::DirectMessages::measured;
  TraceSink* trace = nullptr;  // hears what this rank does; must outlive the executor
};

// What a launch brings besides its plan. Everything must live until finish() returned.
struct LaunchRequest {
  const cdm::KernelCode* code = nullptr;
  const LaunchSpec* spec = nullptr;
  std::span<const muster_dim> dims;
  std::span<const void* const> scalars;
  std::uint32_t steps = 1;  // as in cdm::KernelLaunch
  std::span<const std::optional<cdm::OwnElement>> own = {};
};

// A chunk that a device of this rank computes by itself.
struct OpenChunk {
  MemoryId memory = hostMemory;
  cdm::Event event = 0;
};

// The results of one chunk: one value per result parameter, in slots of resultSlot bytes.
inline constexpr std::size_t resultSlot = 16;
struct Partial {
  bool last = false;  // this chunk has the last logical iteration: its lastprivate values count
  std::vector<std::byte> slots;
};
// Results of a type larger than a slot take several; the offsets of `code`'s results, and the total at the end.
[[nodiscard]] std::vector<std::size_t> resultOffsets(const cdm::KernelCode& code);

// A launch between start() and finish().
class LaunchInFlight;
struct LaunchInFlightDeleter {
  std::unique_ptr<LaunchInFlight>* spare = nullptr;  // whose memory the executor's next launch has
  void operator()(LaunchInFlight* launch) const;
};
using LaunchInFlightPtr = std::unique_ptr<LaunchInFlight, LaunchInFlightDeleter>;

class Executor {
 public:
  // devices: this rank's own, in the order of their `index`. table: all devices of the job.
  Executor(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, std::vector<DevicePlace> table,
           ExecutorOptions options);
  ~Executor();

  // Collective, before the first plan: devices that can hand each other messages within their memory do so from now on.
  Status connect();
  // Whether messages between two memories stay in devices' memory. After connect() every rank knows of all.
  [[nodiscard]] bool isDirect(MemoryId from, MemoryId to) const;
  // Of so many bytes and more MPI carries messages between devices of different ranks from memory to memory, where they
  // are not direct. nullopt: it does not.
  [[nodiscard]] std::optional<std::size_t> directMessagesFrom() const;

  // A new array is valid on the host only.
  Status addArray(const ArrayInfo& info);
  Status removeArray(std::uint32_t id);
  // nullptr if there is no such array.
  [[nodiscard]] const ArrayInfo* array(std::uint32_t id) const;
  [[nodiscard]] ArrayStateRef state(std::uint32_t id) const;

  // The copies of a plan alone (host accesses, loops that run on the host). The states become plan.next.
  Status transfer(const Plan& plan, std::uint64_t sequence);

  // Copies, then the chunks of devices that work by themselves. The states become plan.next.
  Result<LaunchInFlightPtr> start(PlanRef plan, const LaunchRequest& request, std::uint64_t sequence);
  // The chunks that the calling thread computes (this rank's CPU device).
  Status runNative(LaunchInFlight& launch);
  // Of a launch of a part (LaunchSpec::part): this rank's last chunk, which is complete after the others, if a device
  // computes it by itself.
  [[nodiscard]] static std::optional<OpenChunk> openChunk(const LaunchInFlight& launch);
  // Whether it is, without waiting.
  Result<bool> isComplete(const OpenChunk& chunk);
  // Waits for results and takes them to rank 0. There: all chunks' results in device order, elsewhere none.
  Result<std::vector<Partial>> finish(LaunchInFlight& launch);

  // For another library that takes addresses of devices' memory, as an MPI may that the program calls. `lent` is such
  // an address, of memory for messages that is nobody's else until it is written or given back.
  [[nodiscard]] bool lends(MemoryId memory) const;  // whether a device of this rank can do so
  // Errc::outOfMemory: there is no room, or it is too much for a message.
  Result<std::byte*> lend(MemoryId memory, std::size_t bytes);
  // What that memory's device has of these parts is there, one part behind the other.
  Status readLent(std::byte* lent, MemoryId memory, std::uint32_t array, std::span<const Interval> parts);
  // The device gets what is there. The states become plan.next.
  Status writeLent(std::byte* lent, MemoryId memory, const Plan& plan, std::uint32_t array,
                   std::span<const Interval> parts);
  void giveBack(std::byte* lent);
  // Collective, of processes whose executors are apart (MUSTER_RANKS=own): from which size on messages between devices
  // of theirs are faster without host memory; nullopt: none is.
  Result<std::optional<std::size_t>> tryMessages(cdm::Transport& processes);

  // Waits until all devices of this rank are done.
  Status finishDevices();
  // Starts launches that wait in devices for others to come (ComputeDevice::flush), for when none does.
  [[nodiscard]] bool holdsLaunches() const;
  Status flushDevices();
  // Warns of each loop and array in which devices changed an element to different values, once.
  void warnOfRaces();

  // Tells the trace sink of device operations that are known to be complete by now.
  void harvestTimings();

 private:
  friend class LaunchInFlight;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::cap
