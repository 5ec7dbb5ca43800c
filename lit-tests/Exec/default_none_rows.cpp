// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is managed is made in constructs whose `default(none)` asks for all variables.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
#include <vector>

static double **rows(int n, int m) {
// CHECK-DAG: remark: array 'M[i]' is
#pragma ompx managed(M)
  double **M = (double **)std::calloc(n, sizeof(double *));
  int i;
// CHECK-DAG: remark: loop stays plain OpenMP on rank 0: calls 'calloc', which allocates or frees memory
// CHECK-DAG: note: here
#pragma omp parallel for default(none) shared(n, M, m) private(i)
  for (i = 0; i < n; i++) M[i] = (double *)std::calloc(m, sizeof(double));
  return M;
}

int main() {
  double **A = rows(8, 8);
// CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int k = 0; k < 8; k++) A[k][k] = k + 1;
// CHECK-DAG: remark: array 'u' is
// CHECK-DAG: remark: array 'v' is
#pragma ompx managed(u, v)
  std::vector<double> u, v;
  int *p = nullptr;
// CHECK-DAG: remark: region stays plain OpenMP on rank 0
// CHECK-DAG: note: here
#pragma omp parallel default(none) shared(u, v, p)
  {
#pragma omp single
    {
      u.resize(100, 1.0);
#pragma omp task default(none) shared(v, p)
      {
        v.resize(100, 2.0);
        v.resize(200, 3.0);
      }
    }
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for
  for (int k = 0; k < 100; k++) u[k] += v[k] + v[k + 100];
  double sum = 0;
  for (double x : u) sum += x;
  std::printf("%g %g\n", A[3][3], sum);
}
