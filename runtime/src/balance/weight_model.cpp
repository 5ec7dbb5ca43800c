// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Components, costs, and the decision.
#include "balance/weight_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace muster::rt {
namespace {

constexpr std::size_t kWindowsKept = 9;
constexpr std::uint32_t kSlowestDecision = 8;  // times windowsToDecide
constexpr double kForget = 0.5;                // of the iterations per window
constexpr double kMostCaution = 4;             // times minGain

double median(std::deque<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void keep(std::deque<double>& values, double value) {
  values.push_back(value);
  if (values.size() > kWindowsKept) values.pop_front();
}

// Part of [0, 1) that belongs to another device when it is cut by `after` instead of `before`.
double movedFraction(const std::vector<double>& before, const std::vector<double>& after) {
  double kept = 0, a = 0, b = 0;
  for (std::size_t d = 0; d < before.size(); ++d) {
    kept += std::max(0.0, std::min(a + before[d], b + after[d]) - std::max(a, b));
    a += before[d];
    b += after[d];
  }
  return std::max(0.0, 1 - kept);
}

// Time of a unit of work that is cut by `shares`.
double slowest(const std::vector<double>& shares, const std::vector<double>& costs) {
  double time = 0;
  for (std::size_t d = 0; d < shares.size(); ++d) {
    if (shares[d] > 0) time = std::max(time, shares[d] * costs[d]);
  }
  return time;
}

}  // namespace

WeightModel::WeightModel(std::vector<double> speeds, Options options)
    : startSpeeds_(std::move(speeds)), options_(std::move(options)) {}

std::size_t WeightModel::indexOf(std::uint64_t kernel) {
  const auto [found, added] = kernelIndex_.try_emplace(kernel, kernels_.size());
  if (added) {
    kernels_.push_back({kernel, components_.size(), 0, std::vector<Samples>(startSpeeds_.size())});
    components_.push_back({.kernels = {found->second}, .speeds = startSpeeds_});
    components_.back().pauses.resize(startSpeeds_.size());
  }
  return found->second;
}

// The component that computed longer keeps its weights; true if the kernels of the other one have to change theirs.
bool WeightModel::join(std::size_t a, std::size_t b) {
  if (a == b) return false;
  Component* stays = &components_[a];
  Component* goes = &components_[b];
  if (stays->seconds < goes->seconds) {
    std::swap(a, b);
    std::swap(stays, goes);
  }
  // A trial ends here.
  const bool differ = stays->speeds != goes->speeds || stays->members != goes->members || stays->trial || goes->trial;
  stays->trial.reset();
  for (const std::size_t kernel : goes->kernels) {
    kernels_[kernel].component = a;
    stays->kernels.push_back(kernel);
  }
  stays->seconds += goes->seconds;
  *goes = {};
  return differ;
}

std::vector<WeightModel::Change> WeightModel::noteLaunch(std::uint64_t kernel, std::span<const Array> arrays) {
  const std::size_t index = indexOf(kernel);
  bool changed = false;
  for (const Array& array : arrays) {
    const KnownArray& known = arrays_.try_emplace(array.id, KnownArray{index, array.bytes}).first->second;
    changed = join(kernels_[index].component, kernels_[known.kernel].component) || changed;
  }
  if (!changed) return {};
  const Component& component = components_[kernels_[index].component];
  return {{idsOf(component), ofMembers(component, component.speeds), 0, Change::Reason::restore}};
}

WeightModel::Change WeightModel::restrict(std::uint64_t kernel, const std::vector<bool>& members) {
  Component& component = components_[componentOf(kernel)];
  component.members = members;
  component.trial.reset();
  forgetSamples(component);
  Change change{idsOf(component), ofMembers(component, component.speeds), 0, Change::Reason::restore};
  const double fastest = *std::max_element(change.speeds.begin(), change.speeds.end());
  for (double& speed : change.speeds) speed /= fastest > 0 ? fastest : 1;
  return change;
}

std::optional<WeightModel::Change> WeightModel::decideNow(std::uint64_t kernel) {
  Change change;
  const std::size_t index = componentOf(kernel);
  if (components_[index].trial || !decide(index, change, When::nowForFree)) return {};
  make(index, change);
  change.speeds = ofMembers(components_[index], std::move(change.speeds));
  return change;
}

bool WeightModel::ranEverywhere(std::uint64_t kernel) const {
  const Kernel& known = kernels_[kernelIndex_.at(kernel)];
  const std::vector<double> parts = shares(components_[known.component].speeds);
  for (std::size_t d = 0; d < startSpeeds_.size(); ++d) {
    if (startSpeeds_[d] > 0 && parts[d] == 0 && known.devices[d].last == 0) return false;
  }
  return true;
}

std::vector<double> WeightModel::speedsOf(std::uint64_t kernel, const std::vector<bool>& works) const {
  std::vector<double> speeds;
  for (const double cost : costs(components_[componentOf(kernel)], &works))
    speeds.push_back(std::isfinite(cost) && cost > 0 ? 1 / cost : 0);
  return speeds;
}

double WeightModel::secondsPerIteration(std::uint64_t kernel, std::size_t device,
                                        const std::vector<bool>& works) const {
  const Kernel& known = kernels_[kernelIndex_.at(kernel)];
  const auto measured = [&](std::size_t d) { return known.devices[d].lastIf(options_.sharing.slowdown(d, works)); };
  if (measured(device) > 0) return measured(device);
  const std::vector<double> speeds = speedsOf(kernel, works);
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    if (measured(d) > 0 && speeds[device] > 0) return measured(d) * speeds[d] / speeds[device];
  }
  return 0;
}

