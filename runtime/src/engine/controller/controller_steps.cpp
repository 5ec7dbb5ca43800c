// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that wait until several of them become one (time_steps.h).
#include <algorithm>

#include "engine/controller/controller.h"
#include "host/system/runtime_section.h"
#include "native/float_mode.h"

namespace muster::rt {
namespace {

bool usesHostMemory(const cap::Plan& plan) {
  return plan.onHost || std::any_of(plan.chunks.begin(), plan.chunks.end(),
                                    [](const cap::Chunk& chunk) { return chunk.memory == cap::hostMemory; });
}

}  // namespace

bool Controller::joinsSteps() const { return joinsSteps_ && !waitAlways_ && later_.empty() && residency_.roomy(); }

// What the host may do with the pages of these arrays is the same before the launch and behind it.
bool Controller::sparesHost(const cap::Plan& plan) const {
  if (usesHostMemory(plan) || !plan.merges.empty()) return false;
  if (!plan.copiesOf([](cap::MemoryId memory) { return memory == cap::hostMemory; }).empty()) return false;
  return std::all_of(plan.next.begin(), plan.next.end(), [&](const auto& entry) {
    const cap::ArrayStateRef before = node_.state(entry.first);
    const cap::ArrayStateRef& next = entry.second;
    const cap::IntervalSet all(cap::Interval{0, next->count()});
    return before == next || (before->missingAt(cap::hostMemory, all) == next->missingAt(cap::hostMemory, all) &&
                              before->heldOnlyBy(cap::hostMemory) == next->heldOnlyBy(cap::hostMemory));
  });
}

// Of a launch that is planned, and whose states are those before it.
void Controller::noteSteps(const PlannedLaunch& launch) {
  if (!joinsSteps_) return;
  const cdm::KernelCode& code = launch.kernel->code;
  const bool mayStep = code.schedule.steps.most != 0 && launch.command.steps == 1 && code.results.empty() &&
                       launch.plan->reason.empty() && !readsGlobals(*launch.kernel->descriptor);
  if (!mayStep && !steps_.watches()) return;
  const bool spares = sparesHost(*launch.plan);
  if (!spares) steps_.hostChanged();
  if (mayStep) steps_.ran(launch.command, loopOf(launch), spares);
}

TimeSteps::Loop Controller::loopOf(const PlannedLaunch& launch) const {
  TimeSteps::Loop loop{launch.kernel->code.schedule.steps};
  const protocol::Launch& command = launch.command;
  const auto isStore = [&](const cap::Access& access) {
    return access.array == loop.steps.to && access.mode != cap::AccessMode::read;
  };
  const auto store = std::find_if(launch.kernel->accesses.begin(), launch.kernel->accesses.end(), isStore);
  const muster_kernel& kernel = *launch.kernel->descriptor;
  if (store == launch.kernel->accesses.end() || kernel.n_inner != 0) return loop;
  const std::size_t values = std::size_t{kernel.n_dims} + 1;
  const auto first =
      command.forms.begin() + static_cast<std::ptrdiff_t>((store - launch.kernel->accesses.begin()) * values);
  loop.place.assign(first, first + static_cast<std::ptrdiff_t>(values));
  const auto &from = command.arrays[loop.steps.from], &to = command.arrays[loop.steps.to];
  if (from.id == protocol::Launch::kNotManaged || to.id == protocol::Launch::kNotManaged) return loop;
  loop.isAlike = from.offset == to.offset && node_.array(from.id)->count == node_.array(to.id)->count;
  return loop;
}

// The launch that came waits, and perhaps those before it need not wait any longer.
Result<LaunchOutcome> Controller::runSteps(Lock& lock) {
  static const auto nothing = std::make_shared<const cap::Plan>();
  auto joined = steps_.takeTogether();
  if (!joined) return LaunchOutcome{nothing, nullptr, {}, {}, 0};
  auto launch = std::make_shared<PlannedLaunch>();
  launch->command = std::move(*joined);
  {
    const RuntimeSection section;
    MUSTER_TRY(node_.plan(*launch));
  }
  // Other devices may take part by now.
  if (usesHostMemory(*launch->plan) || !launch->plan->merges.empty() || !launch->plan->reason.empty()) {
    steps_.split(launch->command.steps);
    MUSTER_TRY(endWaiting());
    return LaunchOutcome{nothing, nullptr, {}, {}, 0};
  }
  const std::uint32_t steps = launch->command.steps;
  MUSTER_TRY(run(launch, lock, {}, {}));
  return LaunchOutcome{launch->plan, launch->kernel, {}, {}, steps};
}

// Others wait only behind launches that come later.
Status Controller::endWaiting() {
  MUSTER_TRY(runWaiting());
  steps_.hostChanged();
  return {};
}

Status Controller::runWaiting() {
  if (steps_.empty()) return {};
  const AllocationScopePause pause;
  const RuntimeSection section;
  const FloatMode::Scope own(FloatMode::standard());  // all ranks plan alike
  Lock held;                                          // by the caller: nothing gives it up
  while (auto command = steps_.takeOne()) {
    auto launch = std::make_shared<PlannedLaunch>();
    launch->command = std::move(*command);
    const Status status = run(launch, held, {}, {}, false);
    if (status.ok()) continue;
    return launch->kernel == nullptr ? status : status.at("loop at " + location(launch->kernel->descriptor->loc));
  }
  return {};
}

}  // namespace muster::rt
