// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a trial.
#include "tuner/sets/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "muster/cdm/iterations.h"

namespace muster::rt {
namespace {

// Of each loop, before a set is timed: code is compiled in the first, arrays that the program swaps have both moved
// after the second, the others are measured for the weights.
constexpr std::uint32_t kSettlingLaunches = 6;
constexpr std::uint32_t kMostReweighed = 1;  // per set
// Of the loop, before "grow" and "shrink" look at one period of launches; and how many times the best set's time they
// must take for the trial to end there. Weights and caches will not make up for that.
constexpr std::uint32_t kLookAfter = 2;
constexpr double kHopeless = 4;
constexpr double kHopelessAtFirst = 2;  // times that, where code is compiled
// Times of a part of what the loops do mean nothing any more once their period has grown by so much.
constexpr double kOutgrown = 1.5;
// "auto" times at least this long, but at most so many intervals.
constexpr double kTimedSeconds = 0.01;
constexpr std::uint32_t kMostTimed = 3;
// A long period may be timed when one part in so many of it was planned anew, or after so many periods.
constexpr std::uint64_t kFewPlanned = 20, kMostPeriods = 4;
constexpr std::uint64_t kHeldPeriods = 3;  // after so many a short period is taken for the whole
// A stage in which the loop that it waits for does not come again ends after so many intervals.
constexpr std::uint32_t kLongestStage = 4;
// The search begins when a program has done so many intervals without its first launch coming again.
constexpr std::uint64_t kLongestWait = 64;
constexpr std::size_t kMostSeen = 4096;  // kernels with sizes
constexpr std::uint64_t kLongestPeriod =
    2048;  // what comes more rarely is no part of what the program does all the time
constexpr std::uint64_t kMostSurprising = 4 * kLongestPeriod;  // launches after which a program is taken as it is

std::uint64_t kernelAndSize(const protocol::Launch& launch) {
  std::uint64_t hash = launch.kernel;
  for (const protocol::Launch::Dim& dim : launch.dims)
    hash = (hash ^ static_cast<std::uint64_t>(dim.count)) * 0x9e3779b97f4a7c15 + 1;
  return hash;
}

}  // namespace

Tuner::Tuner(Park park, TunedJob& job, Options options)
    : park_(std::move(park)), job_(job), options_(std::move(options)), beganAt_(job.clock().elapsed) {}

// Groups whose kernels joined another one are dropped; the other one begins its stage anew.
Tuner::Group& Tuner::groupOf(std::uint64_t kernel) {
  const std::size_t number = job_.groupOf(kernel);
  const auto [known, added] = kernels_.try_emplace(kernel, number);
  if (!added && known->second != number) {
    if (const auto gone = groups_.find(known->second); gone != groups_.end()) {
      if (onClock_ == &gone->second) onClock_ = nullptr;
      if (gone->second.stage != Stage::settled && --searching_ == 0) job_.hold(false);
      groups_.erase(gone);
    }
    known->second = number;
    if (const auto other = groups_.find(number); other != groups_.end() && other->second.stage != Stage::settled)
      startStage(other->second, Stage::moving);
  }
  return groups_[number];
}

Status Tuner::beforeLaunch(const protocol::Launch& launch) {
  Group& group = groupOf(launch.kernel);
  const bool done = group.ended && !watches() &&
                    (options_.fixed || group.period.heldFor(kLongestPeriod) || group.period.launched > kMostSurprising);
  if (done && searching_ == 0) return {};  // a timed group's clock must not run for others
  if (!done) follow(group.period, launch);
  if (group.set.machines == 0) {
    const bool known = group.period.length > 0 || group.period.launched > kLongestWait * options_.interval;
    if ((known && group.period.launched > options_.interval) || options_.fixed || options_.stored(launch.kernel))
      MUSTER_TRY(begin(group, launch.kernel));
  }
  if (group.set.machines > 0 && !watches() && group.ended && isOutgrown(group)) {
    group.ended = false;
    MUSTER_TRY(tryNext(group, launch.kernel, {}));
  }
  if (group.set.machines > 0 && (searching_ > 0 || watches())) {
    MUSTER_TRY(runClockFor(group));
    MUSTER_TRY(group.stage == Stage::settled && watches() ? watch(group, launch.kernel) : step(group, launch.kernel));
    if (group.stage == Stage::timed && recording_) record(launch);
  }
  ++group.launches;
  group.iterations += static_cast<std::uint64_t>(cdm::iterationsOf(1, launch.dims));
  ++group.launchesOf[launch.kernel];
  return {};
}

void Tuner::follow(Period& period, const protocol::Launch& launch) {
  const std::uint64_t now = kernelAndSize(launch);
  if (period.launched++ == 0) period.first = now;
  const auto [seen, added] = period.lastSeen.try_emplace(now, period.launched);
  if (added) {
    period.surprised = period.launched;
    if (period.lastSeen.size() > kMostSeen) period.lastSeen.clear();
    return;
  }
  const std::uint64_t way = period.launched - seen->second;
  if ((now == period.first || period.length > 0) && way <= kLongestPeriod && way > period.length) {
    period.length = way;
    period.surprised = period.launched;
  }
  seen->second = period.launched;
}

Status Tuner::begin(Group& group, std::uint64_t kernel) {
  group.set = park_.full();
  if (options_.fixed) {
    group.ended = true;
    return use(group, kernel, *options_.fixed, Stage::settled);
  }
  if (const auto stored = options_.stored(kernel)) {
    group.ended = true;
    Step step;
    step.kernel = kernel;
    step.set = park_.text(*stored);
    step.decision = "begin with " + step.set;
    step.reason = "it was stored by an earlier run";
    options_.step(step);
    return use(group, kernel, *stored, Stage::settled);
  }
  return options_.mode == TuneMode::automatic ? Status() : tryNext(group, kernel, {});
}

// Time counts for the group whose launches run. Where another one's follow, all are done first.
Status Tuner::runClockFor(Group& group) {
  if (onClock_ == &group) return {};
  const auto isTimed = [](const Group& one) { return one.stage == Stage::timed || one.stage == Stage::looking; };
  if (isTimed(group) || (onClock_ != nullptr && isTimed(*onClock_))) MUSTER_TRY(job_.drain());
  const double now = job_.clock().waited;
  if (onClock_ != nullptr) onClock_->seconds += now - markedAt_;
  onClock_ = &group;
  markedAt_ = now;
  return {};
}

Status Tuner::step(Group& group, std::uint64_t kernel) {
  if (group.stage != Stage::settled && takesTooLong(group))
    return group.watched.probing ? endMoving(group, kernel) : endTimed(group, kernel);
  if (group.stage == Stage::moving && mayLook(group, kernel)) return beginLook(group, kernel);
  if (group.stage == Stage::moving && mayEndMoving(group, kernel)) return endMoving(group, kernel);
  if (group.stage == Stage::looking) {
    if (kernel == group.anchor && wholePeriods(group)) return endLook(group, kernel);
    if (group.launches >= kLongestStage * options_.interval) startStage(group, Stage::moving);
    return {};
  }
  if (group.stage != Stage::settled && isLost(group)) return endTimed(group, kernel);
  if (group.stage != Stage::timed || group.launches < options_.interval) return {};
  if (watches() && secondsOf(group) < kTimedSeconds &&
      group.launches < kMostTimed * std::max<std::uint64_t>(options_.interval, group.period.length))
    return {};
  if (kernel == group.anchor && wholePeriods(group)) return endTimed(group, kernel);
  if (group.launches >=
      kLongestStage * std::max<std::uint64_t>(options_.interval,
                                              group.period.length)) {  // the program does something else now
    startStage(group, Stage::timed);
    group.anchor = kernel;
  }
  return {};
}

// Of a long period each loop is compiled and planned for the set when it first comes, and planned again when arrays are
// where the first time has left them.
bool Tuner::mayEndMoving(Group& group, std::uint64_t kernel) const {
  if (const std::uint64_t length = group.period.length; length > options_.interval) {
    if (group.launches == 0 || group.launches % length != 0) return false;
    const std::uint64_t before = std::exchange(group.planned, job_.clock().planned);
    return group.planned - before <= length / kFewPlanned || group.launches >= kMostPeriods * length;
  }
  if (group.launches >= kLongestStage * options_.interval + kSettlingLaunches) return true;
  const auto own = group.launchesOf.find(kernel);
  const std::uint32_t launches = group.looked ? kSettlingLaunches - kLookAfter - 1 : kSettlingLaunches;
  return own != group.launchesOf.end() && own->second >= launches;
}

// Where a period is short, one of it tells whether a set is hopeless.
bool Tuner::mayLook(const Group& group, std::uint64_t kernel) const {
  if (options_.mode == TuneMode::automatic || group.looked || group.ledger.empty()) return false;
  if (group.period.length == 0 || group.period.length > options_.interval) return false;
  if (!group.period.heldFor(std::max(kHeldPeriods * group.period.length, std::uint64_t{2} * options_.interval)))
    return false;
  const auto own = group.launchesOf.find(kernel);
  return own != group.launchesOf.end() && own->second >= kLookAfter;
}

Status Tuner::beginLook(Group& group, std::uint64_t kernel) {
  MUSTER_TRY(job_.drain());
  group.movingSeconds += secondsOf(group);
  group.looked = true;
  startStage(group, Stage::looking);
  group.anchor = kernel;
  return {};
}

Status Tuner::endLook(Group& group, std::uint64_t kernel) {
  MUSTER_TRY(job_.drain());
  const double seconds = secondsOf(group);
  if (seconds > kHopeless * group.ledger.best().seconds * static_cast<double>(group.iterations))
    return endTimed(group, kernel);
  group.movingSeconds += seconds;
  startStage(group, Stage::moving);
  return {};
}

bool Tuner::knowsPeriod(const Group& group) const {
  const Period& period = group.period;
  return period.length <= options_.interval || period.heldFor(period.length) || period.launched > kMostSurprising;
}

// A part of a long period has taken several times as long as all of it does with the best set.
bool Tuner::isLost(const Group& group) const {
  if (options_.mode == TuneMode::automatic || group.ledger.empty() || group.periodIterations == 0) return false;
  if (group.periodLaunches != group.period.length || !group.period.heldFor(kLongestPeriod)) return false;
  const bool first = group.stage == Stage::moving;
  const double seconds = secondsOf(group) - (first ? job_.clock().planning - group.planning : 0);
  return seconds > (first ? kHopelessAtFirst : 1) * kHopeless * group.ledger.best().seconds * group.periodIterations;
}

bool Tuner::isOutgrown(const Group& group) const {
  return !group.ledger.empty() && group.period.length > options_.interval &&
         static_cast<double>(group.period.length) > kOutgrown * static_cast<double>(group.timedPeriod);
}

Status Tuner::endMoving(Group& group, std::uint64_t kernel) {
  MUSTER_TRY(job_.drain());
  if (group.watched.probing) return endProbing(group, kernel);
  group.movingSeconds += secondsOf(group);
  group.watched.launchesInTrial += group.launches;
  group.watched.moveCost = group.movingSeconds;
  bool again = false;
  if (group.reweighed < kMostReweighed) {
    const auto changed = job_.reweigh(kernel);
    if (!changed.ok()) return changed.status();
    again = *changed;
  }
  startStage(group, again ? Stage::moving : Stage::timed);
  if (again) ++group.reweighed;
  group.anchor = kernel;
  if (group.watched.candidates.empty()) startRecording();
  return {};
}

Status Tuner::endTimed(Group& group, std::uint64_t kernel) {
  MUSTER_TRY(job_.drain());
  group.seconds = secondsOf(group);
  markedAt_ = job_.clock().waited;
  // Once more, now that nothing is under way: what a round costs by itself.
  const double began = job_.clock().elapsed;
  MUSTER_TRY(job_.drain());
  Step step;
  step.secondsPerLaunch = group.seconds / group.launches;
  step.movingSeconds = group.movingSeconds;
  const auto iterations = static_cast<double>(std::max<std::uint64_t>(group.iterations, 1));
  const std::uint64_t length = group.period.length;
  if (length > options_.interval && group.launches >= length && wholePeriods(group)) {
    group.periodIterations = iterations * static_cast<double>(length) / group.launches;
    group.periodLaunches = length;
  }
  const bool lost = isLost(group);
  if (isOutgrown(group)) group.ledger = {};
  if (group.ledger.empty()) group.timedPeriod = std::max<std::uint64_t>(length, options_.interval);
  group.ledger.note(group.set, group.seconds / (lost ? group.periodIterations : iterations));
  step.roundSeconds = job_.clock().elapsed - began;
  group.watched.launchesInTrial += group.launches;
  return options_.mode == TuneMode::automatic ? tryNextCandidate(group, kernel, std::move(step))
                                              : tryNext(group, kernel, std::move(step));
}

std::optional<Proposal> Tuner::propose(const Group& group) const {
  switch (options_.mode) {
    case TuneMode::grow:
      return grow(park_, group.ledger);
    case TuneMode::shrink:
    case TuneMode::automatic:
      return shrink(park_, group.ledger);
    case TuneMode::off:
      break;
  }
  return {};
}

Status Tuner::tryNext(Group& group, std::uint64_t kernel, Step step) {
  const double began = job_.clock().elapsed;
  if (isOutgrown(group)) group.ledger = {};
  step.set = park_.text(group.set);
  step.kernel = kernel;
  if (const auto next = propose(group)) {
    step.decision = "try " + park_.text(next->set);
    step.reason = next->reason;
    MUSTER_TRY(use(group, kernel, next->set, Stage::moving));
  } else {
    group.ended = true;
    const DeviceSet best = group.ledger.empty() ? group.set : group.ledger.best().set;
    step.decision = fmt::format("{} {}", best == group.set ? "stay with" : "go back to", park_.text(best));
    step.reason = fmt::format("the fastest of {} sets", group.ledger.entries().size());
    MUSTER_TRY(use(group, kernel, best, Stage::settled));
  }
  const double now = job_.clock().elapsed;
  step.roundSeconds += now - began;
  step.elapsed = now - beganAt_;
  options_.step(step);
  return {};
}

Status Tuner::use(Group& group, std::uint64_t kernel, const DeviceSet& set, Stage stage) {
  if (park_.members(set) != park_.members(group.set)) MUSTER_TRY(job_.restrict(kernel, park_.members(set)));
  group.set = set;
  group.movingSeconds = 0;
  group.reweighed = 0;
  group.looked = false;
  group.watched.launchesInTrial = 0;
  startStage(group, stage);
  return {};
}

void Tuner::startStage(Group& group, Stage stage) {
  const bool was = group.stage != Stage::settled, is = stage != Stage::settled;
  searching_ += static_cast<int>(is) - static_cast<int>(was);
  if (was != is && searching_ <= 1) job_.hold(searching_ > 0);
  group.stage = stage;
  group.launches = 0;
  group.iterations = 0;
  group.launchesOf.clear();
  group.seconds = 0;
  const TunedJob::Clock clock = job_.clock();
  group.planned = clock.planned;
  group.planning = clock.planning;
  if (onClock_ == &group || onClock_ == nullptr) {
    onClock_ = &group;
    markedAt_ = clock.waited;
  }
}

std::vector<Tuner::Found> Tuner::found() const {
  std::vector<Found> all;
  for (const auto& [number, group] : groups_) {
    if (!group.ended) continue;
    Found& found = all.emplace_back(Found{{}, group.set, group.ledger.entries().size()});
    for (const auto& [kernel, its] : kernels_) {
      if (its == number) found.kernels.push_back(kernel);
    }
    std::sort(found.kernels.begin(), found.kernels.end());
  }
  return all;
}

}  // namespace muster::rt
