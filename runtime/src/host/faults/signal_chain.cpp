// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's SIGSEGV action and how it is called: with its mask, its flags and its kind of arguments.
#include "host/faults/signal_chain.h"

#include <pthread.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "host/system/next_symbol.h"
#include "host/system/signal_mask.h"

// For debuggers (tools/muster.gdb): a fault that is the program's own comes by here.
#pragma GCC visibility push(default)
extern "C" void muster_program_fault();
#pragma GCC visibility pop
extern "C" __attribute__((noinline)) void muster_program_fault() { __asm__ volatile(""); }

namespace muster::rt {

namespace {

constinit NextSymbol<decltype(sigaction)> systemSigaction("sigaction");

// The program's action. Read in signal handlers while another thread changes it: a new one is written to another slot
// and then published. Slots come round again only after many changes.
struct sigaction actions[16];
std::atomic<unsigned> current{0};
std::atomic<bool> installed{false};

const struct sigaction& programAction() { return actions[current.load(std::memory_order_acquire) % 16]; }

void setProgramAction(const struct sigaction& action) {
  const unsigned next = current.load(std::memory_order_relaxed) + 1;
  actions[next % 16] = action;
  current.store(next, std::memory_order_release);
}

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
  struct sigaction before{};
  if (systemSigaction.get()(SIGSEGV, nullptr, &before) == 0) {
    setProgramAction(before);
    // First, so that what a driver's thread sets meanwhile is taken for the program's, and not in place of ours.
    installed.store(true, std::memory_order_release);
    if (systemSigaction.get()(SIGSEGV, &action, nullptr) == 0) return Status::success();
    installed.store(false, std::memory_order_release);
  }
  return {Errc::internal, std::string("installing the SIGSEGV handler failed: ") + std::strerror(errno)};
}

void removeSegvHandler(SignalAction handler) {
  if (!installed.exchange(false)) return;
  struct sigaction now{};
  systemSigaction.get()(SIGSEGV, nullptr, &now);
  // Somebody may have gone past the C library.
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler) {
    systemSigaction.get()(SIGSEGV, &programAction(), nullptr);
  }
}

bool exchangeProgramSegvAction(const struct sigaction* action, struct sigaction* old) {
  if (!installed.load(std::memory_order_acquire)) return false;
  const struct sigaction before = programAction();
  if (action != nullptr) setProgramAction(*action);
  if (old != nullptr) *old = before;
  return true;
}

bool segvWouldEndProcess() { return !isHandler(programAction()); }

void passOnSegv(int signal, siginfo_t* info, void* context) {
  muster_program_fault();
  const bool sentByProcess = info->si_code <= 0;
  const struct sigaction action = programAction();
  // A fault with SIGSEGV blocked ends a program whatever its action is.
  const bool blocked = sigismember(&static_cast<const ucontext_t*>(context)->uc_sigmask, kSegvStandIn) == 1;
  if (isHandler(action) && (sentByProcess || !blocked)) {
    if ((action.sa_flags & SA_RESETHAND) != 0) {
      struct sigaction defaultAction{};
      defaultAction.sa_handler = SIG_DFL;
      setProgramAction(defaultAction);
    }
    callHandler(action, signal, info, context);
    return;
  }
  // The kernel does not let a program ignore its own fault, only signals that were sent.
  if (sentByProcess && action.sa_handler == SIG_IGN) return;
  struct sigaction defaultAction{};
  defaultAction.sa_handler = SIG_DFL;
  systemSigaction.get()(SIGSEGV, &defaultAction, nullptr);
  // A fault happens again when we return, now with the default action; a sent signal has to be sent again.
  if (sentByProcess) raise(signal);
}

}  // namespace muster::rt
