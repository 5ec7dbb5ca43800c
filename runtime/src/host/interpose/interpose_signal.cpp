// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals, so that an access to a protected page is served wherever the program stands.
//
// Actions for SIGSEGV: a crash handler that the program installs after the session began goes behind ours, or the first
// access to a protected page would look like a crash.
//
// Masks: a fault while SIGSEGV is blocked ends the process, and programs block all signals in helper threads, handlers
// and critical sections. So SIGSEGV is never blocked; SIGSTKFLT, which nothing sends, is blocked in its place, and is
// shown as SIGSEGV again to who asks. So the system keeps the program's wish with everything else in the mask: through
// handlers, jumps out of them, contexts and new threads.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <ucontext.h>

#include "host/faults/signal_chain.h"
#include "host/interpose/call_arguments.h"
#include "host/interpose/interpose.h"
#include "host/system/signal_mask.h"
#include "muster/abi.h"

namespace {

using muster::rt::exchangeProgramSegvAction;
using muster::rt::keptBySystem;
using muster::rt::NextSymbol;
using muster::rt::shownToProgram;
using muster::rt::SystemMask;

sighandler_t setHandler(int number, sighandler_t handler, int flags) {
  struct sigaction action{}, old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

void prepareBytes(const void* buffer, std::size_t bytes) {
  muster::rt::prepareBytes(reinterpret_cast<long>(buffer), bytes, MUSTER_READ | MUSTER_WRITE);
}

// One bit for each of the first signals.
sigset_t setOf(int bits) {
  sigset_t mask;
  sigemptyset(&mask);
  for (int number = 1; number <= 32; ++number) {
    if ((static_cast<unsigned>(bits) >> (number - 1) & 1) != 0) sigaddset(&mask, number);
  }
  return mask;
}
int bitsOf(const sigset_t& mask) {
  unsigned bits = 0;
  for (int number = 1; number <= 32; ++number) {
    if (sigismember(&mask, number) == 1) bits |= 1U << (number - 1);
  }
  return static_cast<int>(bits);
}
int changeMask(int how, const sigset_t& mask) {
  sigset_t before;
  return sigprocmask(how, &mask, &before) == 0 ? bitsOf(before) : -1;
}

}  // namespace

namespace muster::rt {

void letSegvThrough() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  if (sigismember(&mask, SIGSEGV) == 1) pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

}  // namespace muster::rt

extern "C" {

#pragma GCC visibility push(default)

// ---------------------------------------------------------------- actions

int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  if (number == SIGSEGV && exchangeProgramSegvAction(action, old)) return 0;
  struct sigaction kept{};
  if (action != nullptr) {
    kept = *action;
    kept.sa_mask = keptBySystem(kept.sa_mask);
  }
  const int result = MUSTER_NEXT(sigaction)(number, action != nullptr ? &kept : nullptr, old);
  if (result == 0 && old != nullptr) old->sa_mask = shownToProgram(old->sa_mask);
  return result;
}
int __sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  return sigaction(number, action, old);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  return number == SIGSEGV ? setHandler(number, handler, SA_RESTART) : MUSTER_NEXT(signal)(number, handler);
}
sighandler_t bsd_signal(int number, sighandler_t handler) noexcept { return signal(number, handler); }
sighandler_t ssignal(int number, sighandler_t handler) noexcept { return signal(number, handler); }
// What signal() is in programs of strict ISO C.
sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return setHandler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
sighandler_t sysv_signal(int number, sighandler_t handler) noexcept { return __sysv_signal(number, handler); }

sighandler_t sigset(int number, sighandler_t handler) noexcept {
  if (number != SIGSEGV) return MUSTER_NEXT(sigset)(number, handler);
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, number);
  struct sigaction old{};
  if (sigaction(number, nullptr, &old) != 0) return SIG_ERR;
  if (handler != SIG_HOLD && setHandler(number, handler, 0) == SIG_ERR) return SIG_ERR;
  if (sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &only, &before) != 0) return SIG_ERR;
  return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}
int sigignore(int number) noexcept { return setHandler(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0; }

// ---------------------------------------------------------------- masks

int pthread_sigmask(int how, const sigset_t* mask, sigset_t* old) noexcept {
  const int result = MUSTER_NEXT(pthread_sigmask)(how, SystemMask(mask, how), old);
  if (result == 0 && old != nullptr) *old = shownToProgram(*old);
  return result;
}
int sigprocmask(int how, const sigset_t* mask, sigset_t* old) noexcept {
  const int result = MUSTER_NEXT(sigprocmask)(how, SystemMask(mask, how), old);
  if (result == 0 && old != nullptr) *old = shownToProgram(*old);
  return result;
}
int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* mask) {
  return MUSTER_NEXT(pthread_attr_setsigmask_np)(attributes, SystemMask(mask));
}
int pthread_attr_getsigmask_np(const pthread_attr_t* attributes, sigset_t* mask) {
  const int result = MUSTER_NEXT(pthread_attr_getsigmask_np)(attributes, mask);
  if (result == 0) *mask = shownToProgram(*mask);
  return result;
}

int sigblock(int bits) noexcept { return changeMask(SIG_BLOCK, setOf(bits)); }
int sigsetmask(int bits) noexcept { return changeMask(SIG_SETMASK, setOf(bits)); }
int siggetmask() noexcept { return sigblock(0); }
int sighold(int number) noexcept {
  sigset_t only;
  sigemptyset(&only);
  return sigaddset(&only, number) != 0 ? -1 : sigprocmask(SIG_BLOCK, &only, nullptr);
}
int sigrelse(int number) noexcept {
  sigset_t only;
  sigemptyset(&only);
  return sigaddset(&only, number) != 0 ? -1 : sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

// ---------------------------------------------------------------- masks while a call waits

int sigsuspend(const sigset_t* mask) { return MUSTER_NEXT(sigsuspend)(SystemMask(mask)); }
int __sigsuspend(const sigset_t* mask) { return sigsuspend(mask); }
// POSIX's (__xpg_sigpause) takes a signal away from the system's mask, which has no SIGSEGV.
#undef sigpause
int muster_sigpause(int bits) __asm__("sigpause");
int muster_sigpause(int bits) {
  const sigset_t mask = setOf(bits);
  return sigsuspend(&mask);
}

int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  prepareBytes(files, count * sizeof *files);
  return MUSTER_NEXT(ppoll)(files, count, timeout, SystemMask(mask));
}
// ppoll in programs built with _FORTIFY_SOURCE.
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room);
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room) {
  prepareBytes(files, count * sizeof *files);
  return MUSTER_NEXT(__ppoll_chk)(files, count, timeout, SystemMask(mask), room);
}
int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* timeout, const sigset_t* mask) {
  for (fd_set* set : {read, write, except}) prepareBytes(set, sizeof *set);
  return MUSTER_NEXT(pselect)(count, read, write, except, timeout, SystemMask(mask));
}
int epoll_pwait(int file, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  prepareBytes(events, static_cast<std::size_t>(most) * sizeof *events);
  return MUSTER_NEXT(epoll_pwait)(file, events, most, timeout, SystemMask(mask));
}
#if __GLIBC_PREREQ(2, 35)
int epoll_pwait2(int file, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask) {
  prepareBytes(events, static_cast<std::size_t>(most) * sizeof *events);
  return MUSTER_NEXT(epoll_pwait2)(file, events, most, timeout, SystemMask(mask));
}
#endif

#pragma GCC visibility pop

}  // extern "C"
