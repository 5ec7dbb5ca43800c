// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_* variables: values, mistakes, and that the documentation names them all.
#include "config/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace muster::rt {
namespace {

std::string errorOf(const std::vector<Assignment>& assignments) {
  const auto config = parseConfig(assignments);
  EXPECT_FALSE(config.ok());
  return config.ok() ? "" : config.status().message();
}

TEST(Config, NothingSetGivesTheDefaults) {
  const auto config = parseConfig({});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->info, 0);
  EXPECT_EQ(config->minShare, 0.1);
  EXPECT_TRUE(config->balance);
  EXPECT_EQ(config->limitMemory, 0u);
  EXPECT_TRUE(config->spill);
  EXPECT_TRUE(config->async);
  EXPECT_TRUE(config->sharedMemory);
  EXPECT_EQ(config->directMessages, cdm::DirectMessages::measured);
  EXPECT_TRUE(config->keepArrays);
  EXPECT_EQ(config->kernels, cdm::KernelForms::automatic);
  EXPECT_TRUE(config->fuse);
  EXPECT_TRUE(config->weights.empty());
  EXPECT_FALSE(config->injects(Injection::buildFailure));
}

TEST(Config, ReadsEveryVariable) {
  const std::vector<Assignment> all = {{"MUSTER_DEVICES", "cpu,opencl:0"},
                                       {"MUSTER_INFO", "2"},
                                       {"MUSTER_INFO_FILE", "/tmp/report.json"},
                                       {"MUSTER_CACHE_DIR", "/tmp/cache"},
                                       {"MUSTER_WEIGHTS", "1,0,2.5;5:0,1,1;20:1,1,1"},
                                       {"MUSTER_MIN_SHARE", "0.25"},
                                       {"MUSTER_LIMIT_MEM", "64M"},
                                       {"MUSTER_HEARTBEAT", "1.5"},
                                       {"MUSTER_INJECT", "build-failure,device-lost,clFinish:3,transport:12@1"},
                                       {"MUSTER_CXX", "clang++"},
                                       {"MUSTER_THREADS", "static"},
                                       {"MUSTER_TRACE", "t.json"},
                                       {"MUSTER_BALANCE", "off"},
                                       {"MUSTER_CHECK", "races"},
                                       {"MUSTER_SPILL", "off"},
                                       {"MUSTER_ASYNC", "off"},
                                       {"MUSTER_RANKS", "own"},
                                       {"MUSTER_SHARED_MEMORY", "off"},
                                       {"MUSTER_GPU_AWARE_MPI", "on"},
                                       {"MUSTER_KEEP_ARRAYS", "off"},
                                       {"MUSTER_KERNELS", "first"},
                                       {"MUSTER_FUSE", "off"},
                                       {"MUSTER_DRY_RUN", "1024"},
                                       {"MUSTER_EARLIER_RUNS", "off"},
                                       {"MUSTER_TUNE", "shrink"},
                                       {"MUSTER_TUNE_INTERVAL", "25"},
                                       {"MUSTER_TUNE_LOG", "log"},
                                       {"MUSTER_TUNE_STORE", "store"},
                                       {"MUSTER_DEVICE_SET", "4:gpu"},
                                       {"MUSTER_FAKE_DEVICES", "2*(gpu:20:4G,cpu)"}};
  ASSERT_EQ(all.size(), configVariables().size()) << "a variable is not covered by this test";
  const auto config = parseConfig(all);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->devices, "cpu,opencl:0");
  EXPECT_EQ(config->info, 2);
  EXPECT_TRUE(config->notices);
  EXPECT_EQ(config->infoFile, "/tmp/report.json");
  EXPECT_EQ(config->cacheDirectory, "/tmp/cache");
  EXPECT_EQ(config->weights, (std::vector<double>{1, 0, 2.5}));
  EXPECT_EQ(config->later, (std::vector<WeightStep>{{5, {0, 1, 1}}, {20, {1, 1, 1}}}));
  EXPECT_EQ(config->minShare, 0.25);
  EXPECT_EQ(config->limitMemory, std::uint64_t{64} << 20);
  EXPECT_EQ(config->heartbeat, 1.5);
  EXPECT_TRUE(config->checkRaces);
  EXPECT_FALSE(config->fuse);
  EXPECT_EQ(config->ranks, Ranks::own);
  EXPECT_EQ(config->threads, ThreadMode::fixed);
  EXPECT_EQ(config->traceFile, "t.json");
  EXPECT_FALSE(config->balance);
  EXPECT_FALSE(config->spill);
  EXPECT_FALSE(config->sharedMemory);
  EXPECT_EQ(config->directMessages, cdm::DirectMessages::always);
  EXPECT_FALSE(config->keepArrays);
  EXPECT_EQ(config->kernels, cdm::KernelForms::first);
  EXPECT_FALSE(config->earlierRuns);
  EXPECT_EQ(config->dryRun, 1024);
  EXPECT_EQ(config->tune, TuneMode::shrink);
  EXPECT_EQ(config->tuneInterval, 25u);
  EXPECT_EQ(config->tuneLog, "log");
  EXPECT_EQ(config->tuneStore, "store");
  EXPECT_EQ(config->deviceSet, "4:gpu");
  EXPECT_EQ(config->fake->machines.size(), 2u);
  EXPECT_TRUE(config->injects(Injection::buildFailure));
  EXPECT_TRUE(config->injects(Injection::deviceLost));
  EXPECT_EQ(config->faults, (std::vector<cdm::Fault>{{"clFinish", 3, -1}, {"transport", 12, 1}}));
}

