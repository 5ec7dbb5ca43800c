// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What "auto" expects of sets that it has not tried: a period of launches is recorded, planned for each of them, and
// the result corrected by what was timed. Planning a long period for many sets takes seconds, so a sample of it is
// planned, and only a few sets at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/sets/tuner.h"

namespace muster::rt {
namespace {

constexpr std::size_t kMostRecorded = 4096;  // launches and host accesses
// Of a longer period, so many runs of so many commands are planned. Within a run launches find what those before them
// have left.
constexpr std::size_t kRuns = 12, kRunLength = 8;
constexpr double kSlice = 0.0003;  // seconds of planning at a time; one run at least
// A set that is predicted to be slower than the best by as much as the last forecast was wrong may win.
constexpr double kLeastReach = 0.1, kMostReach = 0.5;

using Run = std::span<const protocol::Command>;

std::vector<Run> sampleOf(Run period) {
  if (period.size() <= kRuns * kRunLength) return {period};
  std::vector<Run> sample;
  sample.reserve(kRuns);
  for (std::size_t run = 0; run < kRuns; ++run)
    sample.push_back(period.subspan((period.size() - kRunLength) * run / (kRuns - 1), kRunLength));
  return sample;
}

void add(const Forecast& part, Forecast& sum) {
  sum.compute += part.compute;
  sum.transfer += part.transfer;
  sum.moving = std::max(sum.moving, part.moving);  // each run finds the arrays where they are now
  sum.possible = sum.possible && part.possible;
  sum.devices.resize(std::max(sum.devices.size(), part.devices.size()));
  for (std::size_t d = 0; d < part.devices.size(); ++d) sum.devices[d] = sum.devices[d] || part.devices[d];
}

struct Work {
  double iterations = 0, launches = 0;
};
Work workOf(std::span<const Run> runs) {
  Work work;
  for (const Run& commands : runs) {
    for (const protocol::Command& command : commands) {
      if (const auto* launch = std::get_if<protocol::Launch>(&command)) {
        work.iterations += protocol::innerIterations(*launch) * static_cast<double>(launch->dims.at(0).count);
        ++work.launches;
      }
    }
  }
  return work;
}

}  // namespace

void Tuner::record(const protocol::Launch& launch) {
  const std::lock_guard lock(recordMutex_);
  const auto* first = recorded_.empty() ? nullptr : std::get_if<protocol::Launch>(&recorded_.front());
  const bool wholePeriod = first != nullptr && first->kernel == launch.kernel && first->arrays == launch.arrays &&
                           first->dims == launch.dims;
  if (wholePeriod || recorded_.size() >= kMostRecorded) {
    recording_ = false;
    return;
  }
  recorded_.emplace_back(launch);
}

void Tuner::noteHostAccess(const protocol::HostAccess& access) {
  const std::lock_guard lock(recordMutex_);
  if (recording_ && !recorded_.empty() && recorded_.size() < kMostRecorded) recorded_.emplace_back(access);
}

void Tuner::startRecording() {
  const std::lock_guard lock(recordMutex_);
  recorded_.clear();
  recording_ = true;
}

void Tuner::prepareForecasts(Group& group) {
  Watched& watched = group.watched;
  {
    const std::lock_guard lock(recordMutex_);
    recording_ = false;
    watched.period.swap(recorded_);
  }
  const Run period = watched.period;
  const Work whole = workOf({&period, 1});
  watched.sample = sampleOf(period);
  const Work part = workOf(watched.sample);
  watched.periodIterations = whole.iterations;
  watched.periodLaunches = whole.launches;
  watched.iterationsPerSampled = part.iterations > 0 ? whole.iterations / part.iterations : 1;
  watched.launchesPerSampled = part.launches > 0 ? whole.launches / part.launches : 1;
  watched.candidates.clear();
  for (const DeviceSet& set : park_.all()) watched.candidates.push_back({.set = set, .forecast = {}});
  // The set that was timed comes first: it tells how good forecasts are.
  std::stable_partition(watched.candidates.begin(), watched.candidates.end(),
                        [&](const Watched::Candidate& candidate) { return candidate.set == group.set; });
}

// One run, of the first set that has no forecast. Kernels take time by iterations; latencies, and what levels and
// phases exchange, come with each launch.
void Tuner::forecastRun(Watched& watched, std::uint64_t kernel) {
  const auto candidate = std::find_if(watched.candidates.begin(), watched.candidates.end(),
                                      [](const Watched::Candidate& one) { return !one.forecast; });
  add(job_.forecast(kernel, watched.sample[candidate->runs], park_.members(candidate->set)), candidate->sum);
  if (++candidate->runs < watched.sample.size()) return;
  candidate->forecast = std::move(candidate->sum);
  candidate->forecast->compute *= watched.iterationsPerSampled;
  candidate->forecast->transfer *= watched.launchesPerSampled;
  candidate->forecast->moving *= watched.launchesPerSampled;
}

void Tuner::forecastSome(Group& group, std::uint64_t kernel) {
  Watched& watched = group.watched;
  const double began = job_.clock().elapsed;
  const std::size_t commands = watched.sample.front().size();  // which are planned twice
  double used = 0;
  for (int made = 1; used < kSlice && !watched.allForecast(); ++made) {
    forecastRun(watched, kernel);
    used = job_.clock().elapsed - began;
    watched.forecastSeconds = used / made;
    watched.planSeconds = watched.forecastSeconds / (2 * static_cast<double>(std::max<std::size_t>(1, commands)));
  }
  if (watched.allForecast()) {
    watched.sample = {};
    watched.period = {};
    if (group.stage == Stage::settled && watched.reach == 0) calibrate(group);  // else the round does
  }
  if (group.stage == Stage::settled) spent_ += used;  // else it is a part of the round
}

// Compute time is taken for known where hardly anything moves, and transfer time is corrected elsewhere.
void Tuner::calibrate(Group& group) {
  Watched& watched = group.watched;
  const auto timed = group.ledger.seconds(group.set);
  const auto own = std::find_if(watched.candidates.begin(), watched.candidates.end(),
                                [&](const Watched::Candidate& candidate) { return candidate.set == group.set; });
  const bool known = own != watched.candidates.end() && own->forecast && own->forecast->possible;
  if (!timed || !known || watched.periodIterations <= 0) return;
  watched.reach = std::clamp(std::abs(std::log(*timed / predicted(group, *own->forecast))), kLeastReach, kMostReach);
  const double seconds = *timed * watched.periodIterations;
  const double compute = own->forecast->compute * watched.computeFactor;
  if (own->forecast->transfer > 0.02 * seconds && seconds > compute) {
    watched.transferFactor = std::clamp((seconds - compute) / own->forecast->transfer, 0.1, 100.0);
  } else if (own->forecast->compute > 0) {
    watched.computeFactor = std::clamp(seconds / own->forecast->compute, 0.5, 2.0);
  }
}

double Tuner::predicted(const Group& group, const Forecast& forecast) const {
  const Watched& watched = group.watched;
  if (!forecast.possible || watched.periodIterations <= 0) return std::numeric_limits<double>::infinity();
  return (forecast.compute * watched.computeFactor + forecast.transfer * watched.transferFactor) /
         watched.periodIterations;
}

}  // namespace muster::rt
