// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner with a job whose time is a formula.
#include "tuner/sets/tuner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "tuner/sets/set_store.h"
#include "tuner/sets/tune_log.h"

namespace muster::rt {
namespace {

// Two machines with a GPU and a CPU each.
Park smallPark() { return {{"gpu", "cpu"}, {{0, 0, 10}, {0, 1, 1}, {1, 0, 10}, {1, 1, 1}}}; }

class ModelJob final : public TunedJob {
 public:
  // Seconds of one launch.
  using Seconds = std::function<double(std::uint64_t kernel, const std::vector<bool>& members)>;
  explicit ModelJob(std::size_t devices, Seconds takes = {}) : seconds(std::move(takes)), everything_(devices, true) {}

  Seconds seconds;
  std::map<std::uint64_t, std::size_t> groups;  // by kernel; others are alone
  double moveSeconds = 0.001;
  // What planning the first two launches of a kernel on a set takes.
  std::function<double(const std::vector<bool>& members)> firstSeconds = [](const auto&) { return 0; };
  // What forecasts say instead of the truth.
  Seconds believes;

  std::size_t groupOf(std::uint64_t kernel) override {
    const auto known = groups.find(kernel);
    return known != groups.end() ? known->second : 1000 + kernel;
  }
  Clock clock() const override { return {now_ + idle_, now_, planned_, planning_}; }
  Status drain() override {
    ++drains;
    return {};
  }
  Status restrict(std::uint64_t kernel, const std::vector<bool>& members) override {
    members_[groupOf(kernel)] = members;
    isProbing = false;
    toMove_ = moveSeconds;
    ++moves;
    return {};
  }
  bool ranEverywhere(std::uint64_t) const override { return probed || !needsProbe; }
  // All loops are planned anew.
  Status probe(std::uint64_t kernel) override {
    probed = true;
    ran_.clear();
    MUSTER_TRY(restrict(kernel, everything_));
    isProbing = true;
    return {};
  }
  Result<bool> reweigh(std::uint64_t) override { return false; }
  void hold(bool on) override { held = on; }
  Forecast forecast(std::uint64_t, std::span<const protocol::Command> commands,
                    const std::vector<bool>& members) override {
    Forecast forecast;
    forecast.devices = members;
    forecast.moving = moveSeconds;
    for (const protocol::Command& command : commands)
      forecast.compute += (believes ? believes : seconds)(std::get<protocol::Launch>(command).kernel, members);
    return forecast;
  }

  void run(std::uint64_t kernel) {
    const std::vector<bool>& on = members(kernel);
    const bool isNew = ++ran_[{kernel, on}] <= 2;
    planned_ += isNew ? 1 : 0;
    planning_ += isNew ? firstSeconds(on) : 0;
    now_ += seconds(kernel, on) + std::exchange(toMove_, 0) + (isNew ? firstSeconds(on) : 0);
  }
  void rest(double seconds) { idle_ += seconds; }
  const std::vector<bool>& members(std::uint64_t kernel) {
    const auto known = members_.find(groupOf(kernel));
    return known != members_.end() ? known->second : everything_;
  }

  int drains = 0, moves = 0;
  bool held = false, needsProbe = false, probed = false, isProbing = false;

