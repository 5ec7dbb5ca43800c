// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
namespace lib {
int known(int i);
inline void ramp(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = 0.5 * i;
}
}  // namespace lib
