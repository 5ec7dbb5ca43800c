// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The previous SIGSEGV action and how it is called: with its mask, its flags and its kind of arguments.
#include "host/signal_chain.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace muster::rt {

namespace {

// Written before our handler is in place, read by it afterwards.
struct sigaction previousAction;

bool isHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void callHandler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  sigset_t mask = action.sa_mask;
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, signal);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Status installSegvHandler(SignalAction handler) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  sigemptyset(&action.sa_mask);
  // NODEFER: a handler of another signal may run while we wait for a page, and may need one itself. ONSTACK: a thread
  // that has an alternate stack wants its faults handled there.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  if (sigaction(SIGSEGV, nullptr, &previousAction) != 0 || sigaction(SIGSEGV, &action, nullptr) != 0) {
    return {Errc::internal, std::string("installing the SIGSEGV handler failed: ") + std::strerror(errno)};
  }
  return Status::success();
}

void removeSegvHandler(SignalAction handler) {
  struct sigaction current{};
  sigaction(SIGSEGV, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == handler) {
    sigaction(SIGSEGV, &previousAction, nullptr);
  }
}

bool segvWouldEndProcess() { return !isHandler(previousAction); }

void passOnSegv(int signal, siginfo_t* info, void* context) {
  const bool sentByProcess = info->si_code <= 0;
  if (isHandler(previousAction)) {
    const struct sigaction action = previousAction;
    if ((action.sa_flags & SA_RESETHAND) != 0) {
      previousAction = {};
      previousAction.sa_handler = SIG_DFL;
    }
    callHandler(action, signal, info, context);
    return;
  }
  // The kernel does not let a program ignore its own fault, only signals that were sent.
  if (sentByProcess && previousAction.sa_handler == SIG_IGN) return;
  struct sigaction defaultAction{};
  defaultAction.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &defaultAction, nullptr);
  // A fault happens again when we return, now with the default action; a sent signal has to be sent again.
  if (sentByProcess) raise(signal);
}

}  // namespace muster::rt
