// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: planned in the program's thread, carried out by the command stream.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "engine/controller/launch_run.h"
#include "host/system/runtime_section.h"
#include "muster/cdm/backoff.h"
#include "native/float_mode.h"
#include "native/run_native.h"

namespace muster::rt {
void combineAll(const cdm::KernelCode& code, std::span<const cap::Partial> partials, std::span<void* const> results) {
  const std::vector<std::size_t> offsets = cap::resultOffsets(code);
  for (const cap::Partial& partial : partials) {
    for (std::size_t r = 0; r < code.results.size(); ++r) {
      if (code.results[r].kind == cdm::ResultKind::lastPrivate && !partial.last) continue;
      code.results[r].combine(results[r], partial.slots.data() + offsets[r]);
    }
  }
}

namespace {

// For results of a launch on one device, and between two looks for them.
constexpr std::chrono::microseconds longestSpin{1000}, betweenLooks{2};

// Nothing is moved, or compiled for the first time.
bool onlyStartsKernels(const PlannedLaunch& launch) {
  return launch.remembered() && !launch.plan->moves() && launch.plan->merges.empty();
}

}  // namespace

protocol::Launch Controller::Spares::take() {
  const std::lock_guard lock(mutex_);
  if (commands_.empty()) return {};
  protocol::Launch command = std::move(commands_.back());
  commands_.pop_back();
  return command;
}

void Controller::Spares::give(protocol::Launch command) {
  const std::lock_guard lock(mutex_);
  if (commands_.size() < kMost) commands_.push_back(std::move(command));
}

protocol::Launch Controller::spareCommand() { return spares_.take(); }

bool Controller::readsGlobals(const muster_kernel& kernel) {
  return std::any_of(kernel.scalars, kernel.scalars + kernel.n_scalars,
                     [](const muster_scalar_param& scalar) { return scalar.global != nullptr; });
}

bool Controller::usesOwnDevices(const cap::Plan& plan) const {
  return std::any_of(plan.chunks.begin(), plan.chunks.end(), [this](const cap::Chunk& chunk) {
    return node_.table().devices()[chunk.device].place.rank == transport_.rank();
  });
}

bool Controller::computesNatively(const cap::Plan& plan) const {
  return std::any_of(plan.chunks.begin(), plan.chunks.end(), [this](const cap::Chunk& chunk) {
    const DeviceEntry& device = node_.table().devices()[chunk.device];
    return device.place.rank == transport_.rank() && device.info.hostAddressable;
  });
}

Result<LaunchOutcome> Controller::launch(protocol::Launch command, std::span<void* const> hostArrays,
                                         std::span<void* const> results, LaunchTraits traits) {
  const AllocationScopePause pause;
  const std::lock_guard oneLaunch(launches_);
  const Waiting waiting(*this);
  launchBeganNs_ = waiting.beganNs();
  MUSTER_TRY(stream_.waitForRoom());
  ++launched_;
  if (!later_.empty() && later_.back().launch == launched_) {
    MUSTER_TRY(setWeights({std::move(later_.back().weights), laterMinShare_, {}}));
    later_.pop_back();
  }
  if (!command.hostOnly) MUSTER_TRY(adapt(command));
  Lock lock(mutex_);
  if (traits.mayWait && joinsSteps() && steps_.takes(command)) return runSteps(lock);
  MUSTER_TRY(runWaiting());
  if (!residency_.roomy()) return launchUnderPressure(command, lock, hostArrays, results);
  auto launch = std::make_shared<PlannedLaunch>();
  launch->command = std::move(command);
  if (traits.uneven && !isBrief(launch->command)) {
    const Result<bool> claims = mayClaim(*launch);
    if (!claims.ok()) return claims.status();
    if (*claims) return launchInClaims(*launch, lock, results);
    noteClaims(launch->command, false);
  }
  MUSTER_TRY(run(launch, lock, hostArrays, results));
  return LaunchOutcome{launch->plan, launch->kernel, {}, launch->hostReason};
}

// The lock is held, or given up at the end, where the user's variables are touched.
Status Controller::run(std::shared_ptr<PlannedLaunch>& launch, Lock& lock, std::span<void* const> hostArrays,
                       std::span<void* const> results, bool isLast) {
  if (dryRun_ != nullptr) return runDry(*launch);
  {
    const RuntimeSection section;
    // Others start to plan while this rank does.
    MUSTER_TRY(post(launch->command));
    const cap::TraceScope planning(node_.trace(), cap::TraceEvent::Kind::plan, sequence_, launch->command.kernel);
    MUSTER_TRY(node_.plan(*launch));
    MUSTER_TRY(makeWay(launch));
    noteSteps(*launch);
    MUSTER_TRY(announce(*launch->plan, launch->spec->spec.arrays));
  }
  if (!launch->plan->onHost) return runChunks(launch, lock, results, isLast);
  if (!isLast || launch->command.steps != 1)
    return {Errc::unsupported, "no device can run it any more, since it waited for others; MUSTER_FUSE=off helps"};
  return runOnHost(*launch, lock, hostArrays, results);
}

// A launch that is planned: as it is, on the host, or an error.
Status Controller::makeWay(std::shared_ptr<PlannedLaunch>& launch) {
  if (const auto lost = inFlight_.lostBy(*launch->plan, launch->spec->spec.arrays)) {
    inFlight_.keepOffAlias(lost->array);
    auto here = std::make_shared<PlannedLaunch>();
    here->command = launch->command;
    here->command.hostOnly = true;
    here->hostReason = fmt::format(
        "{} fills elements of array {} meanwhile, and this loop may write others of them "
        "only; later messages fill a copy",
        lost->call, node_.array(lost->array)->name);
    MUSTER_TRY(node_.plan(*here));
    launch = std::move(here);
  }
  const auto clash = checksBuffers_ ? inFlight_.clashOf(launch->spec->spec) : std::nullopt;
  if (!clash) return {};
  const cap::ArrayInfo* const array = node_.array(clash->buffer.array);
  return {
      Errc::invalidArgument,
      fmt::format("line {} {} element {} of array {}, which {} {} until its request is complete or its window is "
                  "synchronised; do that before the loop",
                  clash->access.line, clash->access.mode == cap::AccessMode::read ? "reads" : "writes", clash->element,
                  array != nullptr ? array->name : "?", clash->buffer.call, clash->buffer.fills ? "fills" : "reads")};
}

Status Controller::runDry(PlannedLaunch& launch) {
  const RuntimeSection section;
  MUSTER_TRY(post(launch.command));
  const std::size_t misses = node_.plans().misses();
  const std::int64_t beganNs = cap::traceClock();
  MUSTER_TRY(node_.plan(launch));
  dryRun_->noteLaunch(*launch.kernel, launch.plan, cap::secondsSince(beganNs), node_.plans().misses() > misses);
  if (FakeTime* time = dryRun_->time(); time != nullptr)
    time->run(launch.command, *launch.kernel, *launch.plan, sequence_,
              [this](const cap::TraceEvent& chunk) { node_.noteModelled(chunk); });
  return announce(*launch.plan, launch.spec->spec.arrays);
}

// In the calling thread, because what is not managed may hold anything: its accesses to managed arrays fault, and the
// stream fetches what they touch.
Status Controller::runOnHost(PlannedLaunch& launch, Lock& lock, std::span<void* const> hostArrays,
                             std::span<void* const> results) {
  const cap::TraceScope whole(node_.trace(), cap::TraceEvent::Kind::launch, sequence_, launch.command.kernel);
  const auto copied = [&] {
    const RuntimeSection section;
    return move(*launch.plan, true);
  }();
  lock.unlock();
  if (!copied.ok()) return copied.status();
  {
    const RuntimeSection section;
    MUSTER_TRY(stream_.wait(*copied));
  }
  const muster_launch all{.struct_size = sizeof(muster_launch),
                          .flags = MUSTER_LAUNCH_HOST,
                          .kernel = launch.kernel->descriptor,
                          .dims = launch.dims.begin(),
                          .forms = launch.command.forms.data(),
                          .arrays = hostArrays.data(),
                          .scalars = launch.scalars.begin(),
                          .results = results.data(),
                          .threads = 0,
                          .chunk = 0};
  const FloatMode::Scope floats(FloatMode::of(launch.command.floatMode));
  runsOnHost_.store(true, std::memory_order_release);
  runNative(all, hostArrays.data());
  runsOnHost_.store(false, std::memory_order_release);
  return {};
}

Status Controller::runChunks(const std::shared_ptr<PlannedLaunch>& launch, Lock& lock, std::span<void* const> results,
                             bool isLast, bool isAlone) {
  // Without a stream, native code of the program runs here.
  std::optional<RuntimeSection> section;
  if (stream_.running()) section.emplace();
  const bool native = computesNatively(*launch->plan);
  // Native code reads some globals under their own names, and the program may change them once this returns. (A device
  // that cannot build its kernel runs natively too.)
  const bool waitedFor = waitAlways_ || !launch->kernel->code.results.empty() ||
                         (readsGlobals(*launch->kernel->descriptor) && usesOwnDevices(*launch->plan));
  if (isLast && onlyStartsKernels(*launch) && !native && !waitedFor && stream_.beginAtOnce()) {
    Run own(spares_);
    own.launch = launch;
    own.sequence = sequence_;
    own.isOwn = true;
    lock.unlock();
    stream_.endAtOnce(execute(own));
    return {};
  }
  const auto run = newRun(launch, native);
  run->waitedFor = waitedFor;
  run->staysOpen = isAlone && !launch->kernel->code.results.empty();
  const auto queued = queue(run);
  if (!queued.ok()) return queued.status();
  if (!waitedFor) return {};
  lock.unlock();
  MUSTER_TRY(isAlone ? stream_.wait(*queued, longestSpin) : stream_.wait(*queued));
  if (run->started != nullptr) MUSTER_TRY(finishOpen(*run));
  section.reset();  // the user's variables may lie in protected pages
  const FloatMode::Scope floats(FloatMode::of(launch->command.floatMode));
  combineAll(launch->kernel->code, run->partials, results);
  return {};
}

std::shared_ptr<Controller::Run> Controller::newRun(const std::shared_ptr<PlannedLaunch>& launch, bool native) {
  auto run = std::make_shared<Run>(spares_);
  run->launch = launch;
  run->sequence = sequence_;
  run->native = native;
  run->mayBeOvertaken = native && stream_.running() && launch->plan->merges.empty();
  if (native && stream_.running()) run->threads = OpenMpSettings::current();
  return run;
}

Result<CommandStream::Number> Controller::queue(const std::shared_ptr<Run>& run, CommandStream::Overtakes overtakes) {
  return stream_.post({.run = [this, run] { return execute(*run); },
                       .native = run->native,
                       .waitedFor = run->waitedFor,
                       .overtakes = overtakes});
}

Status Controller::runBeside(std::function<Status()> task) {
  const auto queued = [&] {
    const Lock lock(mutex_);  // who announces a command counts on its number
    return stream_.post({.run =
                             [task = std::move(task)] {
                               const RuntimeSection inTask;
                               return task();
                             },
                         .waitedFor = true,
                         .overtakes = CommandStream::Overtakes::running});
  }();
  return queued.ok() ? stream_.wait(*queued) : queued.status();
}

Result<bool> Controller::isComplete(const Run& run) {
  if (!run.open) return true;
  Result<bool> complete = false;
  MUSTER_TRY(runBeside([&] {
    complete = node_.executor().isComplete(*run.open);
    return complete.status();
  }));
  return complete;
}

Status Controller::takeOpen(Run& run) {
  return runBeside([&] { return takeResults(run); });
}

Status Controller::takeResults(Run& run) {
  auto partials = node_.executor().finish(*run.started);
  if (!partials.ok()) return partials.status();
  run.partials = std::move(*partials);
  run.started.reset();
  return {};
}

// As a task of the stream, if it need not wait for anybody.
Status Controller::lookAtOnce(Run& run) {
  Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !stream_.beginAtOnce()) return {};
  lock.unlock();
  const RuntimeSection section;
  const Result<bool> complete = run.open ? node_.executor().isComplete(*run.open) : Result<bool>(true);
  const Status status = complete.ok() && *complete ? takeResults(run) : complete.status();
  stream_.endAtOnce(status);
  return status;
}

