// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#ifdef _OPENMP
#define SELECTED_FOR(i, n) _Pragma("omp parallel for schedule(static)") for (int i = 0; i < (n); ++i)
#else
#define SELECTED_FOR(i, n) for (int i = 0; i < (n); ++i)
#endif
inline void addOne(double *a, int n) {
#pragma omp parallel
  {
    _Pragma("omp for") for (int i = 0; i < n; ++i) a[i] += 1;
  }
}
inline void halve(double *a, int n) { SELECTED_FOR(i, n) a[i] *= 0.5; }
#ifdef __MUSTER__
#define MANAGED_IN_HEADER(a) _Pragma("ompx managed(d)")
#else
#define MANAGED_IN_HEADER(a)
#endif
