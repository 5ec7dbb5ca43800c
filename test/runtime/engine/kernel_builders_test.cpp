// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that build, with a program in their place that keeps what it is asked for.
#include "engine/kernel_builders.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

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
  KernelBuilders builders(program("cat > " + folder_.string() + "/$$.json"), "/cache", 16, kernels_);
  EXPECT_EQ(builders.running(), 3U);
  builders.wait();
  EXPECT_EQ(builders.running(), 0U);
  EXPECT_EQ(namesAsked().size(), kernels_.size());
}

TEST_F(KernelBuildersTest, TheProgramSeesNothingOfThem) {
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { ++childSignals; };
  sigaction(SIGCHLD, &handler, &before);
  sigset_t blocked, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  {
    const KernelBuilders builders(program("exit 3"), "/cache", 16, kernels_);
    errno = 0;
    EXPECT_EQ(wait(nullptr), -1);
    EXPECT_EQ(errno, ECHILD);
  }
  usleep(50000);  // a signal would come a little later
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(childSignals, 0);
  for (int signal = 1; signal < NSIG; ++signal) EXPECT_EQ(sigismember(&blocked, signal), sigismember(&after, signal));
}

TEST_F(KernelBuildersTest, NothingIsStartedWithoutAProgramOrACache) {
  EXPECT_EQ(KernelBuilders("", "/cache", 16, kernels_).running(), 0U);
  EXPECT_EQ(KernelBuilders(program("exit 0"), "", 16, kernels_).running(), 0U);
  EXPECT_EQ(KernelBuilders(program("exit 0"), "/cache", 16, {}).running(), 0U);
}

// Its end is that of a process that could not build.
TEST_F(KernelBuildersTest, AProgramThatCannotBeStartedIsWaitedFor) {
  KernelBuilders builders("/nowhere/muster-kernels", "/cache", 16, kernels_);
  builders.wait();
  EXPECT_EQ(builders.running(), 0U);
}

TEST(KernelBuilders, HowManyPay) {
  EXPECT_EQ(KernelBuilders::processes(3, 16), 0U);
  EXPECT_EQ(KernelBuilders::processes(40, 16), 5U);
  EXPECT_EQ(KernelBuilders::processes(172, 16), 8U);  // half of the hardware's threads
  EXPECT_EQ(KernelBuilders::processes(172, 1), 1U);
  double last = 0;
  for (std::size_t kernels = 0; kernels < 400; ++kernels) {
    const double now = KernelBuilders::seconds(kernels, 16);
    EXPECT_GE(now, last) << kernels;
    EXPECT_LE(now, 0.075 * static_cast<double>(kernels) + 1e-9) << kernels;
    last = now;
  }
}

}  // namespace
}  // namespace muster::rt