// Not as a task that waits for the device: other threads' would wait for it. The thread has a core, on which it would
// compute the loop itself, so it looks again and again at first: to be woken up takes longer than most of these loops.
Status Controller::finishOpen(Run& run) {
  using Clock = std::chrono::steady_clock;
  for (const Clock::time_point end = Clock::now() + longestSpin; run.started != nullptr && Clock::now() < end;) {
    MUSTER_TRY(lookAtOnce(run));
    for (const Clock::time_point next = Clock::now() + betweenLooks; Clock::now() < next;) sched_yield();
  }
  cdm::Backoff backoff = cdm::Backoff::besideComputing(longestPoll);
  for (; run.started != nullptr; backoff.pause()) {
    const Result<bool> complete = isComplete(run);
    if (!complete.ok()) return complete.status();
    if (*complete) return takeOpen(run);
  }
  return {};
}

Result<std::optional<LaunchOutcome>> Controller::launchOn(std::uint32_t device, protocol::Launch command,
                                                          std::span<void* const> results) {
  const AllocationScopePause pause;
  MUSTER_TRY(stream_.waitForRoom());
  Lock lock(mutex_);
  auto launch = std::make_shared<PlannedLaunch>();
  {
    const RuntimeSection section;
    MUSTER_TRY(runWaiting());
    const bool isFree = dryRun_ == nullptr && residency_.roomy() && !claiming_ && !checksBuffers_ && inFlight_.empty();
    if (!isFree || command.hostOnly) return std::optional<LaunchOutcome>();
    const Result<bool> isForIt = node_.isFor(command, device);
    if (!isForIt.ok()) return isForIt.status();
    if (!*isForIt) return std::optional<LaunchOutcome>();
    launch->command = std::move(command);
    MUSTER_TRY(node_.plan(*launch));
    if (launch->plan->onHost || launch->plan->chunks.size() != 1) return std::optional<LaunchOutcome>();
    MUSTER_TRY(post(launch->command));
    steps_.hostChanged();
    MUSTER_TRY(announce(*launch->plan, launch->spec->spec.arrays));
  }
  MUSTER_TRY(runChunks(launch, lock, results, true, true));
  return std::optional(LaunchOutcome{launch->plan, launch->kernel, {}, {}});
}

