// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGEV_THREAD: the C library starts threads that call a function of the program, with all signals blocked, also
// SIGSEGV, and nothing of ours between. So the function is replaced by one that unblocks it first.
#pragma once

#include <signal.h>

namespace muster::rt {

// Replaces the function, if there is one. The record of it is kept for good: the C library does not say when the last
// thread has used it.
void letFaultsThrough(sigevent& event);

}  // namespace muster::rt