 private:
  std::vector<bool> everything_;
  std::map<std::size_t, std::vector<bool>> members_;
  std::map<std::pair<std::uint64_t, std::vector<bool>>, int> ran_;
  std::uint64_t planned_ = 0;
  double planning_ = 0;
  double now_ = 0, idle_ = 0, toMove_ = 0;
};

protocol::Launch launchOf(std::uint64_t kernel) {
  protocol::Launch launch;
  launch.kernel = kernel;
  launch.dims = {{0, 1, 100}};
  return launch;
}

class TunerTest : public ::testing::Test {
 protected:
  void start(TuneMode mode, std::optional<DeviceSet> fixed = {}) {
    Tuner::Options options;
    options.mode = mode;
    options.fixed = fixed;
    options.stored = stored_;
    options.step = [this](const Tuner::Step& step) { steps_.push_back(step); };
    tuner_ = std::make_unique<Tuner>(smallPark(), job_, options);
  }
  void launch(std::uint64_t kernel, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(tuner_->beforeLaunch(launchOf(kernel)).ok());
      job_.run(kernel);
    }
  }
  std::string setOf(std::uint64_t kernel) {
    for (const DeviceSet& set : smallPark().all()) {
      if (smallPark().members(set) == job_.members(kernel)) return smallPark().text(set);
    }
    return "another";
  }
  ModelJob job_{4};
  std::function<std::optional<DeviceSet>(std::uint64_t)> stored_ = [](std::uint64_t) { return std::nullopt; };
  std::unique_ptr<Tuner> tuner_;
  std::vector<Tuner::Step> steps_;
};

// Fastest: both GPUs, no CPU.
double likesGpus(const std::vector<bool>& members) {
  double speed = 0, penalty = 0;
  for (std::size_t d = 0; d < members.size(); ++d) {
    if (!members[d]) continue;
    if (d % 2 == 0) speed += 10;
    if (d % 2 == 1) penalty = 0.0003;
  }
  return speed > 0 ? 0.01 / speed + penalty : 0.02;
}
double likesOneCpu(const std::vector<bool>& members) {
  return members == std::vector<bool>{false, true, false, false} ? 0.001 : 0.004;
}

TEST_F(TunerTest, GrowAndShrinkEndWithTheFastestSetAndGoBackToIt) {
  for (const TuneMode mode : {TuneMode::grow, TuneMode::shrink}) {
    job_ = ModelJob(4);
    job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return likesGpus(members); };
    steps_.clear();
    start(mode);
    launch(7, 200);
    EXPECT_EQ(setOf(7), "2:gpu");
    EXPECT_EQ(steps_.back().decision.substr(steps_.back().decision.size() - 5), "2:gpu");
    EXPECT_FALSE(job_.held);
    const int drains = job_.drains, moves = job_.moves;
    launch(7, 500);
    EXPECT_EQ(job_.drains, drains) << "a search that has ended costs nothing";
    EXPECT_EQ(job_.moves, moves);
    const auto found = tuner_->found();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kernels, std::vector<std::uint64_t>{7});
    EXPECT_EQ(smallPark().text(found[0].set), "2:gpu");
  }
}

TEST_F(TunerTest, AProgramWithFewerLaunchesThanAnIntervalIsLeftAlone) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return 100 * likesGpus(members); };
  for (const TuneMode mode : {TuneMode::grow, TuneMode::shrink, TuneMode::automatic}) {
    start(mode);
    launch(7, 9);
    EXPECT_EQ(job_.moves, 0);
    EXPECT_EQ(job_.drains, 0);
    EXPECT_TRUE(steps_.empty());
    EXPECT_TRUE(tuner_->found().empty());
  }
}

TEST_F(TunerTest, ASetThatIsHopelessIsLeftSoon) {
  int slow = 0;
  job_.seconds = [&](std::uint64_t, const std::vector<bool>& members) {
    const bool gpus = members[0] || members[2];
    slow += gpus ? 0 : 1;
    return gpus ? likesGpus(members) : 0.1;
  };
  for (const TuneMode mode : {TuneMode::grow, TuneMode::shrink}) {
    job_ = ModelJob(4, job_.seconds);
    slow = 0;
    start(mode);
    launch(7, 300);
    EXPECT_EQ(setOf(7), "2:gpu");
    EXPECT_GT(slow, 0) << "CPUs were not tried";
    EXPECT_LE(slow, 2 * 4) << "for at most two sets of CPUs";
  }
}

