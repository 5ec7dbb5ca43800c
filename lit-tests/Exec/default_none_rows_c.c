// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
double **rows(int n, int m) {
// CHECK-DAG: remark: array 'M[i]' is
#pragma ompx managed(M)
  double **M = (double **)calloc(n, sizeof(double *));
  int i;
// CHECK-DAG: remark: loop stays plain OpenMP on rank 0: calls 'calloc', which allocates or frees memory
// CHECK-DAG: note: here
#pragma omp parallel for default(none) shared(n, M, m) private(i)
  for (i = 0; i < n; i++) M[i] = (double *)calloc(m, sizeof(double));
  return M;
}
int main(void) {
  double **A = rows(8, 8);
// CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int k = 0; k < 8; k++) A[k][k] = 1;
  printf("%g\n", A[3][3]);
}
