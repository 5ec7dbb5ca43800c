// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewritten text that does not compile (here: names of the user's hide ours) is never given to the compile. The arrays and
// loops that it is of are left out, each with a warning, which -w does not silence; all else is distributed.
// RUN: %muster++ -c -fplugin-arg-muster-remarks=all %s -o %t.o 2>&1 | %filecheck %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | %filecheck %s
// RUN: %muster++ -w -c -fplugin-arg-muster-remarks=all %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %muster++ -Werror -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not %muster++ -fplugin-arg-muster-strict -c %s -o %t.o
// RUN: %muster++ -w -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %muster-link -w %s -o %t 2>&1 | FileCheck --check-prefix=COUNTS %s
// RUN: %run %t | FileCheck --check-prefix=RUNS %s
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | FileCheck --check-prefix=RUNS %s
#include <cstdio>
// ERROR: error: muster: internal error
// IR: muster_launch_loop
// COUNTS-NOT: generated
namespace user {
struct int64_t {};
enum { muster_site_u_25 };
double sum(int n) {
// CHECK-DAG: :[[@LINE+2]]:21: remark: 'u' stays a plain array: its rewritten text does not compile (an internal error, please report it)
// CHECK-DAG: :[[@LINE+1]]:21: warning: muster: internal error, please report it: the rewritten source does not compile (line {{[0-9]+}}: {{.*}}); this array stays plain
#pragma omp managed(u)
  double *u = nullptr;
  u = new double[n];
  double total = 0;
// CHECK-DAG: :[[@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: its rewritten text does not compile (an internal error, please report it)
// CHECK-DAG: :[[@LINE+1]]:1: warning: muster: internal error, please report it: the rewritten source does not compile (line {{[0-9]+}}: {{.*}}); this construct stays plain OpenMP
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = i;
// CHECK-DAG: :[[@LINE+2]]:1: remark: region stays plain OpenMP on rank 0: its rewritten text does not compile
// CHECK-DAG: :[[@LINE+3]]:1: warning: muster: internal error, {{.*}}; this construct stays plain OpenMP
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  return total;
}
}  // namespace user
// RUNS: 5050 9900
int main() {
// CHECK-DAG: remark: array 'v' is partitioned
#pragma omp managed(v)
  double *v = new double[100];
// CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) v[i] = 2 * i;
  double total = 0;
  for (int i = 0; i < 100; ++i) total += v[i];
  std::printf("%g %g\n", user::sum(100), total);
  delete[] v;
}
