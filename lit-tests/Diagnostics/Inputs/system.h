// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma GCC system_header
double ofSystem(double x) { return x + 1; }
#pragma omp managed(systemArray)
static double systemArray[8];