// A period is as long as a whole step of the program: what is lost shows before its end.
TEST_F(TunerTest, ALongPeriodIsNotTimedToItsEndIfTheSetIsHopeless) {
  constexpr std::uint64_t kKernels = 1000;
  int slow = 0;
  job_.seconds = [&](std::uint64_t, const std::vector<bool>& members) {
    const bool gpus = members[0] || members[2];
    slow += gpus ? 0 : 1;
    return gpus ? likesGpus(members) : 0.1;
  };
  for (std::uint64_t kernel = 1; kernel <= kKernels; ++kernel) job_.groups[kernel] = 5;
  start(TuneMode::shrink);
  for (int round = 0; round < 40; ++round) {
    for (std::uint64_t kernel = 1; kernel <= kKernels; ++kernel) launch(kernel);
  }
  EXPECT_EQ(setOf(1), "2:gpu");
  EXPECT_GT(slow, 0);
  EXPECT_LT(slow, static_cast<int>(kKernels));
}

TEST_F(TunerTest, LoopsThatShareNoArraysHaveTheirOwnSets) {
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    return kernel == 1 ? likesGpus(members) : likesOneCpu(members);
  };
  start(TuneMode::shrink);
  for (int i = 0; i < 400; ++i) {
    launch(1);
    launch(2);
  }
  EXPECT_EQ(setOf(1), "2:gpu");
  EXPECT_EQ(setOf(2), "1:cpu");
}

TEST_F(TunerTest, LoopsThatAlternateOverTheSameArraysShareOneSet) {
  job_.groups = {{1, 5}, {2, 5}};
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    return kernel == 1 ? likesGpus(members) : likesOneCpu(members);
  };
  start(TuneMode::shrink);
  for (int i = 0; i < 300; ++i) {
    launch(1);
    launch(2);
  }
  const int moves = job_.moves;
  for (int i = 0; i < 300; ++i) {
    launch(1);
    launch(2);
  }
  EXPECT_EQ(job_.moves, moves) << "they chase each other";
  double best = 1;
  for (const DeviceSet& set : smallPark().all()) {
    const auto members = smallPark().members(set);
    best = std::min(best, likesGpus(members) + likesOneCpu(members));
  }
  EXPECT_LE(likesGpus(job_.members(1)) + likesOneCpu(job_.members(2)), 1.05 * best);
}

TEST_F(TunerTest, AFixedSetIsUsedFromTheFirstLaunchOn) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>&) { return 0.001; };
  start(TuneMode::automatic, DeviceSet{1, 2, 0});
  launch(7);
  EXPECT_EQ(setOf(7), "1:cpu");
  launch(7, 2000);
  EXPECT_EQ(job_.moves, 1);
}

TEST_F(TunerTest, AStoredSetIsBegunWith) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return likesOneCpu(members); };
  stored_ = [](std::uint64_t) { return DeviceSet{1, 2, 0}; };
  start(TuneMode::shrink);
  launch(7, 300);
  EXPECT_EQ(setOf(7), "1:cpu");
  EXPECT_EQ(job_.moves, 1);
}

TEST_F(TunerTest, AutoFindsTheBestSetAndCostsATwentiethAtMost) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return likesGpus(members); };
  start(TuneMode::automatic);
  launch(7, 5000);
  EXPECT_EQ(setOf(7), "2:gpu");
  const double best = likesGpus(smallPark().members({2, 1, 0}));
  const double all = likesGpus(std::vector<bool>(4, true));
  // Before it begins to search it does not know better.
  EXPECT_LE(job_.clock().elapsed, 1.05 * 5000 * best + 0.25 * all / best);
  EXPECT_LE(steps_.size(), 6u);
}

TEST_F(TunerTest, AutoDoesNotTryWhatCannotWin) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) {
    return 0.01 / static_cast<double>(std::count(members.begin(), members.end(), true));
  };
  start(TuneMode::automatic);
  launch(7, 3000);
  EXPECT_EQ(job_.moves, 0);
  EXPECT_EQ(setOf(7), "2:gpu+cpu");
}

