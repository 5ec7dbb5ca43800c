// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node: one rank's copy of the job's state (arrays, device table, plan cache) and its executor. All ranks apply the
// same commands in the same order. Several nodes can live in one process (tests: loopback transport).
//
// What commands change is kept twice: as it is once all commands so far are done, for planning, and in the executor as
// far as they have been carried out. On rank 0 the program's threads plan ahead of the command stream.
//
// Thread-safety: one call at a time; on rank 0 calls that plan and those of the executor may overlap.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/device_table.h"
#include "muster/cap/executor.h"
#include "muster/cap/planner.h"
#include "muster/cap/small_vector.h"
#include "muster/cdm/transport.h"
#include "node/meter.h"
#include "node/native_lane.h"
#include "node/spec_memo.h"
#include "protocol/protocol.h"
#include "registry/registry.h"

namespace muster::rt {

// A launch command with everything that was derived from it. Immovable: the request points into the others.
struct PlannedLaunch {
  PlannedLaunch() = default;
  PlannedLaunch(const PlannedLaunch&) = delete;
  PlannedLaunch& operator=(const PlannedLaunch&) = delete;

  protocol::Launch command;
  const KernelEntry* kernel = nullptr;
  cap::SpecRef spec;
  // After describe() only: a plan that is remembered needs neither.
  std::vector<cap::DeviceSlot> slots;
  std::vector<cap::ArrayStateRef> states;  // of the spec's arrays, before the launch
  cap::PlanRef plan;
  std::string hostReason;  // why it is for the host, if the plan does not say so
  // Of a launch that is planned, and not for the host.
  [[nodiscard]] bool remembered() const { return slots.empty(); }
  cap::SmallVector<muster_dim, 3> dims;
  cap::SmallVector<const void*, 8> scalars;  // addresses in command.scalars
  [[nodiscard]] cap::LaunchRequest request() const;
};

// Flow control: a rank answers every windowCommands-th command, rank 0 posts no more than two windows ahead of the
// slowest rank, so that queues of commands stay short.
inline constexpr std::uint64_t windowCommands = 32;
[[nodiscard]] std::uint64_t windowTag(std::uint64_t sequence);
[[nodiscard]] std::uint64_t measureTag(std::uint64_t sequence);
// With an empty message rank 0 hears that the device has computed its part of a launch (protocol::Launch::Part).
[[nodiscard]] std::uint64_t partTag(std::uint64_t sequence, std::uint32_t device);

// Bytes for the plans that are remembered: a 64th of this host's memory, 128 MiB to 1 GiB. A program whose plans of one
// round do not fit plans each launch anew in each round: garbled AES has 1,300 launches a round, with 300 KB for each.
[[nodiscard]] std::size_t planMemory();

class Node {
 public:
  // measure: sums up how long this rank's devices compute (node/meter.h). planBytes: for remembered plans.
  Node(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, DeviceTable table, const Registry& registry,
       cap::ExecutorOptions options, bool measure = false, std::size_t planBytes = planMemory());

  // Ranks > 0: applies commands until the shutdown command.
  Status serve();

  // The planning half of commands; the executor's follows later. `host`: the array's bytes on rank 0, nullptr
  // elsewhere.
  Result<cap::ArrayInfo> declareArray(const protocol::CreateArray& command, std::byte* host);
  Status forgetArray(const protocol::ReleaseArray& command);
  void assume(const cap::Plan& plan);
  // An array as planned so far; info is nullptr if there is none, and there must be one for its state.
  [[nodiscard]] const cap::ArrayInfo* array(std::uint32_t id) const;
  [[nodiscard]] cap::ArrayStateRef state(std::uint32_t id) const;

  Status setWeights(const protocol::Weights& command, std::uint64_t sequence);

  // As Registry::findPair.
  [[nodiscard]] const KernelEntry* findPair(std::uint64_t first, std::uint64_t second) const {
    return registry_.findPair(first, second);
  }

  // What this rank's devices did since the last time, and at all. Nothing if it does not measure.
  [[nodiscard]] std::vector<protocol::KernelTime> takeMeasured();
  [[nodiscard]] protocol::RankTotals totals();
  // In a dry run: as if a device had computed this.
  void noteModelled(const cap::TraceEvent& chunk) {
    if (meter_ != nullptr) meter_->record(chunk);
  }