Status Controller::execute(Run& run) {
  const PlannedLaunch& launch = *run.launch;
  const muster_kernel& kernel = launch.kernel->loop();
  cap::Executor& executor = node_.executor();
  const FloatMode::Scope floats(FloatMode::of(launch.command.floatMode));  // also of what is merged
  const cap::TraceScope whole(node_.trace(), cap::TraceEvent::Kind::launch, run.sequence, launch.command.kernel);
  const std::int64_t beganNs = rebalancer_ != nullptr || onLaunch_ ? cap::traceClock() : 0;
  const auto inLoop = [&](const Status& status) { return status.at("loop at " + location(kernel.loc)); };
  Result<cap::LaunchInFlightPtr> started = [&] {
    const RuntimeSection section;
    auto result = executor.start(launch.plan, launch.request(), run.sequence);
    if (rebalancer_ != nullptr)
      rebalancer_->noteTransfer(static_cast<std::uint64_t>(launch.plan->bytesMoved()), cap::secondsSince(beganNs));
    return result;
  }();
  if (!started.ok()) return inLoop(started.status());
  if (run.native) {
    run.threads.apply();
    const CommandStream::NativeScope native(stream_, run.mayBeOvertaken);
    const ChunkScope chunk;
    if (const Status status = executor.runNative(**started); !status.ok()) return inLoop(status);
  }
  const RuntimeSection section;
  if (run.staysOpen && !run.native) {
    run.open = cap::Executor::openChunk(**started);
    run.started = std::move(*started);
    return {};
  }
  auto partials = executor.finish(**started);
  if (!partials.ok()) return inLoop(partials.status());
  run.partials = std::move(*partials);
  if (onLaunch_ && !run.waitedFor && !run.isOwn) onLaunch_(kernel, cap::secondsSince(beganNs));
  return {};
}

}  // namespace muster::rt
