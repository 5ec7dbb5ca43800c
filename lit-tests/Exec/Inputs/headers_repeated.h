// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entered once for each operation.
inline void NAME(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] OPERATION 3;
}