TEST(Config, AnEmptyValueCountsAsNotSet) {
  const auto config = parseConfig(std::vector<Assignment>{{"MUSTER_INFO", ""}, {"MUSTER_WEIGHTS", ""}});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->info, 0);
  EXPECT_TRUE(config->notices);
}

TEST(Config, InfoOfZeroKeepsTerminalsQuiet) {
  const auto config = parseConfig(std::vector<Assignment>{{"MUSTER_INFO", "0"}});
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(config->notices);
}

TEST(Config, AnUnknownNameIsAnErrorWithTheNearestName) {
  EXPECT_NE(errorOf({{"MUSTER_DEVICE", "cpu"}}).find("did you mean MUSTER_DEVICES?"), std::string::npos);
  EXPECT_NE(errorOf({{"MUSTER_WIEGHTS", "1"}}).find("did you mean MUSTER_WEIGHTS?"), std::string::npos);
  EXPECT_NE(errorOf({{"MUSTER_INFOFILE", "x"}}).find("did you mean MUSTER_INFO_FILE?"), std::string::npos);
}

TEST(Config, ABadValueNamesVariableValueAndWhatItTakes) {
  const std::string error = errorOf({{"MUSTER_INFO", "yes"}});
  EXPECT_NE(error.find("MUSTER_INFO=yes"), std::string::npos) << error;
  EXPECT_NE(error.find("0, 1, 2 or 3"), std::string::npos) << error;
  for (const Assignment& bad : std::vector<Assignment>{{"MUSTER_INFO", "4"},
                                                       {"MUSTER_INFO", "-1"},
                                                       {"MUSTER_INFO", "1x"},
                                                       {"MUSTER_WEIGHTS", "1,,2"},
                                                       {"MUSTER_WEIGHTS", "0,0"},
                                                       {"MUSTER_WEIGHTS", "-1"},
                                                       {"MUSTER_WEIGHTS", "nan"},
                                                       {"MUSTER_WEIGHTS", "inf"},
                                                       {"MUSTER_WEIGHTS", "1,1;0,1"},
                                                       {"MUSTER_WEIGHTS", "1,1;5:"},
                                                       {"MUSTER_WEIGHTS", "1,1;5:0,1;5:1,1"},
                                                       {"MUSTER_WEIGHTS", "1,1;1:0,1"},
                                                       {"MUSTER_MIN_SHARE", "1.1"},
                                                       {"MUSTER_MIN_SHARE", "nan"},
                                                       {"MUSTER_LIMIT_MEM", "0"},
                                                       {"MUSTER_LIMIT_MEM", "M"},
                                                       {"MUSTER_LIMIT_MEM", "5X"},
                                                       {"MUSTER_LIMIT_MEM", "99999999999999T"},
                                                       {"MUSTER_SPILL", "yes"},
                                                       {"MUSTER_DRY_RUN", "0"},
                                                       {"MUSTER_DRY_RUN", "many"},
                                                       {"MUSTER_BALANCE", "1"},
                                                       {"MUSTER_INJECT", "earthquake"},
                                                       {"MUSTER_INJECT", "clFinish:0"},
                                                       {"MUSTER_SHARED_MEMORY", "1"},
                                                       {"MUSTER_GPU_AWARE_MPI", "yes"},
                                                       {"MUSTER_RANKS", "mine"},
                                                       {"MUSTER_TUNE", "on"},
                                                       {"MUSTER_TUNE_INTERVAL", "0"},
                                                       {"MUSTER_TUNE_INTERVAL", "ten"},
                                                       {"MUSTER_FAKE_DEVICES", "gpu"},
                                                       {"MUSTER_FAKE_DEVICES", "2*(fpga)"},
                                                       {"MUSTER_FAKE_DEVICES", "0*(gpu)"},
                                                       {"MUSTER_FAKE_DEVICES", "(gpu:-1)"},
                                                       {"MUSTER_FAKE_DEVICES", "(gpu:1:2:3)"},
                                                       {"MUSTER_FAKE_DEVICES", "(gpu)|network 5"},
                                                       {"MUSTER_HEARTBEAT", "-2"}}) {
    EXPECT_FALSE(errorOf({bad}).empty()) << bad.first << "=" << bad.second;
  }
}

