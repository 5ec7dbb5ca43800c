// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What "auto" expects of sets that it has not tried: a period of launches is recorded, planned for each of them, and
// the result corrected by what was timed. Planning a long period for many sets takes seconds, so a sample of it is
// planned, and only a few sets at a time.
#include <algorithm>
#include <limits>

#include "tuner/tuner.h"

namespace muster::rt {
namespace {

constexpr std::size_t kMostRecorded = 4096;  // launches and host accesses
// Of a longer period, so many runs of so many commands are planned. Within a run launches find what those before them
// have left.
constexpr std::size_t kRuns = 6, kRunLength = 16;
constexpr double kSlice = 0.0003;  // seconds of planning at a time; one set at least

std::vector<protocol::Command> sampleOf(std::vector<protocol::Command> period) {
  if (period.size() <= kRuns * kRunLength) return period;
  std::vector<protocol::Command> sample;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto first = period.begin() + static_cast<std::ptrdiff_t>((period.size() - kRunLength) * run / (kRuns - 1));
    std::copy_n(first, kRunLength, std::back_inserter(sample));
  }
  return sample;
}

struct Work {
  double iterations = 0, launches = 0;
};
Work workOf(const std::vector<protocol::Command>& commands) {
  Work work;
  for (const protocol::Command& command : commands) {
    if (const auto* launch = std::get_if<protocol::Launch>(&command)) {
      work.iterations += protocol::innerIterations(*launch) * static_cast<double>(launch->dims.at(0).count);
      ++work.launches;
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
  std::vector<protocol::Command> period;
  {
    const std::lock_guard lock(recordMutex_);
    recording_ = false;
    period.swap(recorded_);
  }
  const Work whole = workOf(period);
  watched.sample = sampleOf(std::move(period));
  const Work part = workOf(watched.sample);
  watched.periodIterations = whole.iterations;
  watched.periodLaunches = whole.launches;
  watched.iterationsPerSampled = part.iterations > 0 ? whole.iterations / part.iterations : 1;
  watched.launchesPerSampled = part.launches > 0 ? whole.launches / part.launches : 1;
  watched.candidates.clear();
  for (const DeviceSet& set : park_.all()) watched.candidates.push_back({set, {}});
  // The set that was timed comes first: it tells how good forecasts are.
  std::stable_partition(watched.candidates.begin(), watched.candidates.end(),
                        [&](const Watched::Candidate& candidate) { return candidate.set == group.set; });
}

// Kernels take time by iterations; latencies, and what levels and phases exchange, come with each launch.
void Tuner::forecastSome(Group& group, std::uint64_t kernel) {
  Watched& watched = group.watched;
  const double began = job_.clock().elapsed;
  int made = 0;
  for (Watched::Candidate& candidate : watched.candidates) {
    if (candidate.forecast) continue;
    Forecast forecast = job_.forecast(kernel, watched.sample, park_.members(candidate.set));
    forecast.compute *= watched.iterationsPerSampled;
    forecast.transfer *= watched.launchesPerSampled;
    forecast.moving *= watched.launchesPerSampled;
    candidate.forecast = std::move(forecast);
    ++made;
    const double used = job_.clock().elapsed - began;
    watched.forecastSeconds = used / made;
    if (used >= kSlice) break;
  }
  if (watched.allForecast()) watched.sample = {};
  if (group.stage == Stage::settled) spent_ += job_.clock().elapsed - began;  // else it is a part of the round
}

// Compute time is taken for known where hardly anything moves, and transfer time is corrected elsewhere.
void Tuner::calibrate(Group& group) {
  Watched& watched = group.watched;
  const auto timed = group.ledger.seconds(group.set);
  const auto own = std::find_if(watched.candidates.begin(), watched.candidates.end(),
                                [&](const Watched::Candidate& candidate) { return candidate.set == group.set; });
  const bool known = own != watched.candidates.end() && own->forecast && own->forecast->possible;
  if (!timed || !known || watched.periodIterations <= 0) return;
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
