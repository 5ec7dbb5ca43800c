// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights from measured launches, on machines that are numbers: devices have true costs per iteration, launches are
// split by the weights that hold, and what each device took is told to the model.
#include "balance/weight_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace muster::rt {
namespace {

class Machine {
 public:
  Machine(const std::vector<double>& start, const WeightModel::Options& options)
      : model(start, options), start_(start), minShare_(options.minShare) {}

  // The true seconds per iteration on each device.
  void kernel(std::uint64_t id, std::vector<double> cost, std::vector<WeightModel::Array> arrays) {
    kernels_[id] = {std::move(cost), std::move(arrays), start_};
  }

  void slowDown(std::uint64_t id, std::vector<double> cost) { kernels_[id].cost = std::move(cost); }

  // One window: `launches` of each of these kernels. What the slowest device took.
  double window(const std::vector<std::uint64_t>& ids, int launches = 8, double noise = 0) {
    std::vector<protocol::KernelTime> times;
    std::vector<double> busy(start_.size());
    for (const std::uint64_t id : ids) {
      take(model.noteLaunch(id, kernels_[id].arrays));
      const std::vector<double> share = shares(id);
      for (std::uint32_t d = 0; d < share.size(); ++d) {
        const double iterations = share[d] * 1e6 * launches;
        if (iterations == 0) continue;
        const double factor = noise > 0 ? std::uniform_real_distribution<>(1 - noise, 1 + noise)(random_) : 1;
        const double seconds = iterations * kernels_[id].cost[d] * factor;
        busy[d] += seconds;
        times.push_back({id, d, static_cast<std::uint32_t>(launches), static_cast<std::uint64_t>(iterations),
                         static_cast<std::uint64_t>(seconds * 1e9)});
      }
    }
    take(model.absorb(times));
    return *std::max_element(busy.begin(), busy.end());
  }

  [[nodiscard]] std::vector<double> shares(std::uint64_t id) const {
    std::vector<double> share = kernels_.at(id).speeds;
    const double fastest = *std::max_element(share.begin(), share.end());
    double sum = 0;
    for (double& one : share) {
      if (!kernels_.at(id).trial && one < fastest && one <= minShare_ * fastest) one = 0;
      sum += one;
    }
    for (double& one : share) one /= sum;
    return share;
  }

  WeightModel model;
  int changes = 0, trials = 0;
  std::vector<std::uint64_t> lastKernels;

 private:
  struct Kernel {
    std::vector<double> cost;
    std::vector<WeightModel::Array> arrays;
    std::vector<double> speeds;
    bool trial = false;
  };
  void take(const std::vector<WeightModel::Change>& all) {
    for (const WeightModel::Change& change : all) {
      const bool trial = change.reason == WeightModel::Change::Reason::trial;
      changes += change.reason == WeightModel::Change::Reason::gain;
      trials += trial;
      lastKernels = change.kernels;
      for (const std::uint64_t id : change.kernels) {
        kernels_[id].speeds = change.speeds;
        kernels_[id].trial = trial;
      }
    }
  }