// Its loops are planned anew, twice: with 2 ms for each of 300 that is longer than the run so far may cost.
// As where many devices write copies of one array, which are merged after each launch.
TEST_F(TunerTest, AutoEndsAProbeThatTakesTooLong) {
  constexpr std::uint64_t kLoops = 23;
  for (std::uint64_t kernel = 0; kernel < kLoops; ++kernel) job_.groups[kernel] = 1;
  job_.needsProbe = true;
  int inProbe = 0;
  job_.seconds = [&](std::uint64_t, const std::vector<bool>&) {
    inProbe += static_cast<int>(job_.isProbing);
    return job_.isProbing ? 0.02 : 0.0002;
  };
  start(TuneMode::automatic);
  for (int round = 0; round < 1000; ++round)
    for (std::uint64_t kernel = 0; kernel < kLoops; ++kernel) launch(kernel);
  EXPECT_TRUE(job_.probed);
  EXPECT_LE(inProbe, 20);  // three times what it was to cost
}

TEST_F(TunerTest, AutoProbesALongPeriodOnceItIsAffordable) {
  job_.needsProbe = true;
  job_.seconds = [](std::uint64_t, const std::vector<bool>&) { return 0.0002; };
  job_.firstSeconds = [](const auto&) { return 0.002; };
  for (std::uint64_t kernel = 0; kernel < 300; ++kernel) job_.groups[kernel] = 5;
  start(TuneMode::automatic);
  double probedAt = 0;
  for (int round = 0; round < 1000 && probedAt == 0; ++round) {
    for (std::uint64_t kernel = 0; kernel < 300; ++kernel) launch(kernel);
    if (job_.probed) probedAt = job_.clock().elapsed;
  }
  EXPECT_GE(probedAt, 20 * 2 * 300 * 0.002);
  EXPECT_LE(probedAt, 40);
}

TEST_F(TunerTest, AutoSearchesAgainWhenTheTimeDrifts) {
  bool busy = false;  // the second machine
  job_.seconds = [&](std::uint64_t, const std::vector<bool>& members) {
    return busy && (members[2] || members[3]) ? 0.02 : likesGpus(members);
  };
  start(TuneMode::automatic);
  launch(7, 4000);
  ASSERT_EQ(setOf(7), "2:gpu");
  busy = true;
  launch(7, 3000);
  EXPECT_EQ(setOf(7), "1:gpu");
  EXPECT_TRUE(std::any_of(steps_.begin(), steps_.end(),
                          [](const Tuner::Step& step) { return step.decision == "search again"; }));
}

TEST_F(TunerTest, AutoKeepsASetForEachPhaseOfTheProgram) {
  job_.groups = {{1, 5}, {2, 5}};
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    return kernel == 1 ? likesGpus(members) : likesOneCpu(members);
  };
  start(TuneMode::automatic);
  for (int phase = 0; phase < 3; ++phase) {
    launch(1, 3000);
    EXPECT_EQ(setOf(1), "2:gpu") << phase;
    launch(2, 3000);
    EXPECT_EQ(setOf(2), "1:cpu") << phase;
  }
  const auto searches = std::count_if(steps_.begin(), steps_.end(),
                                      [](const Tuner::Step& step) { return step.decision == "search again"; });
  EXPECT_EQ(searches, 1) << "what was found for loops is known when they come back";
}

TEST_F(TunerTest, ShortPhasesDoNotChaseEachOther) {
  job_.groups = {{1, 5}, {2, 5}};
  job_.moveSeconds = 1;
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    return kernel == 1 ? likesGpus(members) : likesOneCpu(members);
  };
  start(TuneMode::automatic);
  for (int phase = 0; phase < 20; ++phase) {
    launch(1, 150);
    launch(2, 150);
  }
  EXPECT_LE(job_.moves, 4);
}

// As circuits are: levels of very different size, and the small ones are bound by latency.
TEST_F(TunerTest, TimesWholeRoundsOfLaunches) {
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    const double latency = members[2] || members[3] ? 0.0002 : 0.00001;  // two machines
    return latency + static_cast<double>(kernel) * 1e-6 / (members[0] || members[2] ? 10 : 1);
  };
  for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) job_.groups[kernel] = 5;
  for (const TuneMode mode : {TuneMode::shrink, TuneMode::grow}) {
    start(mode);
    for (int round = 0; round < 40; ++round) {
      for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) launch(kernel);
    }
    EXPECT_EQ(setOf(1), "1:gpu");
  }
}

