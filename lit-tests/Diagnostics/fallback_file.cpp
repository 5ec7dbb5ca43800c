// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where nothing that is rewritten compiles (here: a macro hides Muster's names), the file stays plain OpenMP, with one
// warning that -w does not silence. main is still run once, on rank 0.
// RUN: %muster++ -w -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: %muster-link -w %s -o %t
// RUN: %run %t | FileCheck --check-prefix=RUNS %s
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | FileCheck --check-prefix=RUNS %s
// RUN: %clang -std=c++20 -fopenmp -E %s -o %t.ii
// RUN: %muster-link -w %t.ii -o %t.pre
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.pre | FileCheck --check-prefix=RUNS %s
#include <cstdio>
#define muster nothing
// CHECK: remark: 'u' stays a plain array
// CHECK: remark: loop stays plain OpenMP
// CHECK: warning: muster: internal error, please report it: the rewritten source does not compile (line {{.*}}); this file stays plain OpenMP
// RUNS: 4950
// RUNS-NOT: {{.}}
int main() {
#pragma ompx managed(u)
  double *u = new double[100];
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) u[i] = i;
  double total = 0;
  for (int i = 0; i < 100; ++i) total += u[i];
  std::printf("%g\n", total);
  delete[] u;
}
