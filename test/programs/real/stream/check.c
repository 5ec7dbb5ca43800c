// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes what the arrays must hold, and the average error.
#include <math.h>
#include <stdio.h>
#include <sys/types.h>

#ifndef STREAM_TYPE
#define STREAM_TYPE double
#endif
#ifndef abs
#define abs(a) ((a) >= 0 ? (a) : -(a))
#endif

int checkSTREAMresults(const STREAM_TYPE *a, const STREAM_TYPE *b, const STREAM_TYPE *c, ssize_t n, int ntimes) {
  STREAM_TYPE aj = 1.0, bj = 2.0, cj = 0.0, scalar = 3.0;
  STREAM_TYPE aSumErr = 0.0, bSumErr = 0.0, cSumErr = 0.0;
  ssize_t j;
  int k, err = 0;

  aj = 2.0E0 * aj;
  for (k = 0; k < ntimes; k++) {
    cj = aj;
    bj = scalar * cj;
    cj = aj + bj;
    aj = bj + scalar * cj;
  }
#pragma omp parallel for reduction(+ : aSumErr, bSumErr, cSumErr)
  for (j = 0; j < n; j++) {
    aSumErr += abs(a[j] - aj);
    bSumErr += abs(b[j] - bj);
    cSumErr += abs(c[j] - cj);
  }
  if (aSumErr / n > 1.e-13) err++;
  if (bSumErr / n > 1.e-13) err++;
  if (cSumErr / n > 1.e-13) err++;
  if (err == 0)
    printf("Solution Validates: avg error less than %e on all three arrays\n", 1.e-13);
  else
    printf("Failed Validation on %d arrays: %e %e %e\n", err, aSumErr, bSumErr, cSumErr);
  return err;
}