// The first hundred launches are bound by latency, and say nothing of the others.
TEST_F(TunerTest, AutoForecastsWholePeriods) {
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    double speed = 0;
    for (std::size_t d = 0; d < members.size(); ++d) speed += members[d] ? (d % 2 == 0 ? 10 : 1) : 0;
    return (members[2] || members[3] ? 5e-5 : 1e-6) + (kernel <= 150 ? 1e-6 : 1e-2) / speed;
  };
  for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) job_.groups[kernel] = 5;
  start(TuneMode::automatic);
  for (int round = 0; round < 40; ++round) {
    for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) launch(kernel);
  }
  ASSERT_FALSE(steps_.empty());
  EXPECT_EQ(setOf(1), "2:gpu+cpu");
  for (const Tuner::Step& step : steps_) EXPECT_FALSE(step.decision.starts_with("try 1:")) << step.reason;
}

// Planning takes longer than a round does afterwards, most of all where GPUs compute.
TEST_F(TunerTest, FirstLaunchesOfALongPeriodDoNotCount) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return 0.1 * likesGpus(members); };
  job_.firstSeconds = [](const std::vector<bool>& members) { return members[0] || members[2] ? 0.01 : 0.0001; };
  for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) job_.groups[kernel] = 5;
  for (const TuneMode mode : {TuneMode::shrink, TuneMode::grow, TuneMode::automatic}) {
    start(mode);
    for (int round = 0; round < 120; ++round) {
      for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) launch(kernel);
    }
    EXPECT_EQ(setOf(1), "2:gpu") << static_cast<int>(mode);
  }
}

// A round begins with loops that come again at once, and like other devices than the rest.
TEST_F(TunerTest, APeriodThatTurnsOutLongerIsTimedAnew) {
  job_.seconds = [](std::uint64_t kernel, const std::vector<bool>& members) {
    return kernel <= 2 ? 0.1 * likesOneCpu(members) : likesGpus(members);
  };
  for (std::uint64_t kernel = 1; kernel <= 300; ++kernel) job_.groups[kernel] = 5;
  for (const TuneMode mode : {TuneMode::shrink, TuneMode::grow, TuneMode::automatic}) {
    start(mode);
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 200; ++i) launch(1 + i % 2);
      for (std::uint64_t kernel = 3; kernel <= 300; ++kernel) launch(kernel);
    }
    EXPECT_EQ(setOf(1), "2:gpu") << static_cast<int>(mode);
  }
}

// Forecasts know nothing of what devices take from each other; the first trial shows how far they can be trusted.
TEST_F(TunerTest, AutoTriesMoreWhereForecastsAreWrong) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) {
    const auto computing = std::count(members.begin(), members.end(), true);
    return members == smallPark().members({1, 1, 0}) ? 0.0005 : 0.001 + 0.0001 * static_cast<double>(computing);
  };
  job_.believes = [](std::uint64_t, const std::vector<bool>& members) {
    return 0.001 + 0.00008 * static_cast<double>(std::count(members.begin(), members.end(), false));
  };
  start(TuneMode::automatic);
  launch(7, 6000);
  EXPECT_EQ(setOf(7), "1:gpu");
}

TEST_F(TunerTest, HostTimeBetweenLaunchesDoesNotCount) {
  job_.seconds = [](std::uint64_t, const std::vector<bool>& members) { return likesGpus(members); };
  start(TuneMode::shrink);
  for (int i = 0; i < 300; ++i) {
    launch(7);
    job_.rest(i % 17 == 0 ? 0.5 : 0);
  }
  EXPECT_EQ(setOf(7), "2:gpu");
}

