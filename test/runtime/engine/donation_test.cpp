// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Donation, with threads and devices whose time passes in numbers only.
#include "balance/donation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <string>
#include <vector>

namespace muster::rt {
namespace {

constexpr double millisecond = 1e-3;

// Looks every millisecond, with launches of `work` seconds that fill its time where nothing else is said.
class Looks {
 public:
  explicit Looks(Donation& donation) : donation_(donation) {}
  std::optional<std::size_t> look(Donation::Thread thread, double work, double done = millisecond) {
    return donation_.look(thread, {.work = work, .done = done}, now);
  }
  // For so many milliseconds, all threads in turn; what they have in the end.
  std::vector<std::optional<std::size_t>> pass(int milliseconds, const std::vector<double>& works) {
    std::vector<std::optional<std::size_t>> devices(works.size());
    for (int i = 0; i < milliseconds; ++i, now += millisecond)
      for (std::size_t t = 0; t < works.size(); ++t)
        if (works[t] > 0) devices[t] = look(t, works[t], devices[t] ? 4 * millisecond : millisecond);
    return devices;
  }
  double now = 1;

 private:
  Donation& donation_;
};

TEST(Donation, GivesOutWhatIsFreeAndNoMore) {
  Donation donation({.devices = 2, .threadsOfDevice = 2});
  for (int t = 0; t < 5; ++t) EXPECT_EQ(donation.join(), static_cast<std::size_t>(t));
  Looks looks(donation);
  const auto devices = looks.pass(50, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3});
  for (const std::size_t device : {0, 1})
    EXPECT_EQ(std::ranges::count(devices, std::optional(device)), 2) << "device " << device;
  EXPECT_EQ(std::ranges::count_if(devices, [](const auto& device) { return !device; }), 1);
}

TEST(Donation, TakesNoDeviceBeforeItIsKnownWhatCoresGetDone) {
  Donation donation({.devices = 1});
  const auto thread = donation.join();
  Looks looks(donation);
  EXPECT_FALSE(looks.look(thread, 1e-3));
  Donation keeps({.devices = 1, .donates = false});
  const auto other = keeps.join();
  EXPECT_TRUE(keeps.look(other, {.work = 1e-3}, 1));
}

TEST(Donation, GoesToTheThreadWithMoreWorkBeyondATolerance) {
  Donation donation({.devices = 1, .threadsOfDevice = 1});
  (void)donation.join();
  (void)donation.join();
  Looks looks(donation);
  ASSERT_EQ(looks.pass(50, {1e-3, 1e-4})[0], std::optional<std::size_t>(0));
  EXPECT_EQ(looks.pass(10, {1e-3, 1.2e-3})[0], std::optional<std::size_t>(0));  // about the same
  EXPECT_EQ(donation.donations(), 0u);
  const auto after = looks.pass(10, {1e-3, 2e-3});
  EXPECT_EQ(after[0], std::nullopt);
  EXPECT_EQ(after[1], std::optional<std::size_t>(0));
  EXPECT_EQ(looks.pass(10, {1e-3, 0.9e-3})[1], std::optional<std::size_t>(0));
  EXPECT_EQ(donation.donations(), 1u);
}

TEST(Donation, StaysWithWhoCameFirstWhereItIsStatic) {
  Donation donation({.devices = 1, .threadsOfDevice = 1, .donates = false});
  (void)donation.join();
  (void)donation.join();
  Looks looks(donation);
  ASSERT_TRUE(looks.pass(1, {1e-6, 0})[0]);
  EXPECT_FALSE(looks.pass(100, {1e-6, 1})[1]);
  EXPECT_FALSE(looks.pass(100, {0, 1})[1]);
}

TEST(Donation, TakesADeviceFromAThreadThatIsGone) {
  Donation donation({.devices = 1, .threadsOfDevice = 1});
  const auto first = donation.join();
  (void)donation.join();
  Looks looks(donation);
  ASSERT_TRUE(looks.pass(50, {1e-3, 1e-4})[0]);
  donation.launching(first) = true;  // a long launch is nothing to be taken for an end
  EXPECT_FALSE(looks.pass(50, {0, 1e-4})[1]);
  donation.launching(first) = false;
  EXPECT_TRUE(looks.pass(50, {0, 1e-4})[1]);
  EXPECT_FALSE(looks.look(first, 1e-4));
  donation.leave(1);
  EXPECT_TRUE(looks.pass(50, {1e-4})[0]);
  EXPECT_EQ(donation.join(), 1u);  // its place is somebody's again, who has nothing
}

// It gets half as much done as a core.
TEST(Donation, GivesADeviceBackThatIsSlowerAndTriesLongerLaunchesOnly) {
  Donation donation({.devices = 1});
  const auto thread = donation.join();
  double now = 1, onDevice = 0;
  const auto pass = [&](double seconds, double work) {
    std::optional<std::size_t> device;
    double had = 0;
    for (auto steps = static_cast<int>(seconds / millisecond); steps > 0; --steps, now += millisecond) {
      device = donation.look(thread, {.work = work, .done = device ? millisecond / 2 : millisecond}, now);
      if (device) had += millisecond;
    }
    onDevice = had / seconds;
    return device;
  };
  EXPECT_FALSE(pass(0.5, 1e-3));
  EXPECT_LT(onDevice, 0.1);
  (void)pass(10, 1e-3);  // tried again now and then
  EXPECT_GT(onDevice, 0.0);
  EXPECT_LT(onDevice, 0.1);
  now += 0.01;
  (void)pass(0.05, 5e-3);
  EXPECT_GT(onDevice, 0.2);
}

// What is done once says nothing: a kernel is built for two seconds.
TEST(Donation, BearsWithWhatIsDoneOnce) {
  Donation donation({.devices = 1});
  const auto thread = donation.join();
  Looks looks(donation);
  ASSERT_TRUE(looks.pass(50, {1e-3})[0]);
  looks.now += 2;
  EXPECT_TRUE(donation.look(thread, {.work = 1e-3, .done = 1e-3, .isCold = true}, looks.now));
  EXPECT_TRUE(looks.pass(100, {1e-3})[0]);
}

// Threads that take shots one after the other: each a front that grows and shrinks again, with a step in between that
// no device can do. A device does one launch after the other.
class Node {
 public:
  enum class Way { cores, keeps, donates };
  struct Machine {
    std::size_t cores = 16, devices = 6;
    double speedup = 8, launchSeconds = 40e-6, hostPart = 0.12;
  };
  Node(const Machine& machine, std::vector<double> shots, Way way)
      : machine_(machine),
        shots_(shots.begin(), shots.end()),
        free_(machine.devices, 0),
        donation_({.devices = way == Way::cores ? 0 : machine.devices, .donates = way == Way::donates}) {}

