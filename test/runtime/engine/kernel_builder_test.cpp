// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that builds, with a program in its place that keeps what it is asked for.
#include "tuner/in_place/kernel_builder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace muster::rt {
namespace {

std::atomic<int> childSignals{0};

class KernelBuilderTest : public ::testing::Test {
 protected:
  KernelBuilderTest() {
    char name[] = "/tmp/muster-builders-XXXXXX";
    folder_ = mkdtemp(name);
    for (int i = 0; i < 10; ++i) {
      codes_.push_back({});
      codes_.back().id = static_cast<std::uint64_t>(i);
      codes_.back().name = "kernel_" + std::to_string(i);
      codes_.back().opencl = "__kernel void \"\\\xff\n";
      codes_.back().dimensions = 2;
      codes_.back().scalars = {{"n", cdm::ScalarType::i32, 4}, {"all", cdm::ScalarType::other, 80}};
    }
    for (const cdm::KernelCode& code : codes_) kernels_.push_back({&code, 1e9, {{1, 2, 0, 0}, {}}});
  }
  ~KernelBuilderTest() override { std::filesystem::remove_all(folder_); }

  // A program that runs these commands.
  [[nodiscard]] std::filesystem::path program(const std::string& commands) const {
    const std::filesystem::path path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << commands << "\n";
    chmod(path.c_str(), 0700);
    return path;
  }
  [[nodiscard]] std::set<std::string> namesAsked() const {
    std::set<std::string> names;
    std::ifstream in(folder_ / "asked.json");
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(nlohmann::json::parse(line)["cache"], "/cache");
    while (std::getline(in, line)) {
      const auto kernel = nlohmann::json::parse(line);
      EXPECT_EQ(kernel["iterations"], 1e9);
      EXPECT_EQ(kernel["dimensions"], 2);
      EXPECT_EQ(kernel["scalars"].dump(), R"([{"bytes":[1,2,0,0],"type":5},{"bytes":[],"type":11}])");
      EXPECT_TRUE(names.insert(kernel["name"]).second) << kernel["name"];
    }
    return names;
  }

  // So many, or all that were tried in ten seconds.
  std::unordered_set<std::uint64_t> triedOf(KernelBuilder& builder, std::size_t count) const {
    std::unordered_set<std::uint64_t> all;
    for (int i = 0; i < 10000; ++i) {
      const KernelBuilder::Progress progress = builder.build(kernels_);
      all.insert(progress.tried.begin(), progress.tried.end());
      if (all.size() >= count || !progress.goesOn) break;
      usleep(1000);
    }
    return all;
  }

  std::filesystem::path folder_;
  std::vector<cdm::KernelCode> codes_;
  std::vector<KernelToBuild> kernels_;
};

TEST_F(KernelBuilderTest, ItIsAskedOnceForEachKernel) {
  KernelBuilder builder(program("head -n 11 > " + folder_.string() + "/asked.json"), "/cache");
  const std::vector<KernelToBuild> all = std::exchange(kernels_, {kernels_.begin(), kernels_.begin() + 4});
  EXPECT_TRUE(builder.build(kernels_).goesOn);
  kernels_ = all;
  EXPECT_EQ(triedOf(builder, kernels_.size()).size(), kernels_.size());
  EXPECT_EQ(namesAsked().size(), kernels_.size());
  EXPECT_FALSE(builder.build(kernels_).goesOn);
}

// More than a socket holds at a time.
TEST_F(KernelBuilderTest, LongTextsAreSentInParts) {
  for (cdm::KernelCode& code : codes_) code.opencl += std::string(1 << 20, ' ');
  KernelBuilder builder(program("head -n 11 > " + folder_.string() + "/asked.json"), "/cache");
  EXPECT_EQ(triedOf(builder, kernels_.size()).size(), kernels_.size());
  EXPECT_EQ(namesAsked().size(), kernels_.size());
}

TEST_F(KernelBuilderTest, WhatIsLeftIsAskedForAgain) {
  KernelBuilder builder(program("printf .; sleep 20"), "/cache");
  EXPECT_EQ(triedOf(builder, 1).size(), 1U);
  builder.stop();
  EXPECT_EQ(builder.asked(), 1U);
  EXPECT_EQ(triedOf(builder, 1).size(), 1U);
  EXPECT_EQ(builder.asked(), 10U);
}

TEST_F(KernelBuilderTest, ShortTextsComeFirst) {
  for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i].opencl += std::string(i % 7 == 1 ? 10 : 1000, ' ');
  KernelBuilder builder(program("printf ..; sleep 20"), "/cache");
  EXPECT_EQ(triedOf(builder, 2), (std::unordered_set<std::uint64_t>{1, 8}));
  const KernelBuilder::Progress now = builder.build({});
  EXPECT_TRUE(now.goesOn);
  EXPECT_TRUE(now.tried.empty());
  EXPECT_EQ(builder.asked(), 10U);
  EXPECT_EQ(builder.tried(), 2U);
}

