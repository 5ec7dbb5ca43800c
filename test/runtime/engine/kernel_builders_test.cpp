// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that build, with a program in their place that keeps what it is asked for.
#include "engine/kernel_builders.h"

#include <fcntl.h>
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

void waitFor(KernelBuilders& builders, const std::vector<KernelToBuild>& kernels) {
  while (!builders.have(kernels)) usleep(1000);
}

TEST_F(KernelBuildersTest, TheProcessesShareTheKernelsOut) {
  KernelBuilders builders(program("cat > " + folder_.string() + "/$$.json"), "/cache", 16);
  EXPECT_FALSE(builders.have(kernels_));
  EXPECT_EQ(builders.running(), 2U);
  waitFor(builders, kernels_);
  EXPECT_EQ(builders.running(), 0U);
  EXPECT_EQ(namesAsked().size(), kernels_.size());
  EXPECT_TRUE(builders.have(kernels_)) << "they are asked for once";
  EXPECT_EQ(namesAsked().size(), kernels_.size());
}

TEST_F(KernelBuildersTest, TheyUseWhatTheProgramLeaves) {
  KernelBuilders builders(program("nice > " + folder_.string() + "/nice"), "/cache", 16);
  waitFor(builders, kernels_);
  int nice = 0;
  std::ifstream(folder_ / "nice") >> nice;
  EXPECT_EQ(nice, 19);
}

TEST_F(KernelBuildersTest, TheProgramSeesNothingOfThem) {
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { ++childSignals; };
  sigaction(SIGCHLD, &handler, &before);
  sigset_t blocked, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  KernelBuilders builders(program("exit 3"), "/cache", 16);
  EXPECT_FALSE(builders.have(kernels_));
  errno = 0;
  EXPECT_EQ(wait(nullptr), -1);
  EXPECT_EQ(errno, ECHILD);
  waitFor(builders, kernels_);
  usleep(50000);  // a signal would come a little later
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(childSignals, 0);
  for (int signal = 1; signal < NSIG; ++signal) EXPECT_EQ(sigismember(&blocked, signal), sigismember(&after, signal));
}

// As a program does that becomes a daemon.
TEST_F(KernelBuildersTest, TheProgramMayCloseTheirFiles) {
  KernelBuilders builders(program("sleep 10"), "/cache", 16);
  const int first = dup(STDOUT_FILENO);
  close(first);
  EXPECT_FALSE(builders.have(kernels_));
  for (int file = first; file < first + 8; ++file) close(file);
  const int own = dup(STDOUT_FILENO);
  EXPECT_TRUE(builders.have(kernels_));
  EXPECT_EQ(fcntl(own, F_GETFD), 0) << "the program's own file is open yet";
  close(own);
}

TEST_F(KernelBuildersTest, NothingIsStartedForNothing) {
  KernelBuilders builders(program("exit 0"), "/cache", 16);
  EXPECT_TRUE(builders.have({}));
}

// Its end is that of a process that could not build.
TEST_F(KernelBuildersTest, AProgramThatCannotBeStartedIsNotWaitedFor) {
  KernelBuilders builders("/nowhere/muster-kernels", "/cache", 16);
  waitFor(builders, kernels_);
  EXPECT_EQ(builders.running(), 0U);
}

TEST(KernelBuilders, HowMany) {
  EXPECT_EQ(KernelBuilders::processes(1, 16), 1U);
  EXPECT_EQ(KernelBuilders::processes(9, 16), 2U);
  EXPECT_EQ(KernelBuilders::processes(172, 16), 4U);
  EXPECT_EQ(KernelBuilders::processes(172, 1), 1U);
}

}  // namespace
}  // namespace muster::rt
