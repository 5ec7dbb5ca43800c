// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches while not everything fits into the devices' memories. Rank 0 decides; what it decides travels in commands:
// other shares, launches over parts of the iterations, and what leaves a memory before each.
#include "engine/controller/controller.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

Result<cap::Placement> Controller::place(const protocol::Launch& command) {
  PlannedLaunch launch;
  launch.command = command;
  MUSTER_TRY(node_.describe(launch));
  return residency_.place(launch.spec->spec, launch.slots, launch.states);
}

// Has devices give up what stands in the way of the launch. Appends the copies that this takes.
Status Controller::makeRoom(const protocol::Launch& command, std::vector<cap::Copy>& copies) {
  PlannedLaunch launch;
  launch.command = command;
  MUSTER_TRY(node_.plan(launch));
  const auto stateOf = [this](std::uint32_t array) { return node_.state(array); };
  const auto evictions = residency_.evictions(launch.spec->spec, *launch.plan, stateOf);
  if (!evictions.ok()) return evictions.status();
  residency_.noteUse(launch.spec->spec, *launch.plan);
  if (evictions->empty()) return {};
  protocol::Evict evict;
  for (const cap::Eviction& part : *evictions)
    evict.parts.push_back({part.array, part.memory, part.spill, part.keep.lo, part.keep.hi});
  Result<cap::Plan> plan = node_.planEviction(evict);
  if (!plan.ok()) return plan.status();
  MUSTER_TRY(post(evict));
  MUSTER_TRY(announce(*plan, {}));
  copies.insert(copies.end(), plan->copies.begin(), plan->copies.end());
  return move(std::move(*plan), false).status();
}

Result<LaunchOutcome> Controller::launchUnderPressure(const protocol::Launch& command, Lock& lock,
                                                      std::span<void* const> hostArrays,
                                                      std::span<void* const> results) {
  const Result<cap::Placement> placement = [&] {
    const RuntimeSection section;
    return place(command);
  }();
  if (!placement.ok()) return placement.status();
  cap::Plan summary;
  const KernelEntry* kernel = nullptr;
  for (const cap::Pass& pass : placement->passes) {
    auto launch = std::make_shared<PlannedLaunch>();
    launch->command = command;
    protocol::Launch::Dim& dim = launch->command.dims.at(0);
    dim.first += pass.iterations.lo * dim.step;
    dim.count = pass.iterations.size();
    if (!placement->reason.empty()) {
      for (const cap::DeviceSlot& slot : pass.slots) launch->command.weights.push_back(slot.weight);
    }
    if (&pass != &placement->passes.front()) {
      if (lock.owns_lock()) lock.unlock();
      MUSTER_TRY(stream_.waitForRoom());
      lock.lock();
    }
    {
      const RuntimeSection section;
      MUSTER_TRY(makeRoom(launch->command, summary.copies));
    }
    MUSTER_TRY(run(launch, lock, hostArrays, results));
    if (placement->passes.size() == 1 && !summary.moves())
      return LaunchOutcome{launch->plan, launch->kernel, placement->reason, launch->hostReason};
    cap::Plan earlier = std::move(summary);
    summary = *launch->plan;
    summary.copies.insert(summary.copies.begin(), earlier.copies.begin(), earlier.copies.end());
    summary.spreads.insert(summary.spreads.begin(), earlier.spreads.begin(), earlier.spreads.end());
    kernel = launch->kernel;
  }
  return LaunchOutcome{std::make_shared<const cap::Plan>(std::move(summary)), kernel, placement->reason, {}};
}

}  // namespace muster::rt
