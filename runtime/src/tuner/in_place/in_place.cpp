// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/in_place.h"

#include <algorithm>
#include <bit>
#include <span>

#include "muster/cdm/iterations.h"
#include "native/openmp.h"

namespace muster::rt {
namespace {

constexpr int kOrders = 4;                           // of size between n and 2 n that count as loops of their own
constexpr double leastNested = 0.5;                  // of a run, in loops of threads that launch at once
constexpr double kMorePatience = 1.25;               // than the last time, in which nothing was built
constexpr std::size_t kShort = 8;                    // bytes of a scalar that a kernel may be built for
constexpr double kLook = 0.001, kLookShare = 0.002;  // seconds, and of the run so far: between looks at what is built

// Loops whose bounds change from launch to launch come again, too.
std::uint64_t kernelAndOrder(const muster_launch& launch) {
  std::uint64_t hash = launch.kernel->id;
  for (unsigned d = 0; d < launch.kernel->n_dims; ++d) {
    const auto count = static_cast<std::uint64_t>(launch.dims[d].count);
    const int bits = std::bit_width(count);
    const std::uint64_t part = bits > 1 ? (count - (std::uint64_t{1} << (bits - 1))) * kOrders >> (bits - 1) : 0;
    hash = (hash ^ (static_cast<std::uint64_t>(bits) * kOrders + part)) * 0x9e3779b97f4a7c15 + 1;
  }
  return hash;
}

std::vector<std::vector<std::uint8_t>> scalarsOf(const muster_launch& launch) {
  std::vector<std::vector<std::uint8_t>> scalars(launch.kernel->n_scalars);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const auto* value = static_cast<const std::uint8_t*>(launch.scalars[i]);
    if (launch.kernel->scalars[i].size <= kShort) scalars[i].assign(value, value + launch.kernel->scalars[i].size);
  }
  return scalars;
}

}  // namespace

// A launch beside or inside of one that runs in place does so, too: the other one's accesses must not meet protected
// pages that wait for it.
bool InPlace::begins(const muster_launch& launch, bool mayDecide) {
  // Chunks have a team of their own, and want its cores: the program's would spin for 200 ms after each of its regions.
  if (mayDecide && isHere())
    spinAsBefore();
  else if (mayDecide)
    shareCoresWithOtherOpenMpThreads();
  // A launch inside of one on the host must not wait for who waits for that one.
  if (!mayDecide && !isHere()) return false;
  const std::lock_guard lock(mutex_);
  // What one thread moves another one may be about to use.
  const std::thread::id self = std::this_thread::get_id();
  if (mayDecide && user_ == std::thread::id()) user_ = self;
  if (mayDecide && user_ != self && !decided_.exchange(true)) endBuilding();
  if (mayDecide && !decided_ && running_ == 0 && advice_ == Advice::stay) {
    advice_ = adviceFor(launch);
    adviser_ = launch.kernel;
  }
  if (!isHere()) return false;
  ++running_;
  if (!mayDecide) beginsNested();
  return true;
}

// Inside of a loop of one thread's that runs in place, all is that loop's.
void InPlace::beginsNested() {
  if (++nested_ == 1) nestedSince_ = hooks_.seconds();
  if (nested_ > 1 && nested_ == running_) areSeveral_ = true;
}

void InPlace::beginRun(std::uint64_t run) {
  if (!hooks_.recallRun) return;
  run_ = run;
  runs_ = WholeRuns(hooks_.recallRun(run));
  if (!runs_.goEverywhere(hooks_.openSeconds())) return;
  // What is not replaced later: of a run that fails, or finds no devices.
  const RunHistory lost = runs_.historyIfLost(run_);
  hooks_.rememberRun(run_, lost);
  if (!hooks_.openDevices()) {
    runs_ = WholeRuns(lost);
    return;
  }
  decided_ = beganEverywhere_ = true;
  here_.store(false, std::memory_order_release);
  hooks_.noteRun(runs_);
}

void InPlace::rememberRun(bool threadsLaunched) {
  if (run_ == 0) return;
  const double seconds = hooks_.seconds();
  const bool isOfThreads = areSeveral_ && isHere() && nestedSeconds_ >= leastNested * seconds;
  if (beganEverywhere_ ? !threadsLaunched : !isOfThreads) return;
  runs_.note(beganEverywhere_, seconds);
  hooks_.rememberRun(run_, runs_.history(run_));
}