std::vector<double> WeightModel::ofMembers(const Component& component, std::vector<double> speeds) {
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    if (!isMember(component, d)) speeds[d] = 0;
  }
  return speeds;
}

void WeightModel::forgetArray(std::uint32_t id) { arrays_.erase(id); }

void WeightModel::noteTransfer(std::uint64_t bytes, double seconds) {
  constexpr std::uint64_t kEnoughToMeasure = 1 << 20;
  if (bytes >= kEnoughToMeasure && seconds > 0) keep(transferSpeeds_, static_cast<double>(bytes) / seconds);
}

double WeightModel::transferSpeed() const {
  return transferSpeeds_.empty() ? options_.bytesPerSecond : std::min(options_.bytesPerSecond, median(transferSpeeds_));
}

std::vector<std::uint64_t> WeightModel::idsOf(const Component& component) const {
  std::vector<std::uint64_t> ids;
  ids.reserve(component.kernels.size());
  for (const std::size_t kernel : component.kernels) ids.push_back(kernels_[kernel].id);
  return ids;
}

void WeightModel::addWindow(std::span<const protocol::KernelTime> times) {
  for (Kernel& kernel : kernels_) kernel.iterations *= kForget;
  std::unordered_map<std::uint64_t, std::vector<bool>> worked;  // by kernel
  for (const protocol::KernelTime& time : times) {
    if (time.iterations == 0 || time.device >= startSpeeds_.size()) continue;
    worked.try_emplace(time.kernel, startSpeeds_.size()).first->second[time.device] = true;
  }
  for (const protocol::KernelTime& time : times) {
    if (time.iterations == 0 || time.device >= startSpeeds_.size()) continue;
    Kernel& kernel = kernels_[indexOf(time.kernel)];
    const auto iterations = static_cast<double>(time.iterations);
    kernel.iterations += iterations;
    Samples& samples = kernel.devices[time.device];
    keep(samples.recent, static_cast<double>(time.nanoseconds) * 1e-9 / iterations);
    samples.last = median(samples.recent);
    samples.slowdown = options_.sharing.slowdown(time.device, worked.at(time.kernel));
    samples.launches += time.launches;
  }
}

// What the window took: its devices work side by side.
void WeightModel::addSeconds(std::span<const protocol::KernelTime> times) {
  std::unordered_map<std::size_t, std::unordered_map<std::uint32_t, double>> busy;  // by component and device
  for (const protocol::KernelTime& time : times) {
    if (time.iterations == 0 || time.device >= startSpeeds_.size()) continue;
    busy[kernels_[indexOf(time.kernel)].component][time.device] += static_cast<double>(time.nanoseconds) * 1e-9;
  }
  for (const auto& [component, devices] : busy) {
    Component& measured = components_[component];
    double longest = 0, tried = 0;
    for (const auto& [device, seconds] : devices) {
      double& which = measured.trial && measured.trial->device == device ? tried : longest;
      which = std::max(which, seconds);
    }
    measured.seconds += std::max(longest, tried);
    if (measured.trial) measured.trial->lost += std::max(0.0, tried - longest);
    if (devices.size() > 1) ++measured.windows;
  }
}

// Relative to a device that has run most of the kernels. Kernels that both have run give the ratio; where there is
// none, the present weights do.
std::vector<double> WeightModel::costs(const Component& component, const std::vector<bool>* works) const {
  const auto secondsOn = [&](std::size_t device, std::size_t kernel) {
    const Samples& samples = kernels_[kernel].devices[device];
    const double perIteration =
        works != nullptr ? samples.lastIf(options_.sharing.slowdown(device, *works)) : samples.last;
    return perIteration * kernels_[kernel].iterations;
  };
  std::size_t reference = 0, most = 0;
  for (std::size_t d = 0; d < startSpeeds_.size(); ++d) {
    const auto known = static_cast<std::size_t>(std::count_if(component.kernels.begin(), component.kernels.end(),
                                                              [&](std::size_t k) { return secondsOn(d, k) > 0; }));
    if (known > most) reference = d;
    most = std::max(most, known);
  }
  std::vector<double> costs;
  for (std::size_t d = 0; d < startSpeeds_.size(); ++d) {
    double here = 0, there = 0;
    for (const std::size_t kernel : component.kernels) {
      if (secondsOn(d, kernel) <= 0 || secondsOn(reference, kernel) <= 0) continue;
      here += secondsOn(d, kernel);
      there += secondsOn(reference, kernel);
    }
    if (there > 0) {
      costs.push_back(here / there);
    } else {
      costs.push_back(component.speeds[d] > 0 ? component.speeds[reference] / component.speeds[d]
                                              : std::numeric_limits<double>::infinity());
    }
  }
  return costs;
}

