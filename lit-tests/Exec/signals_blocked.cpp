// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed arrays where SIGSEGV is blocked: helper threads, handlers, critical sections, calls that wait with another
// mask, contexts, crash handlers. The program sees the masks that it set. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

static const int n = 20000;
static double *a;
static long round_ = 0;
static volatile double seen;
static std::atomic<bool> called;

// The newest values are on the devices.
static void step() {
  const long k = ++round_;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i % 100 + k;
}
static double sum() {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}
static void show(const char *what, double value) { std::printf("%-24s %g\n", what, value); }
static sigset_t all() {
  sigset_t mask;
  sigfillset(&mask);
  return mask;
}
static bool segvBlocked() {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, SIGSEGV) == 1;
}
static void onUser(int) {
  seen = sum() + segvBlocked();
  called = true;
}
static void notified(sigval) { onUser(0); }

static void threads() {
  step();
  sigset_t full = all(), old;
  pthread_sigmask(SIG_BLOCK, &full, &old);
  std::thread helper([] { seen = sum() + segvBlocked(); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  helper.join();
  show("thread that inherits", seen);
  std::printf("blocked afterwards: %d\n", segvBlocked());

  step();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setsigmask_np(&attributes, &full);
  pthread_t thread;
  pthread_create(&thread, &attributes, [](void *) -> void * { seen = sum() + segvBlocked(); return nullptr; }, nullptr);
  pthread_join(thread, nullptr);
  show("thread with a mask", seen);

  step();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notified;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec soon{{0, 0}, {0, 1000000}};
  called = false;
  timer_settime(timer, 0, &soon, nullptr);
  while (!called) usleep(1000);
  timer_delete(timer);
  show("thread of a timer", seen);
}

static void sections() {
  sigset_t full = all(), old;
  step();
  sigprocmask(SIG_BLOCK, &full, &old);
  show("critical section", sum() + segvBlocked());
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGSEGV);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  std::printf("unblocked: %d\n", segvBlocked());
  sigprocmask(SIG_SETMASK, &old, nullptr);
  step();
  sighold(SIGSEGV);
  show("sighold", sum() + segvBlocked());
  sigrelse(SIGSEGV);
  step();
  const int before = sigblock(~0);
  show("sigblock", sum() + segvBlocked());
  sigsetmask(before);
  std::printf("blocked afterwards: %d\n", segvBlocked());
}

static void handlers() {
  struct sigaction action{}, back{};
  action.sa_handler = onUser;
  action.sa_mask = all();
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR1, nullptr, &back);
  std::printf("sa_mask: %d\n", sigismember(&back.sa_mask, SIGSEGV));
  step();
  raise(SIGUSR1);
  show("handler", seen);

  // Its own mask is empty; the call's is not.
  action.sa_mask = {};
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t user, old, waiting = all();
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  sigdelset(&waiting, SIGUSR1);
  sigprocmask(SIG_BLOCK, &user, &old);
  const timespec long_{10, 0};
  const auto wait = [&](const char *name, auto call) {
    step();
    raise(SIGUSR1);
    seen = 0;
    call();
    show(name, seen);
  };
  wait("sigsuspend", [&] { sigsuspend(&waiting); });
  wait("ppoll", [&] { ppoll(nullptr, 0, &long_, &waiting); });
  wait("pselect", [&] { pselect(0, nullptr, nullptr, nullptr, &long_, &waiting); });
  const int poll = epoll_create1(0);
  epoll_event event;
  wait("epoll_pwait", [&] { epoll_pwait(poll, &event, 1, 10000, &waiting); });
  close(poll);
  sigprocmask(SIG_SETMASK, &old, nullptr);
}

static ucontext_t here, there;
static char stack[1 << 18];
static void elsewhere() { seen = sum() + segvBlocked(); }
static void contexts() {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  there.uc_sigmask = all();
  makecontext(&there, elsewhere, 0);
  step();
  swapcontext(&here, &there);
  show("context", seen);
  std::printf("blocked afterwards: %d\n", segvBlocked());
}

static sigjmp_buf before;
static void onCrash(int) {
  seen = sum() + segvBlocked();
  siglongjmp(before, 1);
}
template <class Install>
static void crash(const char *name, Install install) {
  step();
  install();
  if (sigsetjmp(before, 1) == 0) {
    *(volatile int *)8 = 1;
    std::printf("never\n");
  }
  show(name, seen);
  std::printf("blocked afterwards: %d\n", segvBlocked());
}

int main() {
#pragma ompx managed(a)
  a = new double[n];
  threads();
  sections();
  handlers();
  contexts();
  crash("crash, signal", [] { signal(SIGSEGV, onCrash); });
  crash("crash, sysv_signal", [] { sysv_signal(SIGSEGV, onCrash); });
  crash("crash, sigset", [] { sigset(SIGSEGV, onCrash); });
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_mask = all();
  crash("crash, sigaction", [&] { sigaction(SIGSEGV, &action, nullptr); });
  sigignore(SIGSEGV);
  step();
  show("ignored", sum());
  delete[] a;
}
