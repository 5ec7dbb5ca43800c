// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of constants on stderr: devices count them, and each line comes as often as in the plain program. Rows that are
// anywhere, of which a launch uses one.
//
// RUN: %plain %s -o %t.plain && %t.plain > %t.expected 2> %t.errors
// RUN: sort %t.errors > %t.sorted
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=ALL %s
// ALL-NOT: remark
// RUN: %run MUSTER_DEVICES=opencl %t 2> %t.own | diff %t.expected -
// RUN: grep -v "^muster" %t.own | sort | diff %t.sorted -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t 2> %t.own | diff %t.expected -
// RUN: grep -v "^muster" %t.own | sort | diff %t.sorted -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t 2> %t.own | diff %t.expected -
// RUN: grep -v "^muster" %t.own | sort | diff %t.sorted -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck --implicit-check-not="this loop runs" %s
// CHECK: sum
#include <cstdio>

int main() {
  const int n = 300;
#pragma ompx managed(a, rows)
  double *a = new double[n], **rows = new double *[3];
  for (int k = 0; k < 3; ++k) rows[2 - k] = new double[n + 50 * k];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i) rows[k][i] = 10 * k;
  for (int i = 0; i < n; ++i) a[i] = i;
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      switch (i % 4) {
        case 0:
          a[i] += rows[k][i];
          break;
        case 1:
          a[i] -= 2;
          break;
        default:
          if (i > 290) fprintf(stderr, "no case in %s \"%d\" %ld\n", "here", __LINE__, 3L);
          break;
      }
      if (i == 17) fprintf(stderr, "seventeen\n");
      if (i % 100 == 9) fputs("a hundred more\n", stderr);
    }
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * i;
  printf("sum %g\n", sum);
}
