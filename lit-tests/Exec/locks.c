/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Updates under locks in C: of one lock and of one for each element, nested locks, several updates that belong
 * together, reductions, a maximum with its place, macros. All loops are launched.
 *
 * RUN: %plain-c -w %s -o %t.plain -lm && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 6000
#define BINS 16
#define SET(k) omp_set_lock(&locks[k])
#define UNSET(k) omp_unset_lock(&locks[k]);
#define ADD(h, k, n) h[k] += (n)
#define LOCKED(k, code)       \
  do {                        \
    omp_set_lock(&locks[k]);  \
    code;                     \
    omp_unset_lock(&locks[k]); \
  } while (0)

struct cell {
  int count;
  float mass;
};

static omp_lock_t one;
static omp_nest_lock_t nested;

static void histograms(const double *x, int *hist, omp_lock_t *locks) {
  int i;
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    long k = (long)x[i] % BINS;

    omp_set_lock(&locks[k]); /* of
                                the element */
    hist[k]++;
    omp_unset_lock(&locks[k]);
  }
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    int k = (int)x[i] % BINS;
    SET(k);
    { ADD(hist, k, 2); }
    UNSET(k)
  }
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    int k = (int)x[i] % BINS;
    LOCKED(k, hist[k] += i % 3);
  }
#pragma omp parallel for /* other locks than above */
  for (i = 0; i < N; i++) {
    int k = (int)x[i] % BINS;
    if (i % 2) {
      omp_set_lock(&one);
      omp_set_nest_lock(&nested);
      hist[k] -= 1;
      omp_unset_nest_lock(&nested);
      omp_unset_lock(&one);
    }
  }
}

/* In a region, with updates of which some are none of `omp atomic`. */
static void bounds(const double *x, const int *which, double *low, double *high, struct cell *cells) {
  int i;
#pragma omp parallel
  {
#pragma omp for
    for (i = 0; i < N; i++) {
      omp_set_nest_lock(&nested);
      if (x[i] < low[which[i]]) low[which[i]] = x[i];
      high[which[i]] = x[i] > high[which[i]] ? x[i] : high[which[i]];
      omp_unset_nest_lock(&nested);
    }
#pragma omp for
    for (i = 0; i < N; i++) {
      const int k = which[i];
      omp_set_lock(&one);
      cells[k].count += i;
      cells[k].mass += 2;
      omp_unset_lock(&one);
    }
  }
}

static void results(const double *x) {
  int i, at = -1;
  double sum = 0, best = -1;
  long count = 0;
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    omp_set_lock(&one);
    sum += x[i];
    count++;
    omp_unset_lock(&one);
  }
#pragma omp parallel for
  for (i = 0; i < N; i++)
    if (x[i] > best) {
      omp_set_lock(&one);
      if (x[i] > best) {
        best = x[i];
        at = i;
      }
      omp_unset_lock(&one);
    }
  printf("%g %ld %g %d\n", sum, count, best, x[at] == best);
}

int main(void) {
  int i;
  omp_lock_t *locks = malloc(BINS * sizeof *locks);
#pragma ompx managed(x, hist, which, low, high, cells)
  double *x = malloc(N * sizeof(double));
  int *hist = calloc(BINS, sizeof(int)), *which = malloc(N * sizeof(int));
  double *low = malloc(BINS * sizeof(double)), *high = malloc(BINS * sizeof(double));
  struct cell *cells = calloc(BINS, sizeof(struct cell));
  for (i = 0; i < N; i++) x[i] = i * 7919L % 1000, which[i] = i * 31L % BINS;
  for (i = 0; i < BINS; i++) omp_init_lock(&locks[i]), low[i] = 1e9, high[i] = -1e9;
  omp_init_lock(&one);
  omp_init_nest_lock(&nested);
  histograms(x, hist, locks);
  bounds(x, which, low, high, cells);
  for (i = 0; i < BINS; i++) printf("%d %g %g %d %g\n", hist[i], low[i], high[i], cells[i].count, cells[i].mass);
  results(x);
  return 0;
}
