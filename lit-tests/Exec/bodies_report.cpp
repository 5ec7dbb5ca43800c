// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that may end the program, or write to stderr: CPUs of all ranks run them, each line comes once, and the
// program ends with its code.
//
// RUN: %plain %s -o %t.plain && %t.plain > %t.expected 2> %t.errors
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --check-prefix=CPUS --implicit-check-not='stays plain' %s
// CPUS: remark: {{.*}}runs on CPUs only: calls 'fprintf'
// RUN: %run %t 2> %t.own | diff %t.expected -
// RUN: sort %t.errors > %t.sorted && grep -v "^muster" %t.own | sort | diff %t.sorted -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t 2> %t.own | diff %t.expected -
// RUN: grep -v "^muster" %t.own | sort | diff %t.sorted -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t | diff %t.expected -
// RUN: not env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t 1 2> %t.own
// RUN: FileCheck %s < %t.own
// CHECK-NOT: element
// CHECK: bad value at 299
// CHECK-NOT: element
// RUN: not env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t 1 2 2> %t.own
// RUN: FileCheck --check-prefix=ASSERT %s < %t.own
// ASSERT: {{Assertion.*a\[i\] < 1000}}
#include <cassert>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **) {
  const int n = 300;
#pragma ompx managed(a)
  double *a = new double[n];
  for (int i = 0; i < n; ++i) a[i] = i;
  if (argc == 2) a[n - 1] = -1;
  if (argc == 3) a[n - 1] = 5000;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0) {
      fprintf(stderr, "bad value at %d: %g\n", i, a[i]);
      exit(3);
    }
    assert(a[i] < 1000);
    a[i] = 2 * a[i];
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (i % 50 == 7) fprintf(stderr, "element %d is %g\n", i, a[i]);
    if (i % 100 == 9) fputs("a hundred more\n", stderr);
    if (a[i] > 1e9) std::abort();
    a[i] += 1;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  printf("%g\n", sum);
  delete[] a;
}
