// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "muster/cdm/parts.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/topology.h"
#include "muster/cdm/own_signals.h"

namespace muster::cdm {
namespace {

constexpr unsigned kMostThreads = 8;
constexpr std::size_t kPart = std::size_t{256} << 10;  // of a copy: some 40 us of one thread
constexpr std::size_t kLeast = std::size_t{1} << 20;   // a shorter copy is over before the others are awake

using Work = std::function<void(std::size_t lo, std::size_t hi)>;

std::atomic<bool> isChild{false};

// That this process may use: each thread of it may be bound to one.
const std::set<std::uint32_t>& processors() {
  static const auto& known = *new std::set(allowedThreads(getpid()));
  return known;
}

// Threads that wait for parts. Those that wake up when all parts are taken are not waited for.
class Team {
 public:
  Team() {
    const OwnSignalsOnly starting;
    try {
      for (; helpers_ + 1 < threadsOfParts(); ++helpers_) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {  // no more threads: as many as there are
    }
    pthread_atfork(nullptr, nullptr, [] { isChild.store(true, std::memory_order_relaxed); });
  }

  // Never destroyed: its threads outlive static objects.
  static Team& instance() {
    static Team& team = *new Team;
    return team;
  }

  void run(std::size_t bytes, std::size_t part, const Work& work) {
    const std::unique_lock owner(owner_, std::try_to_lock);
    if (!owner || helpers_ == 0 || isChild.load(std::memory_order_relaxed)) {
      for (std::size_t lo = 0; lo < bytes; lo += part) work(lo, std::min(bytes, lo + part));
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      bytes_ = bytes;
      part_ = part;
      next_.store(0, std::memory_order_relaxed);
      ++round_;
    }
    wake_.notify_all();
    takeParts(work);
    std::unique_lock lock(mutex_);
    work_ = nullptr;
    done_.wait(lock, [this] { return atWork_ == 0; });
  }

 private:
  void takeParts(const Work& work) {
    for (std::size_t lo = next_.fetch_add(part_); lo < bytes_; lo = next_.fetch_add(part_))
      work(lo, std::min(bytes_, lo + part_));
  }

  void help() {
    pthread_setname_np(pthread_self(), "muster-copy");
    spread();
    unsigned seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return work_ != nullptr && round_ != seen; });
      seen = round_;
      ++atWork_;
      const Work& work = *work_;  // which the owner forgets once all parts are taken, and not done yet
      lock.unlock();
      takeParts(work);
      lock.lock();
      if (--atWork_ == 0) done_.notify_one();
    }
  }

  // The thread that starts this one may be bound to one processor (OMP_PROC_BIND).
  static void spread() {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const std::uint32_t processor : processors())
      if (processor < CPU_SETSIZE) CPU_SET(processor, &all);
    (void)sched_setaffinity(0, sizeof all, &all);  // it stays where it is, and helps less
  }

  std::mutex owner_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Work* work_ = nullptr;        // under the lock; nullptr: all parts are taken
  std::size_t bytes_ = 0, part_ = 0;  // constant while somebody is at work
  unsigned round_ = 0, atWork_ = 0;
  std::atomic<std::size_t> next_{0};
  unsigned helpers_ = 0;
};

}  // namespace

unsigned threadsOfParts() {
  return static_cast<unsigned>(std::clamp<std::size_t>(processors().size(), 1, kMostThreads));
}

void inParts(std::size_t bytes, std::size_t part, const Work& work) { Team::instance().run(bytes, part, work); }

void copyInParts(void* to, const void* from, std::size_t bytes) {
  if (bytes < kLeast) {
    if (bytes > 0) std::memcpy(to, from, bytes);  // pointers to nothing may be null
    return;
  }
  inParts(bytes, kPart, [to, from](std::size_t lo, std::size_t hi) {
    std::memcpy(static_cast<std::byte*>(to) + lo, static_cast<const std::byte*>(from) + lo, hi - lo);
  });
}

void copyRows(std::byte* to, std::size_t toPitch, const std::byte* from, std::size_t fromPitch, std::size_t bytes,
              std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * toPitch, from + i * fromPitch, bytes);
}

}  // namespace muster::cdm
