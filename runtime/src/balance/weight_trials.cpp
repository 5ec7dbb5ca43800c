// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials of devices that take no part.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "balance/weight_model.h"

namespace muster::rt {
namespace {

// A device that computes nothing for so long cannot run these kernels, or its share rounds to nothing.
constexpr std::uint32_t kWindowsToMeasure = 4;

std::vector<double> normalised(std::vector<double> speeds) {
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (double& speed : speeds) speed /= sum;
  return speeds;
}

}  // namespace

bool WeightModel::isOut(const Component& component, std::size_t device) const {
  if (!isMember(component, device)) return false;
  const std::vector<double> speeds = ofMembers(component, component.speeds);
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  const double speed = speeds[device], limit = options_.minShare * fastest;
  return speed < fastest && speed <= limit && speed >= options_.leastTried * limit && speed > 0;
}

std::vector<double> WeightModel::trialSpeeds(const Component& component, std::size_t device) const {
  std::vector<double> speeds = ofMembers(component, component.speeds);
  const std::vector<double> parts = shares(speeds);
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    if (parts[d] == 0) speeds[d] = 0;
  }
  speeds[device] = component.speeds[device] / 2;
  return speeds;
}

// What a trial may cost if the device is as fast as it was: its elements move there and back, kernels are compiled.
double WeightModel::trialSeconds(std::size_t index, std::size_t device) const {
  const Component& component = components_[index];
  const auto compiled = std::count_if(component.kernels.begin(), component.kernels.end(),
                                      [&](std::size_t k) { return kernels_[k].devices[device].last == 0; });
  return 2 * movingSeconds(index, shares(ofMembers(component, component.speeds)),
                           normalised(trialSpeeds(component, device))) +
         options_.firstLaunchSeconds * static_cast<double>(compiled);
}

bool WeightModel::startTrial(std::size_t index, Change& change) {
  Component& component = components_[index];
  const double since = component.seconds - component.lastTrialSeconds;
  if (since < options_.trialSeconds) return false;
  std::optional<std::size_t> next;  // the one that has waited longest
  for (std::size_t d = 0; d < component.speeds.size(); ++d) {
    if (!isOut(component, d) || component.pauses[d].until > component.seconds) continue;
    if (!next || component.pauses[d].until < component.pauses[*next].until) next = d;
  }
  if (!next || trialSeconds(index, *next) > options_.trialCost * since) return false;
  change = {idsOf(component), trialSpeeds(component, *next), 0, Change::Reason::trial};
  component.trial = Trial{*next, 0, 0};
  forgetSamples(component);
  return true;
}

// With the device as it was measured; its speed becomes known either way.
bool WeightModel::readmits(std::size_t index, Change& change) {
  Component& component = components_[index];
  const std::size_t device = component.trial->device;
  const std::vector<double> cost = costs(component);
  double cheapest = cost[device];
  for (std::size_t d = 0; d < cost.size(); ++d) {
    if (isMember(component, d) && !isOut(component, d)) cheapest = std::min(cheapest, cost[d]);
  }
  const double speed = cheapest / cost[device];
  if (speed > options_.readmitted * options_.minShare && decide(index, change, When::now)) return true;
  const double fastest = *std::max_element(component.speeds.begin(), component.speeds.end());
  component.speeds[device] = std::min(speed, options_.minShare) * fastest;
  return false;
}

bool WeightModel::endTrial(std::size_t index, Change& change) {
  Component& component = components_[index];
  Trial& trial = *component.trial;
  const bool measured = std::any_of(component.kernels.begin(), component.kernels.end(),
                                    [&](std::size_t k) { return !kernels_[k].devices[trial.device].recent.empty(); });
  if (!measured && ++trial.windows < kWindowsToMeasure) return false;
  Pause& pause = component.pauses[trial.device];
  component.lastTrialSeconds = component.seconds;
  if (measured && readmits(index, change)) {
    pause = {};
    make(index, change);
    change.speeds = ofMembers(component, std::move(change.speeds));
  } else {
    pause.length = 2 * std::max(pause.length, options_.trialSeconds / 2);
    pause.until = component.seconds + std::max(pause.length, trial.lost / options_.trialCost);
    change = {idsOf(component), ofMembers(component, component.speeds), 0, Change::Reason::restore};
    forgetSamples(component);
  }
  component.trial.reset();
  return true;
}

}  // namespace muster::rt
