// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that begins on rank 0's CPU in place (docs/decisions/0024-in-place-first.md). One process does not even
// look for other devices before it tries them.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host/system/runtime_section.h"
#include "muster/cdm/host.h"
#include "muster/cdm/host_allocation.h"
#include "muster/cdm/parts.h"
#include "native/openmp.h"
#include "registry/registry.h"
#include "session/job/build_id.h"
#include "session/program/session.h"
#include "tuner/in_place/earlier_runs.h"
#include "tuner/in_place/kernel_builder.h"

namespace muster::rt {
namespace {

// Before it is known: looking for devices with their drivers; a kernel's first build; bytes that a second moves into
// memory that devices can share.
constexpr double kOpenSeconds = 0.4, kBuildSeconds = 0.075, kMirroredPerSecond = 4e8;  // by one thread

std::uint64_t arrayBytes() {
  std::uint64_t bytes = 0;
  forEachArray([&](const HostArray& array, const muster_array_site* /*site*/) { bytes += array.bytes(); });
  return bytes;
}

// What it takes of the program's speed: the processor that loops in place leave to it, or next to nothing where the
// program has more processors than threads.
double shareOfBuilder() {
  const int processors = std::max(2, processorsOfProcess());
  return openMpThreads() >= processors ? 1.0 / processors : 0.001;
}

// Each array takes two mappings of its own, and more where parts of it are protected.
bool mayMirrorEverything() {
  constexpr std::size_t kMappings = 8;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return false;
  std::size_t arrays = 0, most = 0;
  forEachArray([&](const HostArray& /*array*/, const muster_array_site* /*site*/) { ++arrays; });
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return kMappings * arrays <= std::max<std::size_t>(most, 1024);
}

// nullptr: it needs none for devices, or the library puts the texts of functions of other units together at its first
// launch.
const cdm::KernelCode* codeToBuild(const muster_kernel& kernel) {
  const KernelEntry* entry = registry().find(kernel.id);
  return entry != nullptr && !entry->code.opencl.empty() && kernel.calls == nullptr ? &entry->code : nullptr;
}

// How many threads regions will have, without OpenMP, which reads its environment when it is first used.
std::string teamOfEnvironment() {
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  return threads != nullptr ? threads : fmt::format("of {}", processorsOfProcess());
}

// Than those of OpenMP, the one that launches, one that waits for it (session/job/stacks.h), and `known` ones. They
// might allocate arrays, or have the system write into some, while these move.
bool hasOtherThreads(int known) {
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error || std::distance(tasks, {}) > std::max(openMpThreads(), 1) + 1 + known;
}

}  // namespace

// Sessions follow each other: what is asked is asked of the present one.
void Session::startInPlace() {
  const auto elapsed = [beganNs = cap::traceClock()] { return cap::secondsSince(beganNs); };
  const auto earlier = std::make_shared<std::optional<EarlierRuns>>();  // asked for at the first launch
  const auto whole = std::make_shared<EarlierRuns>(earlierRuns(teamOfEnvironment()));
  const auto remember = [](const EarlierRuns& runs, std::uint64_t number, const RunHistory& history) {
    const Status written = runs.write(number, history);
    if (!written.ok()) fmt::print(stderr, "muster: warning: {}\n", written.message());
  };
  inPlace_ = new InPlace(InPlace::Hooks{
      .seconds = elapsed,
      .waited = [] { return current()->controller_.waitedSeconds(); },
      .trialCost = [](std::size_t unbuilt) { return current()->trialCost(unbuilt); },
      // One rank's program holds all arrays anyhow; of several ranks each may be meant to hold a part.
      .fits =
          [] {
            Session& session = *current();
            if (session.job_.transport->size() == 1) return true;
            const std::lock_guard lock(session.arraysMutex_);
            return session.parked_.liveBytes() <= cdm::hostMemoryBytes() / 2;
          },
      .openDevices = [] { return openDevices(); },
      .finishDevices =
          [] {
            Session& session = *current();
            const Status status = session.rebalancer_ != nullptr ? session.controller_.drainBetweenLaunches()
                                                                 : session.controller_.finishDevices();
            if (!status.ok()) session.fail(status);
          },
      .fetchEverything = [] { current()->fetchEverything(MUSTER_READ | MUSTER_WRITE); },
      .note = [elapsed](const muster_kernel& last, PlainGuard::Advice advice, std::string_view reason,
                        double took) { current()->noteAdvice(last, advice, reason, elapsed(), took); },
      .noteRun =
          [](const WholeRuns& runs) {
            if (current()->config().info < 1) return;
            fmt::print(stderr, "muster: all devices from the start: earlier runs took {} on this CPU{}\n",
                       formatSeconds(runs.inPlace()),
                       runs.everywhere() < 0 ? "" : fmt::format(", {} so", formatSeconds(runs.everywhere())));
          },
      .build = [](const UnbuiltLoops& loops) { return current()->buildKernels(loops); },
      .stopBuilding = [] { current()->stopBuilding(); },
      .openSeconds =
          [] {
            const Job& job = current()->job_;
            return job.opensLater && !job.config.injects(Injection::cheapTrials) ? kOpenSeconds : 0;
          },
      .recallRun = [whole](std::uint64_t run) { return whole->find(run); },
      .rememberRun = [whole, remember](std::uint64_t run,
                                       const RunHistory& history) { remember(*whole, run, history); },
      .recall =
          [earlier](std::uint64_t first) {
            return earlier->emplace(current()->earlierRuns(std::to_string(openMpThreads()))).find(first);
          },
      .remember = [earlier, remember](std::uint64_t first,
                                      const RunHistory& history) { remember(**earlier, first, history); }});
}

// For a first trial, of one process that does not know its devices yet; else nullptr.
KernelBuilder* Session::builder() {
  if (!job_.opensLater || KernelBuilder::installed().empty()) return nullptr;
  if (const auto cache = builder_ == nullptr ? cacheDirectory() : std::filesystem::path(); !cache.empty())
    builder_ = std::make_unique<KernelBuilder>(KernelBuilder::installed(), cache);
  return builder_.get();
}

// Loops without code to build are as good as tried.
KernelBuilder::Progress Session::buildKernels(const UnbuiltLoops& loops) {
  if (buildsSinceNs_ == 0) buildsSinceNs_ = cap::traceClock();
  std::vector<KernelToBuild> kernels;
  std::vector<std::uint64_t> others;
  for (const auto& [kernel, loop] : loops) {
    if (const cdm::KernelCode* code = codeToBuild(*kernel))
      kernels.push_back({code, loop.iterations, loop.scalars});
    else
      others.push_back(kernel->id);
  }
  KernelBuilder::Progress progress = builder()->build(std::move(kernels));
  progress.tried.insert(others.begin(), others.end());
  return progress;
}

void Session::stopBuilding() {
  if (buildsSinceNs_ == 0) return;
  if (config().info >= 1)
    fmt::print(stderr, "muster: {} of {} kernels were built beside the program in {}\n", builder_->tried(),
               builder_->asked(), formatSeconds(cap::secondsSince(buildsSinceNs_)));
  builder_->stop();
  buildsSinceNs_ = 0;
}

std::filesystem::path Session::cacheDirectory() {
  return cdm::cacheDirectory([](const std::string& /*said at the start*/) {});
}

// What the speed of a launch depends on, beside its loop and size. Another card in the same place shows by its speed.
EarlierRuns Session::earlierRuns(const std::string& team) const {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string ranks = job_.isOwn && job_.place.size > 1
                                ? fmt::format("{} of {}", job_.place.rank, job_.place.size)
                                : std::to_string(job_.transport->size());
  return {job_.config.earlierRuns ? cacheDirectory() : std::filesystem::path(),
          fmt::format("{}\n{}\n{}\n{}\n{}\n{}", executableBuildId(), host, job_.config.devices,
                      visible == nullptr ? "all" : visible, ranks, team)};
}

// A session with all devices takes the place of one that knew only the CPU. False: there are no others, or the program
// cannot have them any more.
bool Session::openDevices() {
  Session* const before = current();
  if (!before->job_.opensLater) return true;
  const AllocationScopePause pause;  // what drivers allocate is none of the program's
  if (!mayMirrorEverything() || hasOtherThreads(foreignThreads_)) return false;
  const LoadedObjects loaded = LoadedObjects::now();
  const std::int64_t beganNs = cap::traceClock();
  Job job = openJob(before->job_);
  if (job.table.hostOnly()) return false;
  before->stopBuilding();
  const double opened = cap::secondsSince(beganNs);
  auto* const session =
      new Session(std::move(job), LoadedObjects::now().without(loaded), std::unique_ptr<Session>(before));
  session->start();
  if (session->config().info >= 1)
    fmt::print(stderr, "muster: all devices are open after {}, of which {} moved the arrays\n",
               formatSeconds(cap::secondsSince(beganNs)), formatSeconds(cap::secondsSince(beganNs) - opened));
  current_.store(session, std::memory_order_release);
  // The drivers have exit handlers by now, which run before those that were registered earlier.
  std::atexit([] { Session::end(); });
  return true;
}

// Each array goes once to other ranks and once to devices with memories of their own, and comes back; together with
// what it takes to begin for each.
TrialCost Session::trialCost(std::size_t unbuilt) {
  if (job_.config.injects(Injection::cheapTrials)) return {};
  const Links links = job_.links();
  const auto bytes = static_cast<double>(arrayBytes());
  const double building = kBuildSeconds * static_cast<double>(unbuilt);  // by this process
  if (job_.opensLater) {
    const double moving =
        kOpenSeconds + bytes / (kMirroredPerSecond * cdm::threadsOfParts()) + 2 * bytes / links.busBytesPerSecond;
    if (builder() == nullptr) return {moving + building};
    return {moving, unbuilt > 0 ? builder()->seconds(unbuilt) : 0, shareOfBuilder(), builder()->seconds(1)};
  }
  std::size_t count = 0;
  {
    const std::lock_guard lock(arraysMutex_);
    count = arrays_.size() - parked_.count();
  }
  const auto each = static_cast<double>(count);
  double seconds = 0;
  if (job_.transport->size() > 1) seconds += bytes / links.networkBytesPerSecond + each * links.networkLatency;
  if (hasOpenCl()) seconds += bytes / links.busBytesPerSecond + each * links.busLatency;
  return {2 * seconds + (hasOpenCl() ? building : 0)};
}

void Session::noteAdvice(const muster_kernel& kernel, PlainGuard::Advice advice, std::string_view reason,
                         double elapsed, double took) {
  if (reporting()) report().countMove(took);
  const bool back = advice == PlainGuard::Advice::goBack;
  Tuner::Step step;
  step.elapsed = elapsed;
  step.kernel = kernel.id;
  step.set = back || tuner_ == nullptr ? "1:cpu" : tuner_->park().text(tuner_->park().full());
  step.decision = (back                                         ? "go back to "
                   : advice == PlainGuard::Advice::build        ? "build kernels for a trial of "
                   : advice == PlainGuard::Advice::stopBuilding ? "build no more kernels for "
                   : advice == PlainGuard::Advice::tryAll       ? "try "
                   : advice == PlainGuard::Advice::useAll       ? "use "
                                                                : "stay with ") +
                  step.set;
  step.reason = reason;
  noteStep(step);
}

}  // namespace muster::rt