PlainGuard::Advice InPlace::adviceFor(const muster_launch& launch) {
  if (isHere() && !hooks_.fits()) {
    tooLarge_ = decided_ = true;
    return Advice::tryAll;
  }
  const std::uint64_t loop = kernelAndOrder(launch);
  if (!firstLoop_) {
    firstLoop_ = loop;
    if (hooks_.recall) {
      const RunHistory known = hooks_.recall(loop);
      notEnough_ = known.notEnough;
      guard_.learn(known);
    }
  }
  if (!isHere() || guard_.isBuilt(loop)) {
    if (built_.insert(launch.kernel).second) unbuilt_.erase(launch.kernel);
  }
  kernelOf_[loop] = launch.kernel;
  const auto own = static_cast<double>(cdm::iterationsOf(1, std::span(launch.dims, launch.kernel->n_dims)));
  if (built_.count(launch.kernel) == 0) {
    UnbuiltLoop& unbuilt = unbuilt_[launch.kernel];
    if (own > unbuilt.iterations) unbuilt = {own, scalarsOf(launch)};
  }
  const double now = hooks_.seconds();
  if (builds() && now >= nextProgress_) {
    nextProgress_ = now + std::max(kLook, kLookShare * now);
    build();
  }
  const Advice advice = guard_.beforeLaunch(loop, own, now, hooks_.waited(), [this] { return trialCost(); });
  if (advice != Advice::drain) return advice;
  hooks_.finishDevices();
  return guard_.afterDrain(hooks_.seconds(), hooks_.waited());
}

TrialCost InPlace::trialCost() const {
  TrialCost cost = hooks_.trialCost(unbuilt_.size());
  cost.part = std::max(cost.part, kMorePatience * notEnough_);
  return cost;
}

void InPlace::build() {
  const KernelBuilder::Progress progress = hooks_.build(unbuilt_);
  for (auto kernel = unbuilt_.begin(); kernel != unbuilt_.end();) {
    const bool isTried = progress.tried.count(kernel->first->id) > 0;
    if (isTried) built_.insert(kernel->first);
    kernel = isTried ? unbuilt_.erase(kernel) : std::next(kernel);
  }
  hasBuilt_ |= !progress.tried.empty();
  if (!progress.goesOn) pauseBuilding();
}

// Until there is something to build again.
void InPlace::pauseBuilding() {
  if (!builds_.exchange(false)) return;
  guard_.builds(0);
  notEnough_ = hasBuilt_ ? 0 : std::max(notEnough_, hooks_.seconds() - buildsSince_);
}

void InPlace::endBuilding() {
  pauseBuilding();
  hooks_.stopBuilding();
}

// Waits for a change that another thread makes.
void InPlace::end() {
  const std::lock_guard lock(mutex_);
  decided_ = true;
  advice_ = Advice::stay;
  endBuilding();
}

void InPlace::remember(double waited, bool threadsLaunched) {
  const std::lock_guard lock(mutex_);
  rememberRun(threadsLaunched);
  if (!isHere() && !beganEverywhere_) guard_.afterDrain(hooks_.seconds(), waited);
  if (firstLoop_ && hooks_.remember) {
    RunHistory history = guard_.history();
    history.notEnough = notEnough_;
    for (LoopHistory& loop : history.loops) {
      const auto kernel = kernelOf_.find(loop.loop);
      loop.isBuilt |= kernel != kernelOf_.end() && built_.count(kernel->second) > 0;
    }
    hooks_.remember(*firstLoop_, history);
  }
  firstLoop_.reset();
}

// What prepares a launch asks isHere() in front of it.
void InPlace::ends(bool ranInPlace, bool isNested) {
  const std::lock_guard lock(mutex_);
  if (ranInPlace) --running_;
  if (ranInPlace && isNested && --nested_ == 0) nestedSeconds_ += hooks_.seconds() - nestedSince_;
  if (decided_ && !tooLarge_) advice_ = Advice::stay;
  if (running_ == 0 && advice_ != Advice::stay) follow(std::exchange(advice_, Advice::stay));
}

void InPlace::follow(Advice advice) {
  using Place = PlainGuard::Place;
  const double decided = hooks_.seconds();
  if (advice == Advice::stopBuilding) endBuilding();
  if (advice == Advice::build) {
    builds_ = true;
    buildsSince_ = decided;
    hasBuilt_ = false;
    guard_.builds(trialCost().share);
    build();
  }
  if (advice == Advice::build || advice == Advice::stopBuilding)
    return hooks_.note(*adviser_, advice, guard_.reason(), hooks_.seconds() - decided);
  if (advice == Advice::goBack) {
    hooks_.finishDevices();
    hooks_.fetchEverything();
  }
  pauseBuilding();
  const double began = hooks_.seconds();
  if ((advice == Advice::tryAll || advice == Advice::useAll) && !hooks_.openDevices()) {
    decided_ = true;
    guard_.foundNoDevices();
    return;
  }
  const Place place = advice == Advice::goBack   ? Place::inPlace
                      : advice == Advice::tryAll ? Place::trial
                                                 : Place::everywhere;
  here_.store(place == Place::inPlace, std::memory_order_release);
  guard_.moved(place, began);
  hooks_.note(*adviser_, advice, tooLarge_ ? "the arrays are too large for rank 0's memory alone" : guard_.reason(),
              hooks_.seconds() - decided);
}

}  // namespace muster::rt
