// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled without Muster. `replaced` and `otherReplaced` take the place of weak functions of files that are compiled with it.
#include <omp.h>

int plainNumber() { return omp_get_thread_num(); }
int replaced() { return omp_get_thread_num(); }
int otherReplaced() { return omp_get_thread_num(); }
int plainHalf(int x) { return x / 2; }