  // Checks the command and finds its kernel, spec, slots (of this table) and states.
  Status describe(PlannedLaunch& launch) const { return describe(launch, table_); }
  Status describe(PlannedLaunch& launch, const DeviceTable& table) const;
  // Gives the launch weights such that this device computes all of it. False: it cannot.
  Result<bool> isFor(protocol::Launch& command, std::uint32_t device) const;
  // The same, and plans it; nothing happens yet.
  Status plan(PlannedLaunch& launch);
  [[nodiscard]] Result<cap::Plan> planEviction(const protocol::Evict& command) const;
  [[nodiscard]] Result<cap::Plan> planAccess(const protocol::HostAccess& command);

  [[nodiscard]] cap::Executor& executor() { return executor_; }
  [[nodiscard]] const DeviceTable& table() const { return table_; }
  [[nodiscard]] const cap::PlanCache& plans() const { return plans_; }
  // Spent on launches whose plans were not remembered.
  [[nodiscard]] double planningSeconds() const { return static_cast<double>(planningNs_) * 1e-9; }
  [[nodiscard]] cap::TraceSink* trace() const { return trace_; }

 private:
  Status flushIfIdle();
  struct PlannedArray {
    cap::ArrayInfo info;
    cap::ArrayStateRef state;
  };
  Status createArray(const protocol::CreateArray& command);
  Status releaseArray(const protocol::ReleaseArray& command);
  Status transfer(const Result<cap::Plan>& plan, std::uint64_t sequence);
  Status apply(const protocol::Decoded& decoded, bool& running);
  // An empty message.
  Status tellRank0(std::uint64_t tag);
  Status answer(std::uint64_t sequence);
  Status answerMeasure(const protocol::Measure& command, std::uint64_t sequence);
  Status applyLaunch(const protocol::Launch& command, std::uint64_t sequence);
  // node_parts.cpp
  Status applyPart(std::unique_ptr<PlannedLaunch> launch, std::uint64_t sequence);
  Status watchParts();
  // Those that are complete are finished. True: some were.
  Result<bool> finishParts();
  [[nodiscard]] bool computesNatively() const;
  // Until nothing does.
  Status waitForNative();
  [[nodiscard]] bool meetsNative(const cap::Plan& plan) const;
  // launch_spec.cpp
  Status findKernel(PlannedLaunch& launch) const;
  Result<bool> findSpec(PlannedLaunch& launch, bool noDevice) const;
  Status findSlots(PlannedLaunch& launch, const DeviceTable& table) const;
  [[nodiscard]] bool fits(const cap::LaunchSpec& spec) const;
  Result<cap::LaunchSpec> buildSpec(const PlannedLaunch& launch, bool noDevice) const;
  void addSteps(const PlannedLaunch& launch, const std::vector<int>& specIndex, cap::LaunchSpec& spec) const;
  Status addArrays(const PlannedLaunch& launch, cap::LaunchSpec& spec, std::vector<int>& specIndex) const;
  [[nodiscard]] cap::PlanRef findPlan(const cap::SpecRef& spec, const std::vector<cap::DeviceSlot>& slots);
  Status planPart(PlannedLaunch& launch);
  void addStates(PlannedLaunch& launch) const;
  [[nodiscard]] DeviceTable::Needs needsOf(const PlannedLaunch& launch) const;

  cdm::Transport& transport_;
  std::unique_ptr<cdm::ComputeDevice> spill_;  // where this rank has none that could hold spilled elements
  std::vector<cdm::ComputeDevice*> devices_;
  DeviceTable table_;
  const Registry& registry_;
  std::unique_ptr<Meter> meter_;
  cap::TraceSink* trace_;
  cap::Executor executor_;
  SpecMemo specs_;  // of launches whose plans were found again
  cap::PlanCache plans_;
  std::int64_t planningNs_ = 0;
  // Of ranks > 0: parts of launches that this rank's devices compute, while it goes on with commands.
  struct OpenPart {
    std::uint64_t tag = 0;
    std::optional<cap::OpenChunk> chunk;  // nullopt: natively
    NativeLane::Number native = 0;
    std::unique_ptr<PlannedLaunch> launch;
    cap::LaunchInFlightPtr started;  // uses the others
    [[nodiscard]] bool isNative() const { return !chunk; }
  };
  std::vector<OpenPart> openParts_;
  std::unordered_map<std::uint32_t, PlannedArray> arrays_;
  NativeLane lane_;  // the last one: it uses the others
};

}  // namespace muster::rt
