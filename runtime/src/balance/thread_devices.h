// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads of the program compute their loops while several of them launch at once, each from inside of one
// parallel region, where OpenMP gives every one of these loops one thread: on the thread's core, or on the device that
// the thread has (balance/donation.h).
//
// Thread-safety: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/config.h"
#include "report/report.h"

namespace muster::rt {

class ThreadDevices {
  struct Kernel;
  struct Shared;
  class Member;

 public:
  // devices: in the job's table; the first 64 of them.
  ThreadDevices(ThreadMode mode, std::vector<std::uint32_t> devices);
  ~ThreadDevices();

  // Launches of threads that may launch beside others, while they go on.
  class Nested {
   public:
    explicit Nested(const ThreadDevices& devices);
    ~Nested();
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    const std::shared_ptr<Shared> shared_;
  };
  // Threads launched at once, now or before: each loop is one thread's from then on.
  [[nodiscard]] bool areSeveral() const;

  // One launch of the calling thread.
  class Launch {
   public:
    Launch(ThreadDevices& devices, std::uint64_t kernel, std::int64_t iterations);
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    // nullopt: its core.
    [[nodiscard]] std::optional<std::uint32_t> device() const { return device_; }
    // It cannot run there, and does so on the core.
    void stayOnCore();
    // Counted from 0, and used again once the thread has ended.
    [[nodiscard]] std::size_t thread() const;

   private:
    const std::shared_ptr<Shared> shared_;
    Member& self_;
    Kernel& kernel_;
    const double iterations_;
    std::int64_t beganNs_;
    std::optional<std::uint32_t> device_;
    bool wasRefused_ = false;
    bool isCold_ = false;
  };

  [[nodiscard]] Report::ThreadLaunches counts() const;

 private:
  [[nodiscard]] Member& self();

  const std::shared_ptr<Shared> shared_;  // also of threads that have not ended yet, and of launches that go on
};

}  // namespace muster::rt