  std::map<std::uint64_t, Kernel> kernels_;
  std::vector<double> start_;
  double minShare_;
  std::mt19937 random_{7};
};

TEST(WeightModel, ConvergesToTheInverseOfTheCostsWithinThreeWindows) {
  Machine machine({1, 1, 1}, {});
  machine.kernel(1, {1e-9, 2e-9, 4e-9}, {{1, 1000}});
  for (int i = 0; i < 3; ++i) machine.window({1});
  EXPECT_NEAR(machine.shares(1)[0], 4.0 / 7, 0.01);
  EXPECT_NEAR(machine.shares(1)[1], 2.0 / 7, 0.01);
  EXPECT_NEAR(machine.shares(1)[2], 1.0 / 7, 0.01);
  EXPECT_EQ(machine.changes, 1);
}

TEST(WeightModel, StaysOnceItFitsAlthoughMeasurementsAreNoisy) {
  Machine machine({1, 1}, {});
  machine.kernel(1, {1e-9, 3e-9}, {{1, 1000}});
  for (int i = 0; i < 200; ++i) machine.window({1}, 8, 0.15);
  EXPECT_NEAR(machine.shares(1)[0], 0.75, 0.05);
  EXPECT_LE(machine.changes, 4) << "it does not come to rest";
}

TEST(WeightModel, ChangesNothingForAGainThatIsTooSmall) {
  Machine machine({1, 1}, {});
  machine.kernel(1, {1e-9, 1.04e-9}, {{1, 1000}});
  for (int i = 0; i < 50; ++i) machine.window({1});
  EXPECT_EQ(machine.changes, 0);
}

TEST(WeightModel, WaitsUntilMovingPays) {
  // 0.125 of the elements would move: 12.5 s at 1e9 bytes per second; a window takes 4 ms and half of it would be
  // saved.
  WeightModel::Options options;
  options.bytesPerSecond = 1e9;
  Machine machine({1, 1}, options);
  machine.kernel(1, {1e-9, 2e-9}, {{1, 100'000'000'000}});
  for (int i = 0; i < 100; ++i) machine.window({1});
  EXPECT_EQ(machine.changes, 0);
  Machine cheap({1, 1}, options);
  cheap.kernel(1, {1e-9, 2e-9}, {{1, 1'000'000}});
  for (int i = 0; i < 100; ++i) cheap.window({1});
  EXPECT_GT(cheap.changes, 0);
}

TEST(WeightModel, MovingIsAsFastAsItWasMeasured) {
  WeightModel::Options options;
  options.bytesPerSecond = 1e12;
  Machine fast({1, 1}, options), slow({1, 1}, options);
  for (Machine* machine : {&fast, &slow}) machine->kernel(1, {1e-9, 2e-9}, {{1, 100'000'000}});
  for (int i = 0; i < 5; ++i) slow.model.noteTransfer(1 << 20, 100);
  for (int i = 0; i < 20; ++i) {
    fast.window({1});
    slow.window({1});
  }
  EXPECT_GT(fast.changes, 0);
  EXPECT_EQ(slow.changes, 0);
}

TEST(WeightModel, ADeviceThatIsMuchSlowerTakesNoPartAndStaysOut) {
  WeightModel::Options options;
  options.minShare = 0.1;
  Machine machine({1, 1, 1}, options);
  machine.kernel(1, {1e-9, 1e-9, 12e-9}, {{1, 1000}});
  const double before = machine.window({1});
  for (int i = 0; i < 40; ++i) machine.window({1});
  EXPECT_EQ(machine.shares(1)[2], 0);
  EXPECT_NEAR(machine.shares(1)[0], 0.5, 0.01);
  EXPECT_EQ(machine.changes, 1);
  EXPECT_LT(machine.window({1}), before / 7);
}

TEST(WeightModel, ADeviceThatWasLeftOutComesBackWhenTheOthersAreSlower) {
  WeightModel::Options options;
  options.minShare = 0.1;
  Machine machine({1, 1, 1}, options);
  machine.kernel(1, {1e-9, 1e-9, 12e-9}, {{1, 1000}});
  for (int i = 0; i < 10; ++i) machine.window({1});
  ASSERT_EQ(machine.shares(1)[2], 0);
  machine.slowDown(1, {8e-9, 8e-9, 12e-9});
  for (int i = 0; i < 60; ++i) machine.window({1});
  EXPECT_GT(machine.shares(1)[2], 0.2);
}

TEST(WeightModel, KernelsThatShareArraysGetOneWeightAndOthersTheirOwn) {
  Machine machine({1, 1}, {});
  machine.kernel(1, {1e-9, 3e-9}, {{1, 1000}, {2, 1000}});
  machine.kernel(2, {3e-9, 1e-9}, {{2, 1000}, {3, 1000}});
  machine.kernel(3, {1e-9, 3e-9}, {{9, 1000}});
  for (int i = 0; i < 12; ++i) machine.window({1, 2, 3});
  // Together 1 and 2 cost the same on both devices.
  EXPECT_EQ(machine.shares(1), machine.shares(2));
  EXPECT_NEAR(machine.shares(1)[0], 0.5, 0.02);
  EXPECT_NEAR(machine.shares(3)[0], 0.75, 0.02);
  EXPECT_EQ(machine.lastKernels, std::vector<std::uint64_t>{3});
}

TEST(WeightModel, AKernelThatJoinsTakesTheWeightsOverBeforeItsFirstLaunch) {
  Machine machine({1, 1}, {});
  machine.kernel(1, {1e-9, 3e-9}, {{1, 1000}});
  for (int i = 0; i < 6; ++i) machine.window({1});
  machine.kernel(2, {1e-9, 3e-9}, {{1, 1000}, {5, 1000}});
  const WeightModel::Array arrays[] = {{1, 1000}, {5, 1000}};
  const auto changes = machine.model.noteLaunch(2, arrays);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kernels.size(), 2u);
  EXPECT_NEAR(changes[0].speeds[1] / changes[0].speeds[0], 1.0 / 3, 0.02);
  EXPECT_TRUE(machine.model.noteLaunch(2, arrays).empty()) << "once is enough";
}

TEST(WeightModel, AnArrayThatIsGoneJoinsNothing) {
  Machine machine({1, 1}, {});
  machine.kernel(1, {1e-9, 3e-9}, {{1, 1000}});
  for (int i = 0; i < 6; ++i) machine.window({1});
  machine.model.forgetArray(1);
  const WeightModel::Array arrays[] = {{1, 1000}};
  EXPECT_TRUE(machine.model.noteLaunch(2, arrays).empty());
}

// Costs that grow with the iteration: the right cut depends on itself.
TEST(WeightModel, ComesToRestWhereCostsDependOnTheSplit) {
  WeightModel model({1, 1}, {});
  const WeightModel::Array arrays[] = {{1, 1000}};
  double share = 0.5;
  int changes = 0;
  for (int i = 0; i < 100; ++i) {
    (void)model.noteLaunch(1, arrays);
    const double low = share * share, high = 1 - low;  // the integral of the cost
    const auto iterations = [](double part) { return static_cast<std::uint64_t>(1e6 * part); };
    const auto nanoseconds = [](double part) { return static_cast<std::uint64_t>(1e7 * part); };
    const std::vector<protocol::KernelTime> times = {{1, 0, 8, iterations(share), nanoseconds(low)},
                                                     {1, 1, 8, iterations(1 - share), nanoseconds(high)}};
    for (const auto& change : model.absorb(times)) {
      ++changes;
      share = change.speeds[0] / (change.speeds[0] + change.speeds[1]);
    }
  }
  EXPECT_NEAR(share, std::sqrt(0.5), 0.03);
  EXPECT_LE(changes, 4);
}

TEST(WeightModel, DevicesThatNeverRanAKernelKeepTheirRelation) {
  // Device 2 cannot run this kernel: it is never measured.
  WeightModel model({1, 1, 10}, {});
  const WeightModel::Array arrays[] = {{1, 1000}};
  std::vector<WeightModel::Change> changes;
  for (int i = 0; i < 3 && changes.empty(); ++i) {
    (void)model.noteLaunch(1, arrays);
    changes = model.absorb(std::vector<protocol::KernelTime>{{1, 0, 8, 1000000, 1000000}, {1, 1, 8, 1000000, 4000000}});
  }
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0].speeds[2] / changes[0].speeds[0], 10, 0.01);
  EXPECT_NEAR(changes[0].speeds[1] / changes[0].speeds[0], 0.25, 0.01);
}

// ---------------------------------------------------------------- trials of devices that take no part

WeightModel::Options tryingOptions() {
  WeightModel::Options options;
  options.minShare = 0.1;
  options.trialSeconds = 0.05;
  options.firstLaunchSeconds = 0;
  return options;
}

TEST(WeightModel, ADeviceThatIsTenTimesSlowerTakesNoPart) {
  WeightModel::Options options;
  options.minShare = 0.1;
  Machine machine({1, 1, 1}, options);
  machine.kernel(1, {1e-9, 1e-9, 10e-9}, {{1, 1000}});
  for (int i = 0; i < 10; ++i) machine.window({1});
  EXPECT_EQ(machine.shares(1)[2], 0);
}

TEST(WeightModel, ADeviceThatWasBusyAtTheStartComesBack) {
  for (const double start : {0.03, 0.09, 0.1}) {
    for (const std::size_t others : {1, 2}) {
      std::vector<double> speeds(others, 1), costs(others + 1, 1e-9);
      speeds.push_back(start);
      Machine machine(speeds, tryingOptions());
      machine.kernel(1, costs, {{1, 1000}});
      machine.kernel(2, costs, {{1, 1000}});
      ASSERT_EQ(machine.window({1, 2}), 8e6 * 2 * 1e-9 / static_cast<double>(others));
      for (int i = 0; i < 60; ++i) machine.window({1, 2});
      const double fair = 1.0 / static_cast<double>(others + 1);
      EXPECT_NEAR(machine.shares(1)[others], fair, 0.02) << start << ", " << others << " others";
      EXPECT_EQ(machine.shares(1), machine.shares(2));
      EXPECT_EQ(machine.trials, 1);
    }
  }
}

// It stays slow: what all trials cost together, and that they become rare.
TEST(WeightModel, TrialsInVainCostOneInAHundred) {
  for (const double slowness : {11.0, 20.0, 40.0, 500.0}) {
    Machine machine({1, 1, 0.09}, tryingOptions());
    machine.kernel(1, {1e-9, 1e-9, slowness * 1e-9}, {{1, 1000}});
    double seconds = 0;
    const int windows = 5000;
    for (int i = 0; i < windows; ++i) seconds += machine.window({1});
    EXPECT_LT(seconds, windows * 8e6 * 1e-9 / 2 * 1.015) << slowness;
    EXPECT_EQ(machine.shares(1)[2], 0) << slowness;
    EXPECT_EQ(machine.changes, 0) << slowness;
    EXPECT_GE(machine.trials, 1) << slowness;
    EXPECT_LE(machine.trials, 10) << slowness;
  }
}

TEST(WeightModel, ADeviceThatStaysSlowComesBackWhenItIsFast) {
  Machine machine({1, 1, 0.05}, tryingOptions());
  machine.kernel(1, {1e-9, 1e-9, 20e-9}, {{1, 1000}});
  for (int i = 0; i < 300; ++i) machine.window({1});
  EXPECT_EQ(machine.shares(1)[2], 0);
  EXPECT_GE(machine.trials, 2);
  machine.slowDown(1, {1e-9, 1e-9, 1e-9});
  for (int i = 0; i < 1000; ++i) machine.window({1});
  EXPECT_NEAR(machine.shares(1)[2], 1.0 / 3, 0.02);
}

TEST(WeightModel, ADeviceAtTheLimitDoesNotComeAndGo) {
  Machine machine({1, 1, 0.09}, tryingOptions());
  machine.kernel(1, {1e-9, 1e-9, 1e-9 / 0.12}, {{1, 1000}});
  for (int i = 0; i < 1000; ++i) machine.window({1}, 8, 0.1);
  EXPECT_EQ(machine.shares(1)[2], 0);
  EXPECT_GE(machine.trials, 1);
}

TEST(WeightModel, NoTrialOfWhatIsFarTooSlowOrTurnedOff) {
  Machine slow({1, 1, 0.02}, tryingOptions()), off({1, 1, 0}, tryingOptions());
  for (Machine* machine : {&slow, &off}) {
    machine->kernel(1, {1e-9, 1e-9, 1e-9}, {{1, 1000}});
    for (int i = 0; i < 500; ++i) machine->window({1});
    EXPECT_EQ(machine->trials, 0);
  }
}

TEST(WeightModel, NoTrialWhereMovingTheDataCostsTooMuch) {
  // 80 GB, of which a fiftieth would move to the device and back: 3.2 s at 1e9 bytes per second; 4 s are computed.
  Machine machine({1, 1, 0.09}, tryingOptions());
  machine.kernel(1, {1e-9, 1e-9, 1e-9}, {{1, 80'000'000'000}});
  for (int i = 0; i < 1000; ++i) machine.window({1});
  EXPECT_EQ(machine.trials, 0);
}

TEST(WeightModel, NoTrialBeforeCompilingForItIsASmallPartOfTheTime) {
  WeightModel::Options options = tryingOptions();
  options.firstLaunchSeconds = 0.1;  // 10 s for one kernel, 4 ms a window
  Machine machine({1, 1, 0.09}, options);
  machine.kernel(1, {1e-9, 1e-9, 1e-9}, {{1, 1000}});
  for (int i = 0; i < 2400; ++i) machine.window({1});
  EXPECT_EQ(machine.trials, 0);
  for (int i = 0; i < 200; ++i) machine.window({1});
  EXPECT_EQ(machine.trials, 1);
  EXPECT_NEAR(machine.shares(1)[2], 1.0 / 3, 0.02);
}

// A trial of a device that computes nothing ends, and so does one whose component changes.
TEST(WeightModel, ATrialEndsWithoutAMeasurement) {
  WeightModel model({1, 0.09}, tryingOptions());
  const WeightModel::Array arrays[] = {{1, 1000}};
  std::vector<WeightModel::Change::Reason> reasons;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(model.noteLaunch(1, arrays).empty());
    for (const auto& change : model.absorb(std::vector<protocol::KernelTime>{{1, 0, 8, 1000000, 10'000'000}}))
      reasons.push_back(change.reason);
  }
  using Reason = WeightModel::Change::Reason;
  ASSERT_GE(reasons.size(), 2u);
  EXPECT_EQ(reasons[0], Reason::trial);
  EXPECT_EQ(reasons[1], Reason::restore);
}

TEST(WeightModel, AKernelThatJoinsEndsATrial) {
  WeightModel model({1, 0.09}, tryingOptions());
  const WeightModel::Array arrays[] = {{1, 1000}};
  std::vector<WeightModel::Change> changes;
  for (int i = 0; i < 20 && changes.empty(); ++i) {
    (void)model.noteLaunch(1, arrays);
    changes = model.absorb(std::vector<protocol::KernelTime>{{1, 0, 8, 1000000, 10'000'000}});
  }
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].speeds, (std::vector<double>{1, 0.045}));
  const auto joined = model.noteLaunch(2, arrays);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].reason, WeightModel::Change::Reason::restore);
  EXPECT_EQ(joined[0].speeds, (std::vector<double>{1, 0.09}));
  EXPECT_EQ(joined[0].kernels.size(), 2u);
}

