// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NAME
#define NAME first
#define MADE_FOR _Pragma("omp for")
#endif
void NAME(double *a, int n) {
#pragma omp parallel
  {
    MADE_FOR for (int i = 0; i < n; ++i) a[i] = 0;
  }
}
#undef NAME