  // Seconds until all shots are done.
  double run() {
    for (std::size_t t = 0; t < machine_.cores; ++t) {
      threads_.push_back({.number = donation_.join(), .progress = {}});
      events_.push({0, t});
    }
    double last = 0;
    while (!events_.empty()) {
      const auto [now, t] = events_.top();
      events_.pop();
      if (const double end = step(threads_[t], now); end > now) {
        events_.push({end, t});
        last = std::max(last, end);
      }
    }
    return last;
  }

 private:
  struct Thread {
    Donation::Thread number = 0;
    double size = 0;  // of its shot: core seconds of its longest step
    int at = steps;   // in its shot
    Donation::Progress progress;
  };
  static constexpr int steps = 2000;

  // When its next step is done; not later than now: there is none.
  double step(Thread& thread, double now) {
    if (thread.at == steps) {
      if (shots_.empty()) return now;
      thread.size = shots_.front();
      thread.at = 0;
      shots_.pop_front();
    }
    const double work = thread.size * std::sin(M_PI * (thread.at++ + 0.5) / steps);
    thread.progress.work = work;
    const auto device = donation_.look(thread.number, thread.progress, now);
    thread.progress.done = work;
    const double begin = now + machine_.hostPart * work;
    if (!device) return begin + work;
    double& free = free_[*device];
    return free = std::max(free, begin) + machine_.launchSeconds + work / machine_.speedup;
  }

  const Machine machine_;
  std::deque<double> shots_;
  std::vector<double> free_;
  std::vector<Thread> threads_;
  Donation donation_;
  using Event = std::pair<double, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

// Apertures of many sizes, in no order; what a step costs grows with them.
std::vector<double> shotsOf(int count) {
  std::vector<double> shots;
  for (int s = 0; s < count; ++s) {
    const double part = (s * 41 + 3) % count / (count - 1.0);
    shots.push_back(1e-3 * (0.05 + 0.95 * part * part));
  }
  return shots;
}

class DonationOnANode : public testing::TestWithParam<int> {};

TEST_P(DonationOnANode, IsNoSlowerThanStaticAssignmentOrCores) {
  for (const double speedup : {1.0, 3.0, 8.0, 30.0}) {
    for (const std::size_t devices : {1, 2, 6}) {
      const Node::Machine machine{.devices = devices, .speedup = speedup};
      const auto seconds = [&](Node::Way way) { return Node(machine, shotsOf(GetParam()), way).run(); };
      const double cores = seconds(Node::Way::cores), keeps = seconds(Node::Way::keeps),
                   donates = seconds(Node::Way::donates);
      std::printf(
          "%2d shots, %zu devices %4.0f times a core: cores %.3f s, static %.3f s, donated %.3f s (%.2f, %.2f)\n",
          GetParam(), devices, speedup, cores, keeps, donates, cores / donates, keeps / donates);
      EXPECT_LE(donates, 1.02 * keeps);
      EXPECT_LE(donates, 1.05 * cores);  // trying devices that are no faster costs something
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Shots, DonationOnANode, testing::Values(12, 24, 36),
                         [](const auto& info) { return std::to_string(info.param) + "_shots"; });

}  // namespace
}  // namespace muster::rt