// Measured while both computed, on the two cores that they share with each other.
TEST(WeightModelSharing, SaysWhatADeviceWouldTakeAlone) {
  WeightModel::Options options;
  options.sharing = CoreSharing({{"a", 2}, {"a", 2}, {"a", 0}, {"b", 2}}, {{"a", 2}, {"b", 2}});
  WeightModel model({1, 1, 1, 1}, options);
  const WeightModel::Array array{1, 1 << 20};
  (void)model.noteLaunch(7, {&array, 1});
  std::vector<protocol::KernelTime> times;
  for (std::uint32_t device = 0; device < 4; ++device) times.push_back({7, device, 8, 1'000'000, 8'000'000});
  (void)model.absorb(times, false);
  const std::vector<bool> all(4, true), first{true, false, false, false};
  EXPECT_DOUBLE_EQ(model.secondsPerIteration(7, 0, all), 8e-9);
  EXPECT_DOUBLE_EQ(model.secondsPerIteration(7, 0, first), 4e-9);
  EXPECT_DOUBLE_EQ(model.secondsPerIteration(7, 2, first), 8e-9) << "it has processors of its own";
  EXPECT_DOUBLE_EQ(model.secondsPerIteration(7, 3, first), 8e-9) << "nobody else was on its host";
  const std::vector<double> speeds = model.speedsOf(7, {true, false, true, true});
  EXPECT_DOUBLE_EQ(speeds[0], 2 * speeds[2]);
  EXPECT_DOUBLE_EQ(speeds[2], speeds[3]);
}

