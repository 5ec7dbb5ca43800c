// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-sharing and other clauses; the plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-29: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <limits>

#include "Inputs/loop_report.h"

const int n = 1000;
static long total = 5;
static int shift = 3;

void privates(const double* a, double* b) {
  double x = -1, y = 7, tmp[4];
  int i, j, k = 3;
#pragma omp parallel for private(x)
  for (int i = 0; i < n; ++i) {
    x = a[i] * 2;
    b[i] = x + 1;
  }
  report("private", b, n);
#pragma omp parallel for firstprivate(y, k)
  for (int i = 0; i < n; ++i) b[i] = a[i] + y * k;
  report("firstprivate", b, n);
#pragma omp parallel for private(i, j, tmp)
  for (i = 0; i < n; ++i) {
    for (j = 0; j < 4; ++j) tmp[j] = a[i] + j;
    b[i] = tmp[0] + tmp[3];
  }
  report("private array", b, n);
#pragma omp parallel for lastprivate(x)
  for (int i = 0; i < n; ++i) {
    x = a[i] + i;
    b[i] = x;
  }
  report("lastprivate", x);
#pragma omp parallel for lastprivate(i)
  for (i = 0; i < n; i += 3) b[i] = a[i];
  report("lastprivate counter", i);
#pragma omp parallel for firstprivate(y) lastprivate(y)
  for (int i = 0; i < n; ++i) {
    if (i == n - 1) y = a[i] + 4;
    b[i] = i;
  }
  report("firstprivate lastprivate", y);
#pragma omp parallel for simd
  for (i = 0; i < n; ++i) b[i] = a[i] * 3;
  report("simd", b, n);
  report("simd counter", i);
  report("x outside", k);
}

void reductions(const int* a, const double* d) {
  int sum = 10, difference = 4, product = 1, both = -1, either = 8, odd = 1;
  bool all = true, any = false;
#pragma omp parallel for reduction(+ : sum) reduction(- : difference)
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    difference -= a[i];
  }
  report("+", sum);
  report("-", difference);
#pragma omp parallel for reduction(* : product)
  for (int i = 0; i < 10; ++i) product *= a[i] % 3 + 1;
  report("*", product);
#pragma omp parallel for reduction(& : both) reduction(| : either) reduction(^ : odd)
  for (int i = 0; i < n; ++i) {
    both &= a[i] | 64;
    either |= a[i];
    odd ^= a[i];
  }
  report("&", both);
  report("|", either);
  report("^", odd);
#pragma omp parallel for reduction(&& : all) reduction(|| : any)
  for (int i = 0; i < n; ++i) {
    all = all && a[i] >= 0;
    any = any || a[i] == 96;
  }
  report("&&", all);
  report("||", any);
  double least = 1e30, most = -1e30;
  float leastFloat = 50;
  long mostLong = -7;
#pragma omp parallel for reduction(min : least, leastFloat) reduction(max : most, mostLong)
  for (int i = 0; i < n; ++i) {
    if (d[i] < least) least = d[i];
    most = std::max(most, d[i]);
    leastFloat = d[i] < leastFloat ? (float)d[i] : leastFloat;
    if (a[i] > mostLong) mostLong = a[i];
  }
  report("min", least);
  report("max", most);
  report("min float", leastFloat);
  report("max long", mostLong);
  short small = 3;
  unsigned char byte = 250;
#pragma omp parallel for reduction(+ : small, byte)
  for (int i = 0; i < n; ++i) {
    small += a[i];
    byte += a[i];
  }
  report("short", small);
  report("byte", byte);
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += a[i];
  report("global", total);
  int empty = 9;
#pragma omp parallel for reduction(+ : empty)
  for (int i = n; i < n; ++i) empty += a[i];
  report("empty", empty);
}

void referenceReduction(const int* a, int& sum, const int& count) {
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += a[i];
}

void others(const double* a, double* b, int chunk, bool wide) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 1;
  report("static", b, n);
#pragma omp parallel for schedule(static, 7)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 2;
  report("static 7", b, n);
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 3;
  report("dynamic", b, n);
#pragma omp parallel for schedule(monotonic : guided, 4)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 4;
  report("guided", b, n);
#pragma omp parallel for schedule(runtime) num_threads(chunk)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 5;
  report("runtime", b, n);
#pragma omp parallel for if (wide)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 6;
  report("if", b, n);
#pragma omp parallel for if (parallel : n > 10 && !wide)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 7;
  report("if parallel", b, n);
#pragma omp parallel for default(none) shared(a, b, chunk, shift, n)
  for (int i = 0; i < n; ++i) b[i] = a[i] + chunk + shift;
  report("default none", b, n);
#pragma omp parallel for default(shared) proc_bind(close) order(concurrent)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 8;
  report("default shared", b, n);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 100; ++j) b[i * 100 + j] = a[j * 10 + i];
  report("collapse 2", b, n);
  int i, j, k, rows = 10;
#pragma omp parallel for collapse(3) private(i, j, k) schedule(static)
  for (i = 0; i < rows; i++)
    for (j = 9; j >= 0; j--) {
      for (k = 0; k < 10; k += 2) b[(i * 10 + j) * 10 + k] += i + 2 * j + 3 * k;
    }
  report("collapse 3", b, n);
#pragma omp parallel for collapse(2) lastprivate(i, j)
  for (i = 0; i < rows; i++)
    for (j = 0; j < 50; j += 3) b[i * 100 + j] -= j;
  report("collapse last i", i);
  report("collapse last j", j);
#pragma omp parallel for simd collapse(2) reduction(+ : rows)
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 100; j++) {
      rows += (int)b[i * 100 + j];
      b[i * 100 + j] = 0;
    }
  report("simd collapse", rows);
}

int main() {
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(b)
  double* b = new double[n];
#pragma ompx managed(c)
  int* c = new int[n];
  fill(a, n);
  fill(b, n, 2);
  fill(c, n, 3);
  privates(a, b);
  reductions(c, a);
  int sum = 100;
  referenceReduction(c, sum, n);
  report("reference", sum);
  others(a, b, 3, true);
  delete[] a;
  delete[] b;
  delete[] c;
}
