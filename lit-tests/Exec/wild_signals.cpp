// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signal handlers: a timer that sets a flag in the middle of launches, one that reads an array between them, a crash
// handler of the program's own, and jumps out of it. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2>&1 | count 0
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdio>

static const int n = 40009;
static volatile sig_atomic_t ticks;
static sigjmp_buf before;
#pragma ompx managed(a)
static long *a = new long[n];
static long seen;

static void onTimer(int) { ticks = ticks + 1; }
static void onUser(int) { seen = a[n - 1] + a[0]; }
static void onCrash(int) { siglongjmp(before, 1); }

static void step(long k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = a[i] * 3 + k;
}

int main() {
  for (int i = 0; i < n; i++) a[i] = i % 17;
  signal(SIGALRM, onTimer);
  signal(SIGUSR1, onUser);
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int k = 0; k < 40; k++) {
    step(k);
    raise(SIGUSR1);
    if (k % 8 == 0) std::printf("%ld\n", seen);
  }
  for (long k = 0; ticks < 5; k++) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += a[i] & 1;
    if (sum < 0) std::printf("never\n");
  }
  setitimer(ITIMER_REAL, &never, nullptr);

  signal(SIGSEGV, onCrash);
  step(1);
  if (sigsetjmp(before, 1) == 0) {
    std::printf("%ld\n", a[777]);
    *(volatile int *)8 = 1;
    std::printf("never\n");
  } else {
    step(2);
    std::printf("%ld\n", a[778]);
  }
  delete[] a;
}