TEST(Config, SizesTakeSuffixes) {
  for (const auto& [text, bytes] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"1", 1}, {"4096", 4096}, {"3K", 3072}, {"2G", std::uint64_t{2} << 30}, {"1T", std::uint64_t{1} << 40}}) {
    const auto config = parseConfig(std::vector<Assignment>{{"MUSTER_LIMIT_MEM", text}});
    ASSERT_TRUE(config.ok()) << text;
    EXPECT_EQ(config->limitMemory, bytes) << text;
  }
}

TEST(Config, ReadsAParkThatDoesNotExist) {
  const auto park = parseFakePark(
      "7*(2*gpu:20:4G, cpu:1:24G); (2*gpu:0.5,opencl) | network 590M 30us | bus 4G 10us | iteration 2ns | loop 31 gpu "
      "0.05");
  ASSERT_TRUE(park.ok()) << park.status().message();
  ASSERT_EQ(park->machines.size(), 8u);
  using Kind = FakePark::Kind;
  const FakePark::Device gpu{Kind::gpu, 20, std::uint64_t{4} << 30}, cpu{Kind::cpu, 1, std::uint64_t{24} << 30};
  EXPECT_EQ(park->machines[6], (std::vector<FakePark::Device>{gpu, gpu, cpu}));
  EXPECT_EQ(park->machines[7],
            (std::vector<FakePark::Device>{{Kind::gpu, 0.5, 0}, {Kind::gpu, 0.5, 0}, {Kind::opencl, 1, 0}}));
  EXPECT_EQ(park->networkBytesPerSecond, 590e6);
  EXPECT_DOUBLE_EQ(park->networkLatency, 30e-6);
  EXPECT_EQ(park->busBytesPerSecond, 4e9);
  EXPECT_DOUBLE_EQ(park->secondsPerIteration, 2e-9);
  EXPECT_EQ(park->loops, (std::vector<FakePark::LoopFactor>{{31, Kind::gpu, 0.05}}));
}

TEST(Config, FindsTheVariablesOfTheEnvironment) {
  setenv("MUSTER_TEST_ONLY", "a=b", 1);
  const auto found = environmentAssignments();
  unsetenv("MUSTER_TEST_ONLY");
  EXPECT_NE(std::find(found.begin(), found.end(), Assignment{"MUSTER_TEST_ONLY", "a=b"}), found.end());
}

// docs/configuration.md has one row per variable: | `NAME` | values | default | summary |
TEST(Config, DocumentationHasARowForEveryVariable) {
  std::ifstream in(MUSTER_SOURCE_DIR "/docs/configuration.md");
  ASSERT_TRUE(in) << "docs/configuration.md is missing";
  std::stringstream text;
  text << in.rdbuf();
  for (const ConfigVariable& variable : configVariables()) {
    const std::string row = std::string("| `") + variable.name + "` | " + variable.values + " | " +
                            variable.defaultValue + " | " + variable.summary + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << "missing row:\n" << row;
  }
}

}  // namespace
}  // namespace muster::rt
