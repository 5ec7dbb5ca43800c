// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SessionUse: while it lives, the calling thread uses what the program's session owns. Another thread may call exit()
// meanwhile: the end of the session first takes itself away from where threads look for it, and then waits for those
// that have found it. Whoever uses it looks for it after that has begun. Any thread; several may be nested.
#pragma once

#include <sched.h>

#include <atomic>

namespace muster::rt {

class SessionUse {
 public:
  SessionUse() {
    all_.fetch_add(1);
    ++own_;
  }
  ~SessionUse() {
    --own_;
    all_.fetch_sub(1);
  }
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;

  // Those of other threads.
  static void await() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    while (all_.load() > own_) sched_yield();
  }

 private:
  static inline std::atomic<int> all_{0};
  static inline thread_local int own_ = 0;
};

}  // namespace muster::rt
