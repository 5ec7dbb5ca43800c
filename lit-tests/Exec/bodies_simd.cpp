// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `omp simd` and `flush` inside of a body, and in functions that it calls, with all of simd's clauses. The values are
// such that no sum depends on its order. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
//
// All loops are served; two of them on CPUs only.
// CHECK: remark: {{.*}} runs on CPUs only: uses a simd loop with a clause that makes copies of more than numbers
// CHECK: remark: {{.*}} runs on CPUs only: uses a simd loop with a clause that changes a variable
// CHECK: remark: loops: 12 for all devices, 2 for CPUs only, 0 plain OpenMP
#include "Inputs/wild_report.h"

constexpr int rows = 37, columns = 24;

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum) safelen(8)
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

template <class T>
static void scale(T *x, int n, T factor) {
#pragma omp simd simdlen(4)
  for (int k = 0; k < n; ++k) x[k] *= factor;
}

static void reductions(double *a, double *b, int *c) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0, most = -1e9;
    int all = 1, any = 0;
#pragma omp simd reduction(+ : sum) reduction(max : most) reduction(&& : all) reduction(| : any)
    for (int j = 0; j < columns; ++j) {
      const double value = a[i * columns + j];
      sum += value;
      most = most > value ? most : value;
      all = all && value >= 0;
      any |= (int)value;
    }
    b[i] = sum + most;
    c[i] = 2 * all + 4 * any;
  }
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < rows; ++i) {
#pragma omp simd reduction(+ : total)
    for (int j = 0; j < columns; ++j) total += a[i * columns + j];
  }
  report("reduction of both", &total, 1);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    b[i] += dot(a + i * columns, a + i * columns, columns);
    scale(a + i * columns, columns, 2.0);
  }
  report("reductions", b, rows);
  report("reductions", c, rows);
  report("called", a, rows * columns);
}

static void privates(double *a, double *b) {
  double shared, kept;
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
#pragma omp simd private(shared)
    for (int j = 0; j < columns; ++j) {
      shared = i + j;
      a[i * columns + j] = shared * shared;
    }
  // The simd loop has copies of it.
#pragma omp parallel for private(kept)
  for (int i = 0; i < rows; ++i) {
    kept = i;
    double last = 0;
#pragma omp simd private(kept) lastprivate(last)
    for (int j = 0; j < columns; ++j) {
      kept = 2 * j;
      last = kept + a[i * columns + j];
    }
    b[i] = kept + last;
  }
  report("private", a, rows * columns);
  report("kept", b, rows);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double scratch[2] = {1.0 * i, 2.0 * i};
#pragma omp simd private(scratch)
    for (int j = 0; j < columns; ++j) {
      scratch[0] = j;
      a[i * columns + j] += scratch[0];
    }
    b[i] = scratch[0] + scratch[1];
  }
  report("private array", a, rows * columns);
  report("private array", b, rows);
}

static void counters(double *a, double *b) {
  int i, j;
#pragma omp parallel for private(j)
  for (i = 0; i < rows; ++i) {
#pragma omp simd
    for (j = 0; j < columns; ++j) a[i * columns + j] += j;
    b[i] = j;
  }
  report("counter", b, rows);
  // Its own step, and one that the directive makes.
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    int k = i * columns;
#pragma omp simd linear(k : 1)
    for (int j = 0; j < columns; ++j) {
      a[k] += 3;
      k += 1;
    }
    b[i] += k;
  }
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    int k = 1;
#pragma omp simd linear(k : 2)
    for (int j = 0; j < columns; ++j) a[i * columns + j] += k;
    b[i] += k;
  }
  report("linear", a, rows * columns);
  report("linear", b, rows);
}

static void nests(double *a, double *b, bool wide) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
#pragma omp simd collapse(2)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 6; ++k) a[i * columns + j * 6 + k] += j * k;
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
#pragma omp simd aligned(a : 8) nontemporal(b) if (wide)
    for (int j = 0; j < columns; ++j) {
      if (j % 3 == 0) continue;
      b[i * columns + j] = a[(i - 1) * columns + j] + a[(i + 1) * columns + j];
    }
#pragma omp simd order(concurrent)
    for (int j = 0; j < columns; ++j) b[i * columns + j] += 1;
  }
  report("collapse", a, rows * columns);
  report("stencil", b, rows * columns);
  double *p = a;
#pragma omp parallel for simd safelen(4)
  for (int i = 0; i < rows; ++i) p[i] += 1;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < rows; ++i) {
      double t = 0;
#pragma omp simd reduction(+ : t)
      for (int j = 0; j < columns; ++j) t += a[i * columns + j];
      b[i] = t;
#pragma omp flush
    }
  }
  report("region", b, rows);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    a[i * columns] += 1;
#pragma omp flush(a)
    for (int j = 1; j < columns; ++j) {
      a[i * columns + j] += a[i * columns + j - 1];
#pragma omp flush
    }
  }
  report("flush", a, rows * columns);
}

int main() {
#pragma ompx managed(a, b)
  double *a = new double[rows * columns], *b = new double[rows * columns];
#pragma ompx managed(c)
  int *c = new int[rows];
  for (int i = 0; i < rows * columns; ++i) a[i] = i % 7, b[i] = 0;
  reductions(a, b, c);
  privates(a, b);
  counters(a, b);
  nests(a, b, true);
  delete[] a;
  delete[] b;
  delete[] c;
}
