// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grow and shrink against an exhaustive search: on the paper's own measurements, and on modelled parks.
#include "tuner/search/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

namespace muster::rt {
namespace {

using Heuristic = std::optional<Proposal> (*)(const Park&, const Ledger&);
using Seconds = std::function<double(const DeviceSet&)>;

// machines x (gpus GPUs and a CPU), speeds of one device.
Park park(int machines, int gpus, double gpuSpeed, double cpuSpeed = 1, int brokenMachine = -1) {
  std::vector<Park::Device> devices;
  for (int machine = 0; machine < machines; ++machine) {
    const double factor = machine == brokenMachine ? 0.05 : 1;
    devices.push_back({machine, gpus > 0 ? std::size_t{1} : 0, cpuSpeed * factor});
    for (int gpu = 0; gpu < gpus; ++gpu) devices.push_back({machine, 0, gpuSpeed * factor});
  }
  return {gpus > 0 ? std::vector<std::string>{"gpu", "cpu"} : std::vector<std::string>{"cpu"}, devices};
}

struct Found {
  DeviceSet set;
  double seconds = 0;
  std::size_t tried = 0;
};

Found search(Heuristic heuristic, const Park& park, const Seconds& seconds) {
  Ledger ledger;
  while (const auto next = heuristic(park, ledger)) {
    EXPECT_FALSE(ledger.seconds(next->set)) << "twice: " << park.text(next->set);
    EXPECT_FALSE(next->reason.empty());
    ledger.note(next->set, seconds(next->set));
    if (ledger.entries().size() > 40) {
      ADD_FAILURE() << "the search does not end";
      break;
    }
  }
  return {ledger.best().set, ledger.best().seconds, ledger.entries().size()};
}

double exhaustive(const Park& park, const Seconds& seconds) {
  double best = std::numeric_limits<double>::infinity();
  for (const DeviceSet& set : park.all()) best = std::min(best, seconds(set));
  return best;
}

// Table I of the paper, in seconds: 1, 2, 4, 8 machines.
struct Row {
  const char* name;
  std::array<double, 4> cpus, gpus, both;
};
constexpr Row kTable[] = {
    {"edge detection", {6.6, 3.7, 1.3, 0.7}, {2.90, 0.90, 0.04, 0.02}, {2.9, 0.9, 0.2, 0.09}},
    {"matrix multiply", {178.5, 97.8, 50.6, 26.5}, {121.30, 64.40, 33.00, 20.30}, {104.3, 53.8, 29.0, 18.80}},
    {"matrix multiply, nested", {175.2, 95.1, 49.3, 25.8}, {5.80, 3.10, 1.60, 0.80}, {22.7, 13.2, 8.0, 4.80}},
    {"Black-Scholes", {142.3, 113.7, 61.7, 37.4}, {0.86, 0.67, 0.52, 0.45}, {14.2, 11.7, 9.6, 5.40}},
    {"secure function evaluation", {254.8, 135.6, 65.7, 35.8}, {17.30, 9.30, 4.70, 1.60}, {33.3, 17.9, 8.2, 3.20}},
};

Seconds secondsOf(const Row& row) {
  return [&row](const DeviceSet& set) {
    const auto& times = set.kinds == 1 ? row.gpus : set.kinds == 2 ? row.cpus : row.both;
    const double alone = times[static_cast<std::size_t>(std::lround(std::log2(set.machines)))];
    return set.perMachine == 1 && set.kinds == 1 ? 2 * alone : alone;  // one of two GPUs, which the paper leaves out
  };
}

TEST(Search, FindsTheBestSetsOfThePaper) {
  const Park cluster = park(8, 2, 20);
  for (const Row& row : kTable) {
    const Seconds seconds = secondsOf(row);
    const Found shrunk = search(shrink, cluster, seconds), grown = search(grow, cluster, seconds);
    EXPECT_EQ(shrunk.seconds, exhaustive(cluster, seconds)) << row.name;
    EXPECT_EQ(grown.seconds, exhaustive(cluster, seconds)) << row.name;
    EXPECT_LE(shrunk.tried, 8U) << row.name;
    EXPECT_LE(grown.tried, 11U) << row.name;
  }
}

// One loop on a modelled park.
struct Loop {
  double work = 1;                 // seconds on a device of speed 1
  std::vector<double> factor;      // of the speed, by kind
  double latency = 0, ghosts = 0;  // seconds per launch as soon as there are two machines
  double gather = 0;               // seconds for all data to pass one link
  std::vector<double> transfer;    // seconds per launch of a device of the kind
};

double secondsFor(const Park& park, const Loop& loop, const DeviceSet& set) {
  const std::vector<bool> members = park.members(set);
  double speed = 0, transfer = 0;
  std::set<int> machines;
  for (std::size_t d = 0; d < members.size(); ++d) {
    if (!members[d]) continue;
    const Park::Device& device = park.devices()[d];
    speed += device.speed * loop.factor[device.kind];
    transfer = std::max(transfer, loop.transfer[device.kind]);
    machines.insert(device.machine);
  }
  const double m = static_cast<double>(machines.size());
  const double network = m > 1 ? loop.latency * std::ceil(std::log2(m)) + loop.ghosts + loop.gather * (m - 1) / m : 0;
  return loop.work / speed + transfer + network;
}

struct Case {
  const char* name;
  Park cluster;
  double network;         // the most that a launch can spend there, relative to its work on one machine
  unsigned moreSets = 0;  // than in the paper may be tried
};

std::vector<Case> cases() {
  return {{"the paper's cluster", park(8, 2, 20), 0.05},
          {"CPUs only", park(16, 0, 0), 0.05},
          {"a slow network", park(8, 2, 20), 3, 2},
          {"one broken machine", park(8, 2, 20, 1, 3), 0.05, 2},
          {"a broken first machine", park(8, 2, 20, 1, 0), 0.05, 2},
          {"one machine", park(1, 2, 20), 0},
          {"seven machines", park(7, 1, 5), 0.5, 2}};
}

TEST(Search, NeverMoreThanATwentiethOffTheExhaustiveBest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const Case& one : cases()) {
    for (int i = 0; i < 400; ++i) {
      Loop loop;
      loop.work = 1;
      for (std::size_t kind = 0; kind < one.cluster.kinds().size(); ++kind) {
        loop.factor.push_back(std::pow(10, 2 * unit(random) - 1.5));
        loop.transfer.push_back(one.cluster.kinds()[kind] == "gpu" ? 0.01 * unit(random) : 0);
      }
      const double whole =
          secondsFor(one.cluster, {1, loop.factor, 0, 0, 0, loop.transfer}, {1, one.cluster.allKinds(), 0});
      loop.latency = 0.1 * one.network * whole * unit(random);
      loop.ghosts = one.network * whole * unit(random);
      loop.gather = one.network * whole * unit(random);
      const Seconds seconds = [&](const DeviceSet& set) { return secondsFor(one.cluster, loop, set); };
      const double best = exhaustive(one.cluster, seconds);
      for (const auto& [name, heuristic] : {std::pair{"shrink", &shrink}, std::pair{"grow", &grow}}) {
        const Found found = search(heuristic, one.cluster, seconds);
        EXPECT_LE(found.seconds, best * 1.05 + 1e-12)
            << name << ", " << one.name << ", loop " << i << ": found " << one.cluster.text(found.set);
        EXPECT_LE(found.tried, (heuristic == &shrink ? 8 : 11) + one.moreSets)
            << name << ", " << one.name << ", loop " << i;
        if (HasFailure()) return;
      }
    }
  }
}

// All kinds together took as long on any number of machines, so one was the best of them, and more machines with one
// kind, which share no cores with the other, were never tried.
TEST(Search, AKindThatOnlySlowsDownHidesNoMachines) {
  const Park three = park(3, 1, 1);
  const Seconds seconds = [](const DeviceSet& set) {
    constexpr std::array<double, 3> gpus{2.72, 2.78, 2.8}, cpus{2.55, 1.39, 1.45}, both{2.807, 2.829, 2.822};
    const auto& times = set.kinds == 1 ? gpus : set.kinds == 2 ? cpus : both;
    return times[static_cast<std::size_t>(set.machines) - 1];
  };
  for (const Heuristic heuristic : {&shrink, &grow}) {
    const Found found = search(heuristic, three, seconds);
    EXPECT_EQ(three.text(found.set), "2:cpu");
  }
}

TEST(Search, SlowMachinesJoinLast) {
  const Park broken = park(4, 1, 10, 1, 1);
  EXPECT_EQ(broken.machines(1), (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(broken.members({3, 1, 0}), (std::vector<bool>{false, true, false, false, false, true, false, true}));
}

TEST(Search, SetsAsText) {
  const Park cluster = park(8, 2, 20);
  EXPECT_EQ(cluster.text({4, 3, 0}), "4:gpu+cpu");
  EXPECT_EQ(cluster.text({1, 1, 1}), "1:gpu/1");
  for (const DeviceSet& set : cluster.all()) {
    const auto parsed = cluster.parse(cluster.text(set));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(*parsed, set);
  }
  EXPECT_EQ(*cluster.parse("8:cpu+gpu"), cluster.full());
  for (const char* wrong : {"", "gpu", "0:gpu", "9:gpu", "4:", "4:fpga", "x:gpu", "4:gpu+", "4:gpu/0", "-1:gpu"})
    EXPECT_FALSE(cluster.parse(wrong).ok()) << wrong;
  EXPECT_NE(cluster.parse("4:fpga").status().message().find("gpu, cpu"), std::string::npos);
}

TEST(Search, AMachineWithoutDevicesOfAKindTakesNoPart) {
  const Park uneven({"gpu", "cpu"}, {{0, 1, 1}, {1, 1, 1}, {1, 0, 9}, {3, 0, 9}});
  EXPECT_EQ(uneven.machineCount(1), 2);
  EXPECT_EQ(uneven.machineCount(3), 3);
  EXPECT_EQ(uneven.members({1, 1, 0}), (std::vector<bool>{false, false, true, false}));
}

}  // namespace
}  // namespace muster::rt
