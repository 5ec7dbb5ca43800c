// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed rows behind a table of pointers, in C: also in structs that an iteration copies.
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefix=LAUNCHES %s
// CHECK-NOT: stays plain
// LAUNCHES-NOT: this loop runs on rank 0
#include <stdio.h>
#include <stdlib.h>

struct csr {
  int n;
  int **rows;
  int *columns;
};

struct part {
  int *first, *last;
};

static struct part row_of(const struct csr *m, int i) {
  struct part part = {m->rows[i], m->rows[i + 1]};
  return part;
}

int main(void) {
  const int n = 2000;
  struct csr m = {n};
  int total = 0;
  for (int i = 0; i < n; ++i) total += i * 7 % 5;
#pragma ompx managed(m.rows)
  m.rows = malloc((n + 1) * sizeof *m.rows);
#pragma ompx managed(m.columns)
  m.columns = malloc(total * sizeof *m.columns);
#pragma ompx managed(sums)
  long *sums = malloc(n * sizeof *sums);
  for (int i = 0, at = 0; i <= n; ++i) {
    m.rows[i] = m.columns + at;
    at += i < n ? i * 7 % 5 : 0;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int *p = m.rows[i]; p < m.rows[i + 1]; ++p) *p = (i * 31 + (int)(p - m.rows[i])) % n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    struct part row = row_of(&m, i), rest = row;
    sums[i] = row.last - row.first;
    while (rest.first != rest.last) sums[i] += *rest.first++ * 3;
  }
  long all = 0;
  for (int i = 0; i < n; ++i) all = (all * 31 + sums[i]) % 1000000007;
  printf("%ld %ld\n", all, sums[n - 1]);
  free(m.rows), free(m.columns), free(sums);
  return 0;
}
