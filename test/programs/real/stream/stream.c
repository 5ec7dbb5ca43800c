// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory bandwidth with the four STREAM operations: static arrays, counters outside the loops, a macro for the type.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timer.h"

#ifndef STREAM_ARRAY_SIZE
#define STREAM_ARRAY_SIZE 20011
#endif
#ifndef NTIMES
#define NTIMES 5
#endif
#ifndef STREAM_TYPE
#define STREAM_TYPE double
#endif
#define OFFSET 3
#define HLINE "-------------------------------------------------------------\n"
#ifndef MIN
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#endif
#ifndef MAX
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#endif

#pragma ompx managed(a, b, c)
static STREAM_TYPE a[STREAM_ARRAY_SIZE + OFFSET], b[STREAM_ARRAY_SIZE + OFFSET], c[STREAM_ARRAY_SIZE + OFFSET];

static double avgtime[4] = {0}, maxtime[4] = {0}, mintime[4] = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
static const char *label[4] = {"Copy:      ", "Scale:     ", "Add:       ", "Triad:     "};
static double bytes[4] = {2 * sizeof(STREAM_TYPE) * STREAM_ARRAY_SIZE, 2 * sizeof(STREAM_TYPE) * STREAM_ARRAY_SIZE,
                          3 * sizeof(STREAM_TYPE) * STREAM_ARRAY_SIZE, 3 * sizeof(STREAM_TYPE) * STREAM_ARRAY_SIZE};

extern int checkSTREAMresults(const STREAM_TYPE *a, const STREAM_TYPE *b, const STREAM_TYPE *c, ssize_t n, int ntimes);

void tuned_STREAM_Scale(STREAM_TYPE scalar) {
  ssize_t j;
#pragma omp parallel for
  for (j = 0; j < STREAM_ARRAY_SIZE; j++) b[j] = scalar * c[j];
}

int main(int argc, char **argv) {
  int k;
  ssize_t j;
  STREAM_TYPE scalar;
  double t, times[4][NTIMES];

  printf(HLINE "Array size = %llu (elements), Offset = %d (elements)\n", (unsigned long long)STREAM_ARRAY_SIZE, OFFSET);
  k = 0;
#pragma omp parallel
#pragma omp atomic
  k++;
  if (k < 1) return 1;

  /* Get initial value for system clock. */
#pragma omp parallel for
  for (j = 0; j < STREAM_ARRAY_SIZE; j++) {
    a[j] = 1.0;
    b[j] = 2.0;
    c[j] = 0.0;
  }
  t = mysecond();
#pragma omp parallel for
  for (j = 0; j < STREAM_ARRAY_SIZE; j++) a[j] = 2.0E0 * a[j];
  t = 1.0E6 * (mysecond() - t);

  /*	--- MAIN LOOP --- repeat test cases NTIMES times --- */
  scalar = 3.0;
  for (k = 0; k < NTIMES; k++) {
    times[0][k] = mysecond();
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++) c[j] = a[j];
    times[0][k] = mysecond() - times[0][k];

    times[1][k] = mysecond();
    tuned_STREAM_Scale(scalar);
    times[1][k] = mysecond() - times[1][k];

    times[2][k] = mysecond();
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++) c[j] = a[j] + b[j];
    times[2][k] = mysecond() - times[2][k];

    times[3][k] = mysecond();
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++) a[j] = b[j] + scalar * c[j];
    times[3][k] = mysecond() - times[3][k];
  }

  for (k = 1; k < NTIMES; k++) /* note -- skip first iteration */
    for (j = 0; j < 4; j++) {
      avgtime[j] = avgtime[j] + times[j][k];
      mintime[j] = MIN(mintime[j], times[j][k]);
      maxtime[j] = MAX(maxtime[j], times[j][k]);
    }
  fprintf(stderr, "Function    Best Rate MB/s  Avg time     Min time     Max time (start %g us)\n", t);
  for (j = 0; j < 4; j++) {
    avgtime[j] = avgtime[j] / (double)(NTIMES - 1);
    fprintf(stderr, "%s%12.1f  %11.6f  %11.6f  %11.6f\n", label[j], 1.0E-06 * bytes[j] / mintime[j], avgtime[j], mintime[j],
            maxtime[j]);
  }
  printf(HLINE);
  (void)argc, (void)argv;
  return checkSTREAMresults(a, b, c, STREAM_ARRAY_SIZE, NTIMES);
}
