// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without a guard.
#pragma omp managed(b)
double *b = new double[4];
delete[] b;
