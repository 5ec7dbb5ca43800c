// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses whose values are calls: the launch computes them, once, in front of the bounds. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-10: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <omp.h>

#include <algorithm>

#include "Inputs/loop_report.h"

static int calls;
static int chunk(int n) { return ++calls, n / 8 + 1; }
#define CORES omp_get_num_procs()

struct Grid {
  int m;
  double* u;
  int size() const { return ++calls, m; }
  template <class T>
  T half(T n) const {
    return n / 2;
  }
  void grow() {
#pragma omp parallel for num_threads(size()) if (m > chunk(m))
    for (int i = 0; i < m; i++) u[i] += 1;
#pragma omp parallel for num_threads(std::min(4, m)) schedule(dynamic, std::max(1, half(m)))
    for (int i = 0; i < m; i++) u[i] *= 3;
  }
};

static int* count;
static int next() { return ++*count; }

int main() {
  int n = 1000;
#pragma ompx managed(a)
  double* a = new double[n];
  fill(a, n);
  Grid grid{n, a};
#pragma omp parallel for num_threads(CORES)
  for (int i = 0; i < n; i++) a[i] += i;
#pragma omp parallel for num_threads(omp_get_max_threads()) schedule(static, chunk(n))
  for (int i = 0; i < n; i++) a[i] *= 2;
#pragma omp parallel for schedule(guided, chunk(n)) if (grid.size() > 10000 || chunk(3) == 0)
  for (int i = 0; i < n; i++) a[i] -= 1;
  // The bound is read behind the clause.
#pragma omp parallel for num_threads((n -= 10, 2))
  for (int i = 0; i < n; i++) a[i] *= 2;
  report("bound", n);
  count = &n;
#pragma omp parallel for num_threads(next())
  for (int i = 0; i < n - 1; i++) a[i] += 1;
  report("next", n);
  double sum = 0;
#pragma omp parallel num_threads(chunk(7) + 1)
  {
#pragma omp for reduction(+ : sum) schedule(dynamic, std::max(1, n / 16))
    for (int i = 0; i < 100; i++) sum += (int)a[i];
#pragma omp for nowait
    for (int i = 0; i < 100; i++) a[i] = sum;
  }
  grid.grow();
  // Elements that another rank may not have.
#pragma omp parallel for schedule(dynamic, (int)a[1] % 7 + 1) if (a[999] > -1e9 && count)
  for (int i = 0; i < 1000; i++) a[i] /= 2;
  report("sum", sum);
  report("calls", calls);
  report("a", a, 1000);
  delete[] a;
}
