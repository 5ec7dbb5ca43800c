/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions that use the number of threads as they like: it is that of the team which the plain program has. All that
 * their code does outside of loops, one thread may do. Functions that they call ask whether they are the first thread.
 *
 * RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
 * RUN: %run %t.muster > %t.actual
 * RUN: diff %t.expected %t.actual
 * RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
 * RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
 * RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
 *
 * RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s --check-prefix=INFO
 * INFO-COUNT-10: 1 launch,
 *
 * What adds up over the threads stays theirs.
 * CHECK-COUNT-8: remark: region stays {{.*}}: calls 'omp_get_num_threads', so that its result depends on the threads
 * CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
 * CHECK: remark: loops: 10 for all devices, 0 for CPUs only, 9 plain OpenMP
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds = 0, asked = 0;
static double shared_total = 0;

static void bail_out(int error) {
#pragma omp barrier
  if (error != 0) exit(1);
}

/* As the Parallel Research Kernels do it. */
static void checked(double *a, int n, int wanted) {
  int i, iter, threads, error = 0;
  double norm = 0;
  omp_set_num_threads(wanted);
#pragma omp parallel private(i, iter)
  {
#pragma omp master
    {
      threads = omp_get_num_threads();
      if (threads != wanted) {
        error = 1;
        printf("%d threads in place of %d\n", threads, wanted);
      } else {
        printf("threads: %d\n", wanted);
      }
    }
    bail_out(error);
#pragma omp for
    for (i = 0; i < n; i++) a[i] += i;
#pragma omp for reduction(+ : norm)
    for (i = 0; i < n; i++) norm += a[i];
  }
  printf("%g %d\n", norm, threads);
}

static void divided(double *a, int n) {
  int all = 0;
#pragma omp parallel
  {
    int parts = omp_get_num_threads();
    int each = (n + parts - 1) / parts;
#pragma omp for schedule(static, each)
    for (int i = 0; i < n; i++) a[i] += each;
#pragma omp for
    for (int p = 0; p < parts; p++)
      for (int i = p * each; i < n && i < (p + 1) * each; i++) a[i] += p;
#pragma omp single
    all = omp_get_num_threads() * 10;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += all;
  }
  printf("%d\n", all);
}

static void by_clauses(double *a, int n, int wanted) {
  int once = 0, several = 0;
#pragma omp parallel num_threads(wanted) if (n > 10)
  {
#pragma omp single
    several = omp_get_num_threads() + 1;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += several;
  }
#pragma omp parallel if (n < 10)
  {
    int mine = omp_get_num_threads();
#pragma omp single
    once = 2 * mine;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += once;
  }
  printf("%d %d\n", several, once);
}

static void step(double *a, int n, int loud) {
  int me = omp_get_thread_num();
  if (loud && me == 0) printf("step\n");
#pragma omp for
  for (int i = 0; i < n; i++) a[i] *= 2;
  if (me == 0) rounds++;
}

static void in_function(double *a, int n) {
#pragma omp parallel
  {
    step(a, n, 1);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] -= 1;
  }
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp atomic
      asked += omp_get_num_threads();
      printf("all %d\n", omp_get_num_threads() + 1);
    }
#pragma omp for
    for (int i = 0; i < n; i++) a[i] -= 1;
  }
}

static void add_up(int threads) {
#pragma omp critical
  shared_total += 1.0 / threads;
}

static int which(int n) {
  int me = omp_get_thread_num();
  if (me == 0) return n;
  return -n;
}

static void plain(double *a, int n) {
  double total = 0, sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    double mine = n / omp_get_num_threads();
#pragma omp critical
    total += mine;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
    double mine = n / omp_get_num_threads();
#pragma omp atomic
    total += mine;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel reduction(+ : sum)
  {
    int threads = omp_get_num_threads();
    sum = 1 + 0 * threads;
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
    int threads = omp_get_num_threads();
    if (threads > 1) printf("a thread\n");
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
    int threads = omp_get_num_threads();
    omp_set_lock(&lock);
    if (threads > 1) total = total + 1;
    omp_unset_lock(&lock);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
    add_up(omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += omp_get_num_threads();
  }
#pragma omp parallel
  {
    int threads = omp_get_num_threads() - 1;
    __sync_fetch_and_add(&asked, threads);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
#pragma omp parallel
  {
    which(n);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
  }
  omp_destroy_lock(&lock);
  printf("%g %g\n", total, sum);
}

int main(void) {
  const int n = 1000;
  double s = 0;
#pragma ompx managed(a)
  double *a = calloc(n, sizeof(double));
  checked(a, n, 4);
  divided(a, n);
  by_clauses(a, n, 2);
  in_function(a, n);
  plain(a, n);
  for (int i = 0; i < n; ++i) s += a[i] * (i % 5);
  printf("%g %d %d %g\n", s, rounds, asked, shared_total);
  free(a);
  return 0;
}
