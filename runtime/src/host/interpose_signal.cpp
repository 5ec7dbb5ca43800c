// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sigaction and signal for SIGSEGV: a crash handler that the program installs after the session began goes behind ours,
// or the first access to a protected page would look like a crash. Other signals pass through.
#include <signal.h>

#include "host/interpose.h"
#include "host/signal_chain.h"

extern "C" {

#pragma GCC visibility push(default)

int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  if (number == SIGSEGV && muster::rt::exchangeProgramSegvAction(action, old)) return 0;
  static constinit muster::rt::NextSymbol<decltype(sigaction)> next("sigaction");
  return next.get()(number, action, old);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  struct sigaction old{};
  if (number == SIGSEGV && muster::rt::exchangeProgramSegvAction(&action, &old)) return old.sa_handler;
  static constinit muster::rt::NextSymbol<decltype(signal)> next("signal");
  return next.get()(number, handler);
}

#pragma GCC visibility pop

}  // extern "C"
