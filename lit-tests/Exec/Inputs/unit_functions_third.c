// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that regions of files in C++ call.
#include <omp.h>

int thirdFactor(void) { return 3; }
int thirdNumber(void) { return omp_get_thread_num(); }
double thirdHalf(double x, int unused) { return x / 2; }
