// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where only the text of a loop does not compile (here: names of the user's hide ours), arrays are still managed. The
// user's warnings are given once, in front of the place that does not compile and behind it, and all outputs are there.
// RUN: %muster++ -Wall -MD -MF %t.d -c %s -o %t.o 2>&1 | %filecheck --implicit-check-not='unused variable' %s
// RUN: FileCheck --check-prefix=DEPS %s < %t.d
// RUN: %muster++ -w -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %muster-link -w %s -o %t && %run %t | FileCheck --check-prefix=RUNS %s
#include <cstdio>
// DEPS: fallback_loops.cpp
// IR-NOT: muster_launch_loop
// IR: muster_array
namespace user {
struct int64_t {};
void fill(double *u, int n) {
  // CHECK: :[[@LINE+1]]:7: warning: unused variable 'before'
  int before;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = i;
}
}  // namespace user
// RUNS: 4950
int main() {
  // CHECK: :[[@LINE+1]]:7: warning: unused variable 'after'
  int after;
#pragma omp managed(u)
  double *u = new double[100];
  user::fill(u, 100);
  double total = 0;
  for (int i = 0; i < 100; ++i) total += u[i];
  delete[] u;
  std::printf("%g\n", total);
}
// CHECK: :17:1: remark: loop stays plain OpenMP on rank 0: its rewritten text does not compile
// CHECK: :17:1: warning: muster: internal error, please report it: the rewritten source does not compile (line {{1[0-9]}}: {{.*}}); this construct stays plain OpenMP
