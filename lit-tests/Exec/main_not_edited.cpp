// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All loops stay plain, and main is a function try block or made by a macro, in which no session can be begun: it is
// run on rank 0 only all the same.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=none %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=none -DMACRO %s -o %t.muster
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#define MAIN int main() {
#define END }
static void work() {
#pragma ompx managed(u)
  double *u = new double[100];
#pragma omp parallel for ordered
  for (int i = 0; i < 100; ++i) u[i] = i;
  std::printf("%g\n", u[99]);
  delete[] u;
}
#ifdef MACRO
MAIN work();
END
#else
int main() try { work(); } catch (...) {
}
#endif
