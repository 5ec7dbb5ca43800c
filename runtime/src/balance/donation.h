// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Donation: which of the program's threads have a device, while several of them launch loops at once; the others
// compute theirs on their cores (Grossman et al., Scheduling a Kirchhoff migration on heterogeneous platforms, section
// 4.1). A thread that has a device looks now and then whether one without has more work, and gives the device to it. A
// thread's work is how long its launches are, in the seconds that they would take on a core. Nobody waits for anybody:
// what a thread was given it finds when it looks.
//
// Beyond the paper, a thread gives a device back on which it gets less done than on its core, and takes none for
// launches of that length for a while.
//
// It knows no clock and no device. Not thread-safe, but for what launching() leads to.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace muster::rt {

class Donation {
 public:
  struct Options {
    std::size_t devices = 0;
    std::size_t threadsOfDevice = 2;  // so many share one: while one of them does something else, the other one uses it
    bool donates = true;              // false: who has a device keeps it as long as it lives
  };
  // What a thread did since it looked the last time.
  struct Progress {
    double work = 0;      // seconds that one of its launches takes on a core, about
    double done = 0;      // seconds that all of them take on a core
    bool isCold = false;  // some of them did what is done once, as building a kernel
  };
  using Thread = std::size_t;

  explicit Donation(Options options) : options_(options), devices_(options.devices) {}

  [[nodiscard]] Thread join();
  // It ends, or launches no more.
  void leave(Thread thread);
  // The thread looks, at `now` in seconds: the device that its launches are for from now on; nullopt: its core.
  std::optional<std::size_t> look(Thread thread, const Progress& progress, double now);
  // The thread is inside of a launch, and cannot look: for the thread to say, at any time until it leaves.
  [[nodiscard]] std::atomic<bool>& launching(Thread thread) { return threads_[thread].launching; }

  // How often a device went from a thread that had more to do yet to another one.
  [[nodiscard]] std::size_t donations() const { return donations_; }

 private:
  struct Window {
    double began = -1, done = 0;  // began < 0: with the next look
  };
  struct Member {
    bool joined = true;
    std::atomic<bool> launching{false};
    double work = 0, seen = 0;
    std::optional<std::size_t> device;
    Window window;      // on this device, or on its core
    double onCore = 0;  // seconds of launches that it gets done there in a second; 0: not known
  };
  struct Device {
    double least = 0, since = 0;  // work of launches that it was not worth, at that time
    // Forgotten little by little: other threads' launches may have been in the way.
    [[nodiscard]] double leastWork(double now) const;
  };
  void note(Member& self, const Progress& progress, double now);
  [[nodiscard]] bool isInVain(Member& self);
  [[nodiscard]] bool mayTake(const Member& self, std::size_t device, double now) const;
  [[nodiscard]] std::size_t holdersOf(std::size_t device) const;
  [[nodiscard]] bool isGone(const Member& member, double now) const;
  [[nodiscard]] Member* needier(const Member& self, double now);
  void takeDevice(Member& self, double now);
  static void give(Member& member, std::optional<std::size_t> device);

  Options options_;
  std::vector<Device> devices_;
  std::deque<Member> threads_;  // whose addresses stay
  double onCore_ = 0;           // as Member's, of the last thread for which it became known
  std::size_t donations_ = 0;
};

}  // namespace muster::rt
