// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of rank 0.
#include "engine/controller.h"

#include <algorithm>

#include "host/runtime_section.h"
#include "launch/native.h"

namespace muster::rt {
namespace {

// The calling thread computes: the program's own code runs, whose faults must be served.
class Computing {
 public:
  Computing(std::atomic<bool>& flag, std::unique_lock<std::mutex>& lock) : flag_(flag), lock_(lock) {
    lock_.unlock();
    flag_.store(true, std::memory_order_release);
  }
  ~Computing() {
    flag_.store(false, std::memory_order_release);
    lock_.lock();
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  std::atomic<bool>& flag_;
  std::unique_lock<std::mutex>& lock_;
};

void combineAll(const cdm::KernelCode& code, std::span<const cap::Partial> partials, std::span<void* const> results) {
  const std::vector<std::size_t> offsets = cap::resultOffsets(code);
  for (const cap::Partial& partial : partials) {
    for (std::size_t r = 0; r < code.results.size(); ++r) {
      if (code.results[r].kind == cdm::ResultKind::lastPrivate && !partial.last) continue;
      code.results[r].combine(results[r], partial.slots.data() + offsets[r]);
    }
  }
}

}  // namespace

// The number of the command is sequence_ from then on.
template <class Command>
Status Controller::post(const Command& command) {
  ++sequence_;
  if (transport_.size() == 1) return {};
  MUSTER_TRY(keepWindow());
  return transport_.postCommand(protocol::encode(command, sequence_));
}

// Posted by controller_pressure.cpp.
template Status Controller::post(const protocol::Evict& command);

Status Controller::keepWindow() {
  if (sequence_ % windowCommands != 0) return {};
  MUSTER_TRY(transport_.waitAll(answers_));
  answers_.clear();
  for (int rank = 1; rank < transport_.size(); ++rank) {
    auto answer = transport_.receive(rank, windowTag(sequence_), {});
    if (!answer.ok()) return answer.status();
    answers_.push_back(std::move(*answer));
  }
  return {};
}

Status Controller::rebalance(const protocol::Launch& launch) {
  return rebalancer_->beforeLaunch(launch, [this](const protocol::Command& command) -> Result<std::uint64_t> {
    MUSTER_TRY(post(command));
    return sequence_;
  });
}

Result<std::uint32_t> Controller::createArray(std::uint32_t elemSize, std::int64_t count, std::string name,
                                              std::byte* host, const ArrayTraits& traits) {
  const RuntimeSection section;
  std::unique_lock lock(mutex_);
  waitUntilMerged(lock);
  const protocol::CreateArray command{nextArray_++, elemSize, count, std::move(name)};
  MUSTER_TRY(post(command));
  MUSTER_TRY(node_.createArray(command, host));
  residency_.add(command.id, {elemSize, count, command.name, traits.block, traits.replicated});
  return command.id;
}

Status Controller::releaseArray(std::uint32_t id) {
  const RuntimeSection section;
  std::unique_lock lock(mutex_);
  waitUntilMerged(lock, id);
  if (rebalancer_ != nullptr) rebalancer_->forgetArray(id);
  const protocol::ReleaseArray command{id};
  MUSTER_TRY(post(command));
  MUSTER_TRY(node_.releaseArray(command));
  residency_.remove(id);
  return {};
}

// What the host may still do with its pages is known before data moves: nothing can be written that would be lost.
Status Controller::announce(const cap::Plan& plan) {
  if (observer_ == nullptr) return {};
  for (const auto& [id, next] : plan.next) {
    const cap::ArrayStateRef before = node_.executor().state(id);
    if (before != next) MUSTER_TRY(observer_->stateChanges(id, *before, *next));
  }
  return {};
}

// Copies what the plan says; in a dry run only the states change.
Status Controller::move(const cap::Plan& plan) {
  if (dryRun_ == nullptr) return node_.executor().transfer(plan, sequence_);
  node_.executor().assume(plan);
  return {};
}

Result<std::int64_t> Controller::hostAccess(std::uint32_t id, cap::Interval elements, bool write) {
  return hostAccess(id, elements, write, [](const cap::ArrayState&) { return Status(); });
}

// While devices write copies of their own, none of these is what the program may see, and elements that were fetched
// now would miss what the others have changed. Other ranks then wait for this one, and no command gets to them before.
void Controller::waitUntilMerged(std::unique_lock<std::mutex>& lock, std::uint32_t array) {
  merged_.wait(lock, [&] {
    const bool concerned = std::find(merging_.begin(), merging_.end(), array) != merging_.end();
    return merging_.empty() || (transport_.size() == 1 && !concerned);
  });
}

Result<std::int64_t> Controller::hostAccess(std::uint32_t id, cap::Interval elements, bool write, const Then& then) {
  const RuntimeSection section;
  std::unique_lock lock(mutex_);
  waitUntilMerged(lock, id);
  const cap::ArrayStateRef state = node_.executor().state(id);
  const cap::IntervalSet wanted(elements);
  const bool already =
      write ? state->heldOnlyBy(cap::hostMemory).contains(elements) : state->missingAt(cap::hostMemory, wanted).empty();
  std::int64_t moved = 0;
  if (!already) {
    const protocol::HostAccess command{id, elements.lo, elements.hi, write};
    const Result<cap::Plan> plan = node_.planAccess(command);
    if (!plan.ok()) return plan.status();
    MUSTER_TRY(post(command));
    MUSTER_TRY(announce(*plan));
    MUSTER_TRY(move(*plan));
    if (dryRun_ != nullptr) dryRun_->noteHostAccess(*plan);
    moved = plan->bytesMoved();
  }
  MUSTER_TRY(then(*node_.executor().state(id)));
  return moved;
}

Result<LaunchOutcome> Controller::launch(protocol::Launch command, std::span<void* const> hostArrays,
                                         std::span<void* const> results) {
  const VectorScopePause pause;
  const std::lock_guard oneLaunch(launches_);
  std::unique_lock lock(mutex_);
  if (rebalancer_ != nullptr) {
    const RuntimeSection section;
    MUSTER_TRY(rebalance(command));
  }
  if (!residency_.roomy()) return launchUnderPressure(command, lock, hostArrays, results);
  PlannedLaunch launch;
  launch.command = std::move(command);
  MUSTER_TRY(run(launch, lock, hostArrays, results));
  return LaunchOutcome{launch.plan, launch.kernel, {}};
}

// The lock is held, or given up at the end, where the user's variables are touched.
Status Controller::run(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock, std::span<void* const> hostArrays,
                       std::span<void* const> results) {
  if (dryRun_ != nullptr) return runDry(launch);
  cap::TraceScope whole(node_.trace(), cap::TraceEvent::Kind::launch, 0, launch.command.kernel);
  {
    const RuntimeSection section;
    // Others start to plan while this rank does.
    MUSTER_TRY(post(launch.command));
    whole.event().sequence = sequence_;
    const cap::TraceScope planning(node_.trace(), cap::TraceEvent::Kind::plan, sequence_, launch.command.kernel);
    MUSTER_TRY(node_.plan(launch));
    MUSTER_TRY(announce(*launch.plan));
  }
  return launch.plan->onHost ? runOnHost(launch, lock, hostArrays, results) : runChunks(launch, lock, results);
}

Status Controller::runDry(PlannedLaunch& launch) {
  const RuntimeSection section;
  MUSTER_TRY(post(launch.command));
  const std::size_t misses = node_.plans().misses();
  const std::int64_t beganNs = cap::traceClock();
  MUSTER_TRY(node_.plan(launch));
  const double seconds = static_cast<double>(cap::traceClock() - beganNs) * 1e-9;
  dryRun_->noteLaunch(*launch.kernel, *launch.plan, seconds, node_.plans().misses() > misses);
  MUSTER_TRY(announce(*launch.plan));
  return move(*launch.plan);
}

Status Controller::runOnHost(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock,
                             std::span<void* const> hostArrays, std::span<void* const> results) {
  {
    const RuntimeSection section;
    MUSTER_TRY(node_.executor().transfer(*launch.plan, sequence_));
  }
  const Computing computing(computing_, lock);
  const muster_launch whole{.struct_size = sizeof(muster_launch),
                            .flags = MUSTER_LAUNCH_HOST,
                            .kernel = launch.kernel->descriptor,
                            .dims = launch.dims.data(),
                            .forms = launch.command.forms.data(),
                            .arrays = hostArrays.data(),
                            .scalars = launch.scalars.data(),
                            .results = results.data()};
  runNative(whole, hostArrays.data());
  return {};
}

Status Controller::runChunks(PlannedLaunch& launch, std::unique_lock<std::mutex>& lock,
                             std::span<void* const> results) {
  cap::Executor& executor = node_.executor();
  const cap::LaunchRequest request = launch.request();
  Result<cap::LaunchInFlightPtr> started = [&] {
    const RuntimeSection section;
    const std::int64_t beganNs = rebalancer_ != nullptr ? cap::traceClock() : 0;
    auto result = executor.start(launch.plan, request, sequence_);
    if (rebalancer_ != nullptr)
      rebalancer_->noteTransfer(static_cast<std::uint64_t>(launch.plan->bytesMoved()),
                                static_cast<double>(cap::traceClock() - beganNs) * 1e-9);
    return result;
  }();
  if (!started.ok()) return started.status();
  for (const cap::Merge& merge : launch.plan->merges) merging_.push_back(merge.array);
  {
    const Computing computing(computing_, lock);
    MUSTER_TRY(executor.runNative(**started));
  }
  Result<std::vector<cap::Partial>> partials = [&] {
    const RuntimeSection section;
    return executor.finish(**started);
  }();
  merging_.clear();
  merged_.notify_all();
  if (!partials.ok()) return partials.status();
  lock.unlock();  // the user's variables may lie in protected pages
  combineAll(launch.kernel->code, *partials, results);
  return {};
}

Status Controller::setWeights(const protocol::Weights& weights) {
  const RuntimeSection section;
  std::unique_lock lock(mutex_);
  waitUntilMerged(lock);
  MUSTER_TRY(post(weights));
  return node_.setWeights(weights, sequence_);
}

Status Controller::postDeviceCall(std::span<const std::byte> call) {
  const RuntimeSection section;
  std::unique_lock lock(mutex_);
  waitUntilMerged(lock);
  return post(protocol::DeviceCall{{call.begin(), call.end()}});
}

Status Controller::finishDevices() {
  const RuntimeSection section;
  const std::lock_guard lock(mutex_);
  return node_.executor().finishDevices();
}

Status Controller::shutdown() {
  const RuntimeSection section;
  const std::lock_guard lock(mutex_);
  if (rebalancer_ != nullptr) MUSTER_TRY(rebalancer_->finish());
  MUSTER_TRY(post(protocol::Shutdown{}));
  MUSTER_TRY(transport_.waitAll(answers_));
  answers_.clear();
  node_.executor().warnOfRaces();
  return node_.executor().finishDevices();
}

}  // namespace muster::rt
