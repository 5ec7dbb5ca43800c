// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WeightModel: from measured launches to new weights of devices. Pure: it knows no clock, no device and no message.
//
// Kernels that share arrays are one component and get the same weights, so that loops that alternate do not drag their
// arrays back and forth. A device's cost is the time that it alone would need for all that the component has computed
// of late; its weight is the inverse. New weights are worth it only if what they save in as much time as the component
// has taken so far exceeds the time to move the elements that change their owner.
//
// A device that takes no part because it was slow is measured no more. It may have been busy then, so it is tried again
// from time to time with half the share that its last known speed gives, as rarely as trials must be to cost little.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "balance/core_sharing.h"
#include "protocol/protocol.h"

namespace muster::rt {

class WeightModel {
 public:
  struct Options {
    double minShare = 0;    // up to this fraction of the fastest, a device takes no part
    double minGain = 0.05;  // of the time; less is not worth a change
    // A decision after n launches needs sqrt(this / n) times minGain, at least once and at most three times: so much
    // more do means of so few vary. With 36, four launches need three times as much.
    double launchesToTrust = 36;
    double bytesPerSecond = 1e9;        // at which elements move to another device
    std::uint32_t windowsToDecide = 2;  // measured since the last change
    // Trials of devices that take no part:
    double leastTried = 0.25;         // of minShare; nothing was that busy
    double readmitted = 1.5;          // of minShare; else devices at the limit would come and go
    double trialCost = 0.01;          // of the time
    double trialSeconds = 1;          // between two at least, twice as much after each that was in vain
    double firstLaunchSeconds = 0.2;  // of a kernel on a device that has not run it: it is compiled
    CoreSharing sharing = {};         // for what is asked about other sets of devices
  };
  struct Array {
    std::uint32_t id = 0;
    std::uint64_t bytes = 0;
  };
  struct Change {
    std::vector<std::uint64_t> kernels;
    std::vector<double> speeds;  // the fastest has 1
    double gain = 0;             // predicted, as a fraction of the time
    // trial: speeds of devices that take no part are 0, and minShare does not count. restore: the weights that the
    // kernels' component has, because they join it, a trial was in vain, or its device set is another one.
    enum class Reason { gain, restore, trial } reason = Reason::gain;
  };

  // speeds: one per device, with which all kernels start.
  WeightModel(std::vector<double> speeds, Options options);

  // A launch is about to happen. Weights that it needs first, because it joins kernels with other weights: at most one.
  [[nodiscard]] std::vector<Change> noteLaunch(std::uint64_t kernel, std::span<const Array> arrays);
  void forgetArray(std::uint32_t id);
  // Kernels that share arrays have the same number; valid until the next launch. The kernel must have been launched.
  [[nodiscard]] std::size_t componentOf(std::uint64_t kernel) const {
    return kernels_[kernelIndex_.at(kernel)].component;
  }
  // Only these devices, one flag per device, take part in launches of the kernel's component from now on.
  [[nodiscard]] Change restrict(std::uint64_t kernel, const std::vector<bool>& members);
  // No device that is too slow to take part has never run the kernel.
  [[nodiscard]] bool ranEverywhere(std::uint64_t kernel) const;
  // The weights that follow from what is known, if they save enough, whatever the move costs.
  [[nodiscard]] std::optional<Change> decideNow(std::uint64_t kernel);
  // Relative speeds of all devices for the kernel's component, as far as they are known, while those that `works`
  // names compute.
  [[nodiscard]] std::vector<double> speedsOf(std::uint64_t kernel, const std::vector<bool>& works) const;
  // Measured, or what the speeds make of what was measured elsewhere; 0: nothing is known.
  [[nodiscard]] double secondsPerIteration(std::uint64_t kernel, std::size_t device,
                                           const std::vector<bool>& works) const;
  // Elements moved at this speed.
  void noteTransfer(std::uint64_t bytes, double seconds);