TEST(CoreSharing, CountsThreadsOfTheHostsCores) {
  const CoreSharing sharing({{"a", 1}, {"a", 2}, {"a", 2}, {"c", 8}}, {{"a", 4}, {"b", 1}});
  EXPECT_DOUBLE_EQ(sharing.slowdown(0, {true, true, false, true}), 1) << "three threads have four cores";
  EXPECT_DOUBLE_EQ(sharing.slowdown(0, {true, true, true, true}), 1.25);
  EXPECT_DOUBLE_EQ(sharing.slowdown(0, {false, true, true, true}), 1.25) << "its own threads count, too";
  EXPECT_DOUBLE_EQ(sharing.slowdown(3, {true, true, true, true}), 1) << "nothing is known of its host";
  EXPECT_DOUBLE_EQ(CoreSharing().slowdown(0, {true, true}), 1);
}

// Equal devices seem unequal after a few launches, and a trial of the tuner decides after a few.
TEST(WeightModelNow, FewLaunchesNeedALargerGain) {
  for (const std::uint32_t launches : {4u, 40u}) {
    WeightModel model({1, 1}, {});
    const WeightModel::Array array{1, 1 << 20};
    (void)model.noteLaunch(7, {&array, 1});
    const std::vector<protocol::KernelTime> times = {{7, 0, launches, 1'000'000, 1'000'000},
                                                     {7, 1, launches, 1'000'000, 1'250'000}};
    (void)model.absorb(times, false);
    EXPECT_EQ(model.decideNow(7).has_value(), launches == 40) << "11 % after " << launches;
  }
}

}  // namespace
}  // namespace muster::rt