TEST(TuneLog, HasOneLinePerStep) {
  const std::string path = ::testing::TempDir() + "/tune-" + std::to_string(getpid()) + ".log";
  auto log = TuneLog::open(path);
  ASSERT_TRUE(log.ok());
  Tuner::Step step;
  step.set = "4:gpu";
  step.secondsPerLaunch = 0.0015;
  step.decision = "try 2:gpu";
  step.reason = "halved";
  (*log)->write(step, "a.cpp:3");
  ASSERT_TRUE((*log)->close().ok());
  std::ifstream in(path);
  std::string header, line;
  std::getline(in, header);
  std::getline(in, line);
  std::remove(path.c_str());
  EXPECT_EQ(std::count(header.begin(), header.end(), '\t'), std::count(line.begin(), line.end(), '\t'));
  EXPECT_NE(line.find("a.cpp:3\t4:gpu\t1500.000"), std::string::npos) << line;
  EXPECT_FALSE(TuneLog::open("/nowhere/tune.log").ok());
  EXPECT_EQ(describe(step), "device set 4:gpu takes 1.50 ms per launch; try 2:gpu: halved");
}

class Stored : public ::testing::Test {
 protected:
  static DeviceTable tableOf(const std::string& gpu) {
    cdm::DeviceInfo device;
    device.name = gpu;
    device.backend = "opencl";
    device.kind = cdm::DeviceKind::gpu;
    return DeviceTable::fromRanks({{"a", {device}}, {"b", {device}}});
  }
  std::vector<std::string> warnings_;
  SetStore::Warn warn_ = [this](const std::string& text) { warnings_.push_back(text); };
  // Tests run beside each other.
  const std::string path_ = ::testing::TempDir() + "/sets-" + std::to_string(getpid()) + ".json";
  ~Stored() override { std::remove(path_.c_str()); }
};

TEST_F(Stored, SetsComeBack) {
  const DeviceTable table = tableOf("fast");
  const Park park = Park::of(table, {1, 1});
  {
    SetStore store(path_, park, table, warn_);
    EXPECT_FALSE(store.find(3));
    ASSERT_TRUE(store.write(std::vector<Tuner::Found>{{{3, 4}, {1, 1, 0}, 5}, {{9}, {2, 1, 0}, 5}}).ok());
  }
  {
    SetStore store(path_, park, table, warn_);
    EXPECT_EQ(store.find(4), (DeviceSet{1, 1, 0}));
    EXPECT_EQ(store.find(9), (DeviceSet{2, 1, 0}));
    EXPECT_FALSE(store.find(5));
    ASSERT_TRUE(store.write(std::vector<Tuner::Found>{{{3, 4}, {2, 1, 0}, 5}}).ok());
  }
  EXPECT_EQ(SetStore(path_, park, table, warn_).find(3), (DeviceSet{2, 1, 0}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Stored, DevicesWithoutSpeedAreNeverMembers) {
  const Park park = Park::of(tableOf("fast"), {0, 1});
  EXPECT_EQ(park.machineCount(1), 1);
  EXPECT_EQ(park.members(park.full()), (std::vector<bool>{false, true}));
}

TEST_F(Stored, DevicesThatAreGoneAreAWarning) {
  const DeviceTable table = tableOf("fast"), other = tableOf("another");
  const Park park = Park::of(table, {1, 1});
  ASSERT_TRUE(SetStore(path_, park, table, warn_).write(std::vector<Tuner::Found>{{{3}, {2, 1, 0}, 5}}).ok());
  const SetStore store(path_, park, other, warn_);
  EXPECT_FALSE(store.find(3));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("rank 1: opencl, fast"), std::string::npos) << warnings_[0];
}

TEST_F(Stored, ADamagedFileIsAWarning) {
  const DeviceTable table = tableOf("fast");
  const Park park = Park::of(table, {1, 1});
  for (const char* text : {"", "{", "[]", "{\"sets\": 3}", "{\"sets\": [{\"set\": 4}]}", "{\"sets\": [3]}"}) {
    warnings_.clear();
    std::ofstream(path_) << text;
    const SetStore store(path_, park, table, warn_);
    EXPECT_FALSE(store.find(3)) << text;
    EXPECT_EQ(warnings_.size(), 1u) << text;
  }
}

}  // namespace
}  // namespace muster::rt
