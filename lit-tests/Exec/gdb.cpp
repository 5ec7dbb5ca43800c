// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under gdb with Muster's script: accesses to arrays go on, the program's own fault stops.
//
// REQUIRES: gdb
// RUN: %muster-link -O0 -g -w %s -o %t
// RUN: %run MUSTER_DEVICES=opencl gdb -q -batch -x %S/../../tools/muster.gdb -ex run -ex "bt 6" %t 2>&1 | FileCheck %s
// CHECK: sum 4950
// CHECK-NOT: received signal
// CHECK: Breakpoint 1, {{.*}}muster_program_fault
// CHECK: <signal handler called>
// CHECK-NEXT: in main
#include <cstdio>

int main() {
#pragma ompx managed(a)
  double *a = new double[100];
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) a[i] = i;
  double sum = 0;
  for (int i = 0; i < 100; ++i) sum += a[i];
  std::printf("sum %g\n", sum);
  std::fflush(stdout);
  *(volatile int *)8 = 1;
}
