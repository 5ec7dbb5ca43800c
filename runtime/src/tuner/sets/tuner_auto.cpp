// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mode "auto": forecasts, the budget, and when to search again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/sets/tuner.h"

namespace muster::rt {
namespace {

constexpr double kShareOfRun = 0.05;     // that tuning may cost
constexpr double kFirstForecast = 0.2;   // seconds that a program waits for the runtime before anything is tried
constexpr double kDrift = 0.2;           // of the time
constexpr int kDriftedWindows = 3;       // in a row
constexpr std::uint32_t kWindow = 4;     // intervals that a settled group is watched for at a time, at least
constexpr double kWindowSeconds = 0.03;  // and so long
constexpr double kTooLong = 3;           // times what a trial was to cost: it ends at once
constexpr double kProbe = 0.05;          // seconds that a probe costs at least: code is compiled
constexpr double kGain = 2;              // a trial may cost more if it is predicted to save so many times as much
constexpr double kMovePays = 2;          // what coming back to a phase's own set must save, in moves

}  // namespace

bool Tuner::affordable(double seconds) const {
  return spent_ + seconds <= kShareOfRun * (job_.clock().elapsed - beganAt_);
}

// Each launch of a settled group.
Status Tuner::watch(Group& group, std::uint64_t kernel) {
  if (group.launches == 0 || group.launches % options_.interval != 0) return {};
  const TunedJob::Clock clock = job_.clock();
  if (!group.ended) {
    if (group.watched.candidates.empty()) {
      const bool longEnough = clock.waited >= kFirstForecast && group.launchesOf[kernel] >= 2;
      if (!longEnough || !knowsPeriod(group) || !affordable(0)) return {};
      if (group.watched.probed || job_.ranEverywhere(kernel)) return startTiming(group, kernel);
      return affordable(probeCost(group)) ? startProbing(group, kernel) : Status();
    }
    if (!group.watched.allForecast()) {
      if (affordable(group.watched.forecastSeconds)) forecastSome(group, kernel);
      if (!group.watched.allForecast()) return {};
    }
    const Watched::Candidate* next = mostPromising(group);
    if (next == nullptr || pays(group, *next)) return tryNextCandidate(group, kernel, {});
  }
  const bool full = group.launches >= kWindow * options_.interval && wholePeriods(group) &&
                    group.seconds + clock.waited - markedAt_ >= kWindowSeconds;
  return full ? endWindow(group, kernel) : Status();
}

// The present set, as it runs.
Status Tuner::startTiming(Group& group, std::uint64_t kernel) {
  const double began = job_.clock().elapsed;
  startStage(group, Stage::timed);  // weights stay as they are from now on
  MUSTER_TRY(job_.drain());
  spent_ += job_.clock().elapsed - began;
  startStage(group, Stage::timed);
  group.anchor = kernel;
  group.watched.launchesInTrial = 0;
  group.movingSeconds = 0;
  startRecording();
  return {};
}

// A decision without a trial.
void Tuner::report(const Group& group, std::uint64_t kernel, std::string decision, std::string reason) const {
  Step step;
  step.kernel = kernel;
  step.set = park_.text(group.set);
  step.elapsed = job_.clock().elapsed - beganAt_;
  step.decision = std::move(decision);
  step.reason = std::move(reason);
  options_.step(step);
}

// Devices that seemed too slow take part for some launches, with the share that their speed gives: these loops may like
// them better than the start-up test did.
Status Tuner::startProbing(Group& group, std::uint64_t kernel) {
  group.watched.probed = group.watched.probing = true;
  group.watched.expectedCost = probeCost(group);
  group.watched.rateBefore = secondsOf(group) / static_cast<double>(std::max<std::uint64_t>(group.iterations, 1));
  startStage(group, Stage::moving);
  MUSTER_TRY(job_.probe(kernel));
  report(group, kernel, "probe", "devices that were too slow to take part have not run these loops");
  return {};
}

// Loops that come in a long period are all planned anew, for the probe and after it.
double Tuner::probeCost(const Group& group) const {
  const TunedJob::Clock clock = job_.clock();
  if (group.period.length <= options_.interval || clock.planned == 0) return kProbe;
  return kProbe + 2 * static_cast<double>(group.period.length) * clock.planning / static_cast<double>(clock.planned);
}

Status Tuner::endProbing(Group& group, std::uint64_t kernel) {
  group.watched.probing = false;
  const double planning = job_.clock().planning - group.planning;
  spent_ += planning + (secondsOf(group) - planning) / 2;  // they do their part of the work meanwhile
  MUSTER_TRY(job_.restrict(kernel, park_.members(group.set)));
  const auto changed = job_.reweigh(kernel);
  if (!changed.ok()) return changed.status();
  startStage(group, Stage::moving);
  return {};
}

// Of the sets that were not tried, nor others in which the same devices would compute; nullptr if none is in reach. All
// must have forecasts.
const Tuner::Watched::Candidate* Tuner::mostPromising(const Group& group) const {
  const Watched& watched = group.watched;
  const Watched::Candidate* best = nullptr;
  const double limit = group.ledger.best().seconds * (1 + watched.reach);
  double least = limit;
  for (const Watched::Candidate& candidate : watched.candidates) {
    const bool known =
        std::any_of(watched.candidates.begin(), watched.candidates.end(), [&](const Watched::Candidate& other) {
          return group.ledger.seconds(other.set) && other.forecast->devices == candidate.forecast->devices;
        });
    const double seconds = predicted(group, *candidate.forecast);
    if (known || seconds >= least) continue;
    best = &candidate;
    least = seconds;
  }
  return best;
}

// Until the set is known: slower launches, and the move, with the way back if it does not look like the better set.
double Tuner::trialCost(const Group& group, const Watched::Candidate& candidate) const {
  const auto launches =
      static_cast<double>(options_.interval + std::max<std::uint64_t>(options_.interval, group.period.length));
  const double perLaunch = group.watched.iterationsPerLaunch();
  const double slower = predicted(group, *candidate.forecast) - group.ledger.best().seconds;
  const double plans = group.period.length > options_.interval ? 2 * static_cast<double>(group.period.length) : 0;
  const double moving = candidate.forecast->moving * group.watched.transferFactor + plans * group.watched.planSeconds;
  return slower < 0 ? moving : launches * perLaunch * slower + 2 * moving;
}

// Within the budget; or so much better that it is worth it if the program runs for as long again as it has.
bool Tuner::pays(const Group& group, const Watched::Candidate& candidate) const {
  const double cost = trialCost(group, candidate);
  const double gain = 1 - predicted(group, *candidate.forecast) / group.ledger.best().seconds;
  return affordable(cost) || gain * (job_.clock().elapsed - beganAt_) > kGain * cost;
}

bool Tuner::takesTooLong(const Group& group) const {
  const Watched& watched = group.watched;
  if (options_.mode != TuneMode::automatic || group.iterations == 0) return false;
  if (watched.candidates.empty() && !watched.probing) return false;
  const double used = group.movingSeconds + secondsOf(group);
  const double usual = watched.probing ? static_cast<double>(group.iterations) * watched.rateBefore
                                       : (watched.launchesInTrial + group.launches) * watched.iterationsPerLaunch() *
                                             group.ledger.best().seconds;
  return used > usual + kTooLong * std::max(watched.expectedCost, kShareOfRun * kFirstForecast);
}

// After a set was timed, or where one has become affordable.
Status Tuner::tryNextCandidate(Group& group, std::uint64_t kernel, Step step) {
  Watched& watched = group.watched;
  const double began = job_.clock().elapsed;
  step.set = park_.text(group.set);
  step.kernel = kernel;
  if (watched.candidates.empty()) {
    prepareForecasts(group);
    if (watched.sample.size() == 1) forecastSome(group, kernel);  // else they are made between launches
  }
  if (step.secondsPerLaunch > 0) {  // what the trial took more than the best set would have
    const double perLaunch = watched.iterationsPerLaunch();
    const double best = group.ledger.best().seconds * perLaunch * watched.launchesInTrial;
    spent_ += std::max(0.0, group.movingSeconds + group.seconds - best);
    if (group.stage == Stage::timed && group.launches >= options_.interval) calibrate(group);
  }
  const bool forecast = watched.allForecast();
  const Watched::Candidate* next = forecast ? mostPromising(group) : nullptr;
  const DeviceSet best = group.ledger.best().set;
  if (next != nullptr && pays(group, *next)) {
    step.decision = "try " + park_.text(next->set);
    step.reason = fmt::format("predicted to take {:.2f} times as long as the best so far",
                              predicted(group, *next->forecast) / group.ledger.best().seconds);
    watched.expectedCost = trialCost(group, *next);
    MUSTER_TRY(use(group, kernel, next->set, Stage::moving));
  } else {
    group.ended = forecast && next == nullptr;
    step.decision = fmt::format("{} {}", best == group.set ? "stay with" : "go back to", park_.text(best));
    if (!forecast) {
      step.reason = "the forecasts for other sets are made between launches";
    } else if (next == nullptr) {
      step.reason = fmt::format("no other set is within reach; {} of {} were tried", group.ledger.entries().size(),
                                watched.candidates.size());
    } else {
      step.reason = fmt::format("trying {} would cost more than a twentieth of the run so far", park_.text(next->set));
    }
    MUSTER_TRY(use(group, kernel, best, Stage::settled));
    watched.reference = 0;
  }
  const double now = job_.clock().elapsed;
  step.roundSeconds += now - began;
  spent_ += step.roundSeconds;
  step.elapsed = now - beganAt_;
  options_.step(step);
  return {};
}

// A settled group's launches of late: does it still do what it did?
Status Tuner::endWindow(Group& group, std::uint64_t kernel) {
  Watched& watched = group.watched;
  const double now = job_.clock().waited;
  const double rate =
      (group.seconds + now - markedAt_) / static_cast<double>(std::max<std::uint64_t>(group.iterations, 1));
  std::vector<std::uint64_t> kernels;
  kernels.reserve(group.launchesOf.size());
  for (const auto& [id, launches] : group.launchesOf) kernels.push_back(id);
  std::sort(kernels.begin(), kernels.end());
  watched.stay += group.launches;
  startStage(group, Stage::settled);
  if (watched.phase.empty()) watched.phase = kernels;
  if (kernels != watched.phase) {  // twice the same, or it is the border between two
    if (kernels == watched.nextPhase) return changePhase(group, kernel, std::move(kernels), rate);
    watched.nextPhase = std::move(kernels);
    return {};
  }
  watched.nextPhase.clear();
  if (!group.ended) return {};
  if (isOutgrown(group)) {
    reopen(group, kernel, "what the loops do in turn is longer than it seemed");
    return {};
  }
  if (watched.reference == 0) {
    watched.reference = rate;
    return {};
  }
  const double change = rate / watched.reference - 1;
  watched.drifted = std::abs(change) > kDrift ? watched.drifted + 1 : 0;
  if (watched.drifted >= kDriftedWindows)
    reopen(group, kernel,
           fmt::format("launches take {:.0f} % {} than when the search ended", 100 * std::abs(change),
                       change > 0 ? "longer" : "less"));
  return {};
}

void Tuner::reopen(Group& group, std::uint64_t kernel, std::string reason) {
  Watched& watched = group.watched;
  report(group, kernel, "search again", std::move(reason));
  group.ended = false;
  group.ledger = {};
  watched.candidates.clear();
  watched.computeFactor = watched.transferFactor = 1;
  watched.reach = 0;
  watched.drifted = 0;
  watched.reference = 0;
}

// Other loops run now. What was found for them holds if going there saves more than the way costs.
Status Tuner::changePhase(Group& group, std::uint64_t kernel, std::vector<std::uint64_t> phase, double rate) {
  Watched& watched = group.watched;
  if (group.ended) watched.memos[watched.phase] = {group.ledger, watched.stay, watched.moveCost};
  const auto known = watched.memos.find(phase);
  watched.phase = std::move(phase);
  watched.nextPhase.clear();
  watched.stay = 0;
  if (known == watched.memos.end()) {
    reopen(group, kernel, "the program runs other loops now");
    return {};
  }
  const Watched::Memo& memo = known->second;
  group.ledger = memo.ledger;
  group.ended = true;
  watched.reference = 0;
  watched.drifted = 0;
  const Ledger::Entry best = memo.ledger.best();
  const double perLaunch = watched.iterationsPerLaunch();
  const double saves = (rate - best.seconds) * perLaunch * memo.stay;
  if (best.set == group.set || saves < kMovePays * memo.movingSeconds) return {};
  report(group, kernel, "go back to " + park_.text(best.set),
         "the program runs loops again for which this was the fastest set");
  return use(group, kernel, best.set, Stage::settled);
}

}  // namespace muster::rt
