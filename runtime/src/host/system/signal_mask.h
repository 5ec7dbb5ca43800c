// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signal masks as the program gives and sees them, and as the system keeps them (interpose_signal.cpp says why). All
// of it is async-signal-safe.
#pragma once

#include <signal.h>

namespace muster::rt {

// Stands for SIGSEGV in the system's masks.
inline constexpr int kSegvStandIn = SIGSTKFLT;

inline sigset_t keptBySystem(sigset_t mask, int how = SIG_SETMASK) {
  if (sigismember(&mask, SIGSEGV) != 1) return mask;
  if (how != SIG_UNBLOCK) sigdelset(&mask, SIGSEGV);
  sigaddset(&mask, kSegvStandIn);
  return mask;
}

inline sigset_t shownToProgram(sigset_t mask) {
  if (sigismember(&mask, kSegvStandIn) == 1) sigaddset(&mask, SIGSEGV);
  return mask;
}

// A mask that the program gives for a call; nullptr stays nullptr.
class SystemMask {
 public:
  explicit SystemMask(const sigset_t* mask, int how = SIG_SETMASK) : given_(mask != nullptr) {
    if (given_) mask_ = keptBySystem(*mask, how);
  }
  operator const sigset_t*() const { return given_ ? &mask_ : nullptr; }

 private:
  bool given_;
  sigset_t mask_;
};

// Where the calling thread has SIGSEGV blocked, the stand-in takes its place.
void letSegvThrough();

}  // namespace muster::rt