std::vector<double> WeightModel::shares(const std::vector<double>& speeds) const {
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  std::vector<double> shares = speeds;
  for (double& share : shares) {
    if (share < fastest && share <= options_.minShare * fastest) share = 0;
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum <= 0) return shares;
  for (double& share : shares) share /= sum;
  return shares;
}

double WeightModel::movingSeconds(std::size_t component, const std::vector<double>& before,
                                  const std::vector<double>& after) const {
  double bytes = 0;
  for (const auto& [id, array] : arrays_) {
    if (kernels_[array.kernel].component == component) bytes += static_cast<double>(array.bytes);
  }
  return bytes * movedFraction(before, after) / transferSpeed();
}

// The device of which the fewest launches were measured counts.
double WeightModel::minGainNow(const Component& component) const {
  double fewest = options_.launchesToTrust;
  for (std::size_t d = 0; d < startSpeeds_.size(); ++d) {
    double launches = 0;
    for (const std::size_t kernel : component.kernels) launches += kernels_[kernel].devices[d].launches;
    if (launches > 0) fewest = std::min(fewest, launches);
  }
  return options_.minGain * std::min(3.0, std::sqrt(options_.launchesToTrust / fewest));
}

bool WeightModel::decide(std::size_t index, Change& change, When when) const {
  const Component& component = components_[index];
  if (when == When::measured &&
      component.windows < options_.windowsToDecide * std::min(1 + component.changes, kSlowestDecision))
    return false;
  std::vector<double> cost = costs(component);
  for (const double one : cost) change.speeds.push_back(std::isfinite(one) && one > 0 ? 1 / one : 0);
  const double fastest = *std::max_element(change.speeds.begin(), change.speeds.end());
  if (fastest <= 0) return false;
  const std::vector<double> present = shares(ofMembers(component, component.speeds));
  for (std::size_t d = 0; d < change.speeds.size(); ++d) {
    double& speed = change.speeds[d];
    speed /= fastest;
    if (isMember(component, d) && present[d] == 0 && speed <= options_.readmitted * options_.minShare)
      speed = std::min(speed, options_.minShare);
  }

  // Devices that have never run any of these kernels say nothing about the gain; perhaps they cannot run them.
  std::vector<double> before = component.speeds, after = change.speeds;
  for (std::size_t d = 0; d < before.size(); ++d) {
    const bool measured = std::any_of(component.kernels.begin(), component.kernels.end(),
                                      [&](std::size_t k) { return kernels_[k].devices[d].last > 0; });
    if (!measured || !isMember(component, d)) before[d] = after[d] = 0;
  }
  before = shares(before);
  after = shares(after);
  const double now = slowest(before, cost);
  if (now <= 0) return false;
  change.gain = 1 - slowest(after, cost) / now;
  // Each change after the first makes it more likely that what looks like a gain is noise.
  if (when == When::nowForFree && change.gain < minGainNow(component)) return false;
  if (change.gain < options_.minGain * std::clamp((1 + component.changes) / 2.0, 1.0, kMostCaution)) return false;
  if (when != When::nowForFree && change.gain * component.seconds <= movingSeconds(index, before, after)) return false;
  change.kernels = idsOf(component);
  return true;
}

void WeightModel::make(std::size_t index, const Change& change) {
  Component& component = components_[index];
  component.speeds = change.speeds;
  ++component.changes;
  forgetSamples(component);
}

void WeightModel::forgetSamples(Component& component) {
  component.windows = 0;
  for (const std::size_t kernel : component.kernels) {
    for (Samples& samples : kernels_[kernel].devices) {
      samples.recent.clear();
      samples.launches = 0;
    }
  }
}

std::vector<WeightModel::Change> WeightModel::absorb(std::span<const protocol::KernelTime> times, bool decides) {
  addWindow(times);
  addSeconds(times);
  std::vector<Change> changes;
  if (!decides) return changes;
  for (std::size_t index = 0; index < components_.size(); ++index) {
    if (components_[index].kernels.empty()) continue;
    Change change;
    bool changed = false;
    if (components_[index].trial) {
      changed = endTrial(index, change);
    } else if (decide(index, change)) {
      make(index, change);
      change.speeds = ofMembers(components_[index], std::move(change.speeds));
      changed = true;
    } else {
      changed = startTrial(index, change);
    }
    if (changed) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace muster::rt