TEST_F(KernelBuilderTest, NothingWaitsForIt) {
  const std::string ended = folder_.string() + "/ended";
  KernelBuilder builder(program("trap '' PIPE; printf ...; sleep 0.5; printf . || touch " + ended), "/cache");
  const auto began = std::chrono::steady_clock::now();
  const auto tried = triedOf(builder, 3);
  EXPECT_EQ(tried.size(), 3U);
  builder.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(400));
  EXPECT_FALSE(builder.build({}).goesOn);
  for (int i = 0; i < 500 && !std::filesystem::exists(ended); ++i) usleep(10000);
  EXPECT_TRUE(std::filesystem::exists(ended)) << "it is told by its standard output";
}

// A program that closes all files may open others.
TEST_F(KernelBuilderTest, AnotherFileOfItsNumberIsNotRead) {
  KernelBuilder builder(program("sleep 20"), "/cache");
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  EXPECT_TRUE(builder.build(kernels_).goesOn);
  int other[2];
  ASSERT_EQ(pipe(other), 0);
  ASSERT_EQ(write(other[1], "...", 3), 3);
  constexpr int kMost = 8;  // files that it may have opened
  for (int file = before; file < before + kMost; ++file)
    if (file != other[0] && file != other[1]) dup2(other[0], file);
  EXPECT_EQ(builder.build({}).tried.size(), kernels_.size());  // as one that has ended
  char bytes[4];
  EXPECT_EQ(read(other[0], bytes, sizeof bytes), 3);
  for (int file = before; file < before + kMost; ++file) close(file);
}

TEST_F(KernelBuilderTest, TheProgramSeesNothingOfThem) {
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { ++childSignals; };
  sigaction(SIGCHLD, &handler, &before);
  sigset_t blocked, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  KernelBuilder builder(program("exit 3"), "/cache");
  EXPECT_EQ(triedOf(builder, kernels_.size()).size(), kernels_.size());
  errno = 0;
  EXPECT_EQ(wait(nullptr), -1);
  EXPECT_EQ(errno, ECHILD);
  usleep(50000);  // a signal would come a little later
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(childSignals, 0);
  for (int signal = 1; signal < NSIG; ++signal) EXPECT_EQ(sigismember(&blocked, signal), sigismember(&after, signal));
}

TEST_F(KernelBuilderTest, ItMayUseTheProcessorsThatOpenMpTookFromTheThread) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one processor";
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  KernelBuilder builder(program("nproc > " + folder_.string() + "/processors"), "/cache");
  triedOf(builder, kernels_.size());
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  int processors = 0;
  std::ifstream(folder_ / "processors") >> processors;
  EXPECT_EQ(processors, CPU_COUNT(&all));
}

TEST_F(KernelBuilderTest, NothingIsStartedForNothing) {
  KernelBuilder builder(program("exit 0"), "/cache");
  EXPECT_FALSE(builder.build({}).goesOn);
}

TEST_F(KernelBuilderTest, AProgramThatCannotBeStartedHasTriedAll) {
  KernelBuilder builder("/nowhere/muster-kernels", "/cache");
  EXPECT_EQ(triedOf(builder, kernels_.size()).size(), kernels_.size());
}

TEST_F(KernelBuilderTest, WhatItTakes) {
  KernelBuilder builder(program("sleep 20"), "/cache");
  EXPECT_NEAR(builder.seconds(39), 0.6 + 39 * 0.11, 1e-9);
  EXPECT_TRUE(builder.build(kernels_).goesOn);
  EXPECT_NEAR(builder.seconds(1), 0.11, 1e-9);  // its driver has begun
}

}  // namespace
}  // namespace muster::rt
