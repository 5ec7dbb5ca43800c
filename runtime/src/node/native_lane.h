// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NativeLane: a thread that computes chunks natively, one after the other, while the rank goes on with commands that
// have nothing to do with them. It starts with the first of them, and has OpenMP threads of its own.
//
// Thread-safety: calls come from one thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "muster/cdm/status.h"

namespace muster::rt {

class NativeLane {
 public:
  // Tasks count from 1.
  using Number = std::uint64_t;

  NativeLane() = default;
  ~NativeLane();  // after all tasks
  NativeLane(const NativeLane&) = delete;
  NativeLane& operator=(const NativeLane&) = delete;

  Result<Number> run(std::function<Status()> task);
  // What came of it; none while it is not done. The first error is that of all later tasks, which do not run.
  [[nodiscard]] bool isDone(Number task) const { return done_.load(std::memory_order_acquire) >= task; }
  [[nodiscard]] Status wait(Number task);

 private:
  static void* enter(void* self);
  void serve();

  bool running_ = false;
  pthread_t thread_{};
  std::atomic<Number> done_{0};
  std::mutex mutex_;  // of what follows
  std::deque<std::function<Status()>> tasks_;
  Number posted_ = 0;
  bool ending_ = false;
  Status status_;
  std::condition_variable work_, doneSignal_;
};

}  // namespace muster::rt
