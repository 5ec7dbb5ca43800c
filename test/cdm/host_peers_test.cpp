// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of a host find those that see the same GPUs. Each rank is a process.
#include "muster/cdm/host_peers.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace muster::cdm::test {
namespace {

using std::chrono::milliseconds;

LaunchedPlace localRank(int rank, int size) { return {rank, size, rank, size}; }

std::string uniqueLaunch() {
  static int count = 0;
  return "test " + std::to_string(getpid()) + " " + std::to_string(++count);
}

// "0/2" for each rank: the first of two that see the same. A rank that gives up says nothing.
std::vector<std::string> placesOf(int size, const std::function<std::string(int)>& say) {
  std::vector<std::string> places;
  std::vector<int> pipes;
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const std::string text = say(rank);
      _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    children.push_back(child);
    pipes.push_back(ends[0]);
  }
  for (int rank = 0; rank < size; ++rank) {
    char text[32] = {};
    const ssize_t bytes = read(pipes[rank], text, sizeof text - 1);
    places.emplace_back(text, static_cast<std::size_t>(std::max<ssize_t>(0, bytes)));
    close(pipes[rank]);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return places;
}

// Processes that wait for one another: a rank that has ended says nothing any more.
class Meeting {
 public:
  Meeting()
      : come_(static_cast<std::atomic<int>*>(
            mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Meeting() { munmap(come_, 4096); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  // Until so many calls were made, or a minute has passed.
  void waitFor(int calls) {
    ++*come_;
    for (int i = 0; i < 12000 && *come_ < calls; ++i) usleep(5000);
  }

 private:
  std::atomic<int>* come_;
};

std::string text(HostPeers::Place place) { return std::to_string(place.rank) + "/" + std::to_string(place.size); }

bool hasLeftovers() {
  const std::string start = "muster-" + std::to_string(getuid()) + "-";
  const std::filesystem::directory_iterator names("/dev/shm");
  return std::any_of(begin(names), end(names),
                     [&](const auto& entry) { return entry.path().filename().string().starts_with(start + "7-"); });
}

TEST(HostPeers, ThoseWithTheSameGpusShareThem) {
  const std::string launch = uniqueLaunch();
  const std::vector<std::string> gpus = {"a,b", "a,b", "c", "a,b", "d", "c", "a,b"};
  Meeting all;
  const auto places = placesOf(7, [&](int rank) {
    HostPeers peers(localRank(rank, 7), launch);
    const std::string place = text(peers.amongThoseWith(gpus[rank], milliseconds(60000)));
    all.waitFor(7);
    return place;
  });
  EXPECT_EQ(places, (std::vector<std::string>{"0/4", "1/4", "0/2", "2/4", "0/1", "1/2", "3/4"}));
  EXPECT_FALSE(hasLeftovers());
}

TEST(HostPeers, TheEnvironmentCountsUntilTheGpusAreKnown) {
  const std::string launch = uniqueLaunch();
  Meeting all;
  const auto places = placesOf(3, [&](int rank) {
    setenv("CUDA_VISIBLE_DEVICES", rank == 1 ? "1" : "0", 1);
    HostPeers peers(localRank(rank, 3), launch);
    all.waitFor(3);
    const std::string place = rank == 2 ? text(peers.amongThoseWith("x", milliseconds(0))) : "";
    all.waitFor(6);
    return place;
  });
  EXPECT_EQ(places[2], "1/2");
}

TEST(HostPeers, RanksThatSayNothingCountAsTheSame) {
  {
    HostPeers peers(localRank(1, 7), uniqueLaunch());
    EXPECT_EQ(text(peers.amongThoseWith("a", milliseconds(10))), "1/7");
    EXPECT_TRUE(hasLeftovers());
  }
  EXPECT_FALSE(hasLeftovers());
}

TEST(HostPeers, SlotsOfProcessesThatHaveEndedSayNothing) {
  const std::string launch = uniqueLaunch();
  (void)placesOf(1, [&](int) {
    HostPeers peers(localRank(0, 2), launch);
    return text(peers.amongThoseWith("old", milliseconds(0)));
  });
  HostPeers peers(localRank(1, 2), launch);
  EXPECT_EQ(text(peers.amongThoseWith("new", milliseconds(10))), "1/2");
}

TEST(HostPeers, WhatDeadLaunchesLeftIsTakenAway) {
  namespace fs = std::filesystem;
  const auto files = [] {
    const std::string start = "muster-" + std::to_string(getuid()) + "-9-";
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator("/dev/shm"))
      if (entry.path().filename().string().starts_with(start)) found.push_back(entry.path());
    return found;
  };
  const auto beforehand = files();
  const auto made = [&] {
    std::vector<fs::path> left = files();
    std::erase_if(left, [&](const fs::path& file) { return std::ranges::find(beforehand, file) != beforehand.end(); });
    return left;
  };
  const auto age = [&](std::chrono::seconds by) {
    for (const fs::path& file : made()) fs::last_write_time(file, fs::file_time_type::clock::now() - by);
  };
  const pid_t killed = fork();
  if (killed == 0) {
    const HostPeers peers(localRank(0, 9), "killed " + std::to_string(getpid()));
    _exit(0);  // as by a signal: nothing is cleaned up
  }
  waitpid(killed, nullptr, 0);
  ASSERT_EQ(made().size(), 1u);
  {
    const HostPeers other(localRank(0, 8), uniqueLaunch());
  }
  EXPECT_EQ(made().size(), 1u) << "its ranks may just begin";
  const HostPeers waits(localRank(1, 9), uniqueLaunch());
  ASSERT_EQ(made().size(), 2u);
  age(std::chrono::seconds(100));
  {
    const HostPeers other(localRank(0, 8), uniqueLaunch());
  }
  EXPECT_EQ(made().size(), 1u) << "only that of the process that is there still";
}

TEST(HostPeers, ALaunchHasAName) {
  EXPECT_FALSE(HostPeers::launchName().empty());
  setenv("PMIX_NAMESPACE", "job 7", 1);
  EXPECT_EQ(HostPeers::launchName(), "job 7");
  unsetenv("PMIX_NAMESPACE");
}

}  // namespace
}  // namespace muster::cdm::test