  // What all ranks measured in one stretch of launches, all with the weights that hold now. The changes that pay, which
  // are taken for made; none unless `decide`.
  [[nodiscard]] std::vector<Change> absorb(std::span<const protocol::KernelTime> times, bool decide = true);

 private:
  struct Samples {
    std::deque<double> recent;  // seconds per iteration, of the last windows with the same weights
    double last = 0;            // median of them; kept when they are dropped; 0: never measured
    double launches = 0;        // in them
    double slowdown = 1;        // by other devices on the same cores while `last` was measured
    [[nodiscard]] double lastIf(double slowedDown) const { return last / slowdown * slowedDown; }
  };
  struct Kernel {
    std::uint64_t id = 0;
    std::size_t component = 0;
    double iterations = 0;  // of late
    std::vector<Samples> devices;
  };
  struct Trial {
    std::size_t device = 0;
    std::uint32_t windows = 0;
    double lost = 0;  // seconds in which the others waited for the device
  };
  // Of trials of one device.
  struct Pause {
    double until = 0, length = 0;  // seconds of the component; length 0: not tried yet
  };
  struct Component {
    std::vector<std::size_t> kernels;
    std::vector<double> speeds;      // also of devices that are not members
    std::vector<bool> members = {};  // empty: all devices
    double seconds = 0;              // measured so far
    std::uint32_t windows = 0, changes = 0;
    std::optional<Trial> trial = {};
    std::vector<Pause> pauses = {};  // by device
    double lastTrialSeconds = 0;     // `seconds` at the end of the last trial
  };

  std::size_t indexOf(std::uint64_t kernel);
  bool join(std::size_t a, std::size_t b);
  void addWindow(std::span<const protocol::KernelTime> times);
  void addSeconds(std::span<const protocol::KernelTime> times);
  // works: the devices that compute; nullptr: those that did when they were measured.
  [[nodiscard]] std::vector<double> costs(const Component& component, const std::vector<bool>* works = nullptr) const;
  [[nodiscard]] double minGainNow(const Component& component) const;
  [[nodiscard]] std::vector<double> shares(const std::vector<double>& speeds) const;
  [[nodiscard]] double movingSeconds(std::size_t component, const std::vector<double>& before,
                                     const std::vector<double>& after) const;
  [[nodiscard]] double transferSpeed() const;
  // When a decision falls: once enough windows were measured; now; now, and moving costs nothing.
  enum class When { measured, now, nowForFree };
  bool decide(std::size_t component, Change& change, When when = When::measured) const;
  [[nodiscard]] static bool isMember(const Component& component, std::size_t device) {
    return component.members.empty() || component.members[device];
  }
  // 0 for devices that are no members.
  [[nodiscard]] static std::vector<double> ofMembers(const Component& component, std::vector<double> speeds);
  // weight_trials.cpp
  bool startTrial(std::size_t component, Change& change);
  bool endTrial(std::size_t component, Change& change);
  [[nodiscard]] bool readmits(std::size_t component, Change& change);
  [[nodiscard]] bool isOut(const Component& component, std::size_t device) const;
  [[nodiscard]] std::vector<double> trialSpeeds(const Component& component, std::size_t device) const;
  [[nodiscard]] double trialSeconds(std::size_t component, std::size_t device) const;

  void make(std::size_t component, const Change& change);
  void forgetSamples(Component& component);
  [[nodiscard]] std::vector<std::uint64_t> idsOf(const Component& component) const;

  struct KnownArray {
    std::size_t kernel = 0;  // one that uses it
    std::uint64_t bytes = 0;
  };
  std::vector<double> startSpeeds_;
  Options options_;
  std::vector<Kernel> kernels_;
  std::vector<Component> components_;  // emptied when joined to another one
  std::unordered_map<std::uint64_t, std::size_t> kernelIndex_;
  std::unordered_map<std::uint32_t, KnownArray> arrays_;
  std::deque<double> transferSpeeds_;
};

}  // namespace muster::rt
