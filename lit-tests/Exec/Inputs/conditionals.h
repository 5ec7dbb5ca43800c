// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CONDITIONALS_H
#define CONDITIONALS_H
#ifdef _OPENMP
#define FOR _Pragma("omp parallel for")
#else
#define FOR
#endif

static void start(double *a, int n) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (int i = 0; i < n; i++) a[i] = i;
#ifdef OTHER
  FOR
#endif
  for (int i = 0; i < n; i++) a[i] += __LINE__;
}
#endif
