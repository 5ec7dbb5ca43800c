// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that build, with a program in their place that keeps what it is asked for.
#include "tuner/in_place/kernel_builders.h"

#include <gtest/gtest.h>
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

namespace muster::rt {
namespace {

std::atomic<int> childSignals{0};

class KernelBuildersTest : public ::testing::Test {
 protected:
  KernelBuildersTest() {
    char name[] = "/tmp/muster-builders-XXXXXX";
    folder_ = mkdtemp(name);
    for (int i = 0; i < 10; ++i) {
      codes_.push_back({});
      codes_.back().id = static_cast<std::uint64_t>(i);
      codes_.back().name = "kernel_" + std::to_string(i);
      codes_.back().opencl = "__kernel void \"\\\xff\n";
      codes_.back().dimensions = 2;
    }
    for (const cdm::KernelCode& code : codes_) kernels_.push_back({&code, 1e9});
  }
  ~KernelBuildersTest() override { std::filesystem::remove_all(folder_); }

  // A program that runs these commands.
  [[nodiscard]] std::filesystem::path program(const std::string& commands) const {
    const std::filesystem::path path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << commands << "\n";
    chmod(path.c_str(), 0700);
    return path;
  }
  [[nodiscard]] std::set<std::string> namesAsked() const {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (file.path().extension() != ".json") continue;
      std::ifstream in(file.path());
      const auto request = nlohmann::json::parse(in);
      EXPECT_EQ(request["cache"], "/cache");
      for (const auto& kernel : request["kernels"]) {
        EXPECT_EQ(kernel["iterations"], 1e9);
        EXPECT_EQ(kernel["dimensions"], 2);
        EXPECT_TRUE(names.insert(kernel["name"]).second) << kernel["name"];  // by one process
      }
    }
    return names;
  }

  std::filesystem::path folder_;
  std::vector<cdm::KernelCode> codes_;
  std::vector<KernelToBuild> kernels_;
};

TEST_F(KernelBuildersTest, TheProcessesShareTheKernelsOut) {
  const KernelBuilders builders(program("cat > " + folder_.string() + "/$$.json"), "/cache", 16);
  EXPECT_EQ(builders.build(kernels_, 10).size(), kernels_.size());
  EXPECT_EQ(namesAsked().size(), kernels_.size());
}

TEST_F(KernelBuildersTest, ShortTextsComeFirst) {
  for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i].opencl += std::string(i % 7 == 1 ? 10 : 1000, ' ');
  const KernelBuilders builders(program("printf .; sleep 20"), "/cache", 8);
  EXPECT_EQ(builders.build(kernels_, 0.5), (std::unordered_set<std::uint64_t>{1, 8}));
}

// What is built by then is; the processes end.
TEST_F(KernelBuildersTest, ItWaitsNoLongerThanItMay) {
  const std::string ended = folder_.string() + "/ended";
  const KernelBuilders builders(program("trap '' PIPE; printf ...; sleep 0.5; printf . || touch " + ended), "/cache",
                                1);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(builders.build(kernels_, 0.1).size(), 3U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(400));
  for (int i = 0; i < 500 && !std::filesystem::exists(ended); ++i) usleep(10000);
  EXPECT_TRUE(std::filesystem::exists(ended)) << "it is told by its standard output";
}

TEST_F(KernelBuildersTest, TheProgramSeesNothingOfThem) {
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { ++childSignals; };
  sigaction(SIGCHLD, &handler, &before);
  sigset_t blocked, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  const KernelBuilders builders(program("exit 3"), "/cache", 16);
  EXPECT_EQ(builders.build(kernels_, 10).size(), kernels_.size());
  errno = 0;
  EXPECT_EQ(wait(nullptr), -1);
  EXPECT_EQ(errno, ECHILD);
  usleep(50000);  // a signal would come a little later
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(childSignals, 0);
  for (int signal = 1; signal < NSIG; ++signal) EXPECT_EQ(sigismember(&blocked, signal), sigismember(&after, signal));
}

TEST_F(KernelBuildersTest, NothingIsStartedForNothing) {
  const KernelBuilders builders(program("exit 0"), "/cache", 16);
  EXPECT_TRUE(builders.build({}, 10).empty());
}

// Its end is that of a process that could not build.
TEST_F(KernelBuildersTest, AProgramThatCannotBeStartedIsNotWaitedFor) {
  const KernelBuilders builders("/nowhere/muster-kernels", "/cache", 16);
  EXPECT_EQ(builders.build(kernels_, 10).size(), kernels_.size());
}

TEST(KernelBuilders, WhatTheyTake) {
  const KernelBuilders builders("/p", "/c", 16);
  EXPECT_NEAR(builders.seconds(1), 0.71, 1e-9);
  EXPECT_NEAR(builders.seconds(39), 0.5 + 0.4 + 10 * 0.11, 1e-9);
}

TEST(KernelBuilders, HowMany) {
  EXPECT_EQ(KernelBuilders::processes(1, 16), 1U);
  EXPECT_EQ(KernelBuilders::processes(3, 16), 3U);
  EXPECT_EQ(KernelBuilders::processes(39, 16), 4U);
  EXPECT_EQ(KernelBuilders::processes(172, 16), 8U);
  EXPECT_EQ(KernelBuilders::processes(172, 1), 1U);
}

}  // namespace
}  // namespace muster::rt
