// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over arrays and sections, managed and plain, of every operator; the plain program is the oracle. The
// values of before the loop take part once. Floating-point sums add multiples of 1/4, so that their order does not show.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=opencl %t.muster 2>&1 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_INFO=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2>&1 | FileCheck --check-prefix=SPREAD %s
// SPREAD: this loop runs on rank 0's CPU: its `if` clause says so
// SPREAD-NOT: this loop runs
// CHECK-COUNT-15: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "Inputs/loop_report.h"

static const int n = 5000, bins = 23;
static int everywhere[bins];

static void sums(const int *key, const double *w, int *managed, int count) {
  int plain[64] = {5, 4, 3};
#pragma omp parallel for reduction(+ : plain)
  for (int i = 0; i < n; ++i) plain[key[i]]++;
  report("stack array", plain, 64);
#pragma omp parallel for reduction(+ : plain[0 : 64])
  for (int i = 0; i < n; ++i) plain[i % 64] += key[i];
  report("section of a stack array", plain, 64);
#pragma omp parallel for reduction(+ : managed[0 : count])
  for (int i = 0; i < n; ++i) managed[key[i]] = managed[key[i]] + i;
  report("managed", managed, count);
  double *heap = (double *)std::malloc(2 * bins * sizeof(double)), total = 1;
  for (int k = 0; k < 2 * bins; ++k) heap[k] = k;
  const int from = 9;
#pragma omp parallel for reduction(- : heap[from : count]) reduction(+ : total)
  for (int i = 0; i < n; ++i) {
    heap[from + key[i]] -= w[i];
    total += w[i];
  }
  report("heap with an offset", heap, 2 * bins), report("with a scalar", total);
#pragma omp parallel for reduction(+ : everywhere, plain[ : count], heap[3])
  for (int i = 0; i < n; ++i) {
    everywhere[key[i]] += 2;
    --plain[key[i]];
    heap[3] += w[i];
  }
  report("global", everywhere, bins), report("several", plain, 64), report("one element", heap, 5);
#pragma omp parallel for if (count > 1000) schedule(static) num_threads(2) reduction(+ : managed[1 : count - 1])
  for (int i = 0; i < n; ++i) managed[1 + key[i] % (count - 1)] += 1;
  report("on the host", managed, count);
  std::free(heap);
}

static void operators(const int *key, long *l, unsigned short *s) {
  unsigned a[bins], o[bins], x[bins];
  for (int k = 0; k < bins; ++k) a[k] = 0xffffff, o[k] = k, x[k] = 3 * k, l[k] = 1 + k % 3, s[k] = 1;
#pragma omp parallel for reduction(& : a) reduction(| : o) reduction(^ : x)
  for (int i = 0; i < n; ++i) {
    a[key[i]] &= ~(1u << key[i] % 19);
    o[key[i]] |= 1u << i % 30;
    x[key[i]] ^= i;
  }
  report("and", a, bins), report("or", o, bins), report("xor", x, bins);
#pragma omp parallel for reduction(* : l[0 : bins], s[0 : bins])
  for (int i = 0; i < n; ++i) {
    l[key[i]] *= i % 2 ? 1 : -1;
    s[key[i]] = 3 * s[key[i]];
  }
  report("product", l, bins), report("product of shorts", s, bins);
}

static void logical(const int *key, int *b, int *some) {
  for (int k = 0; k < bins; ++k) b[k] = k != 4, some[k] = k == 7 ? 5 : 0;
#pragma omp parallel for reduction(&& : b[0 : bins]) reduction(|| : some[ : bins])
  for (int i = 0; i < n; ++i) {
    b[key[i]] = b[key[i]] && i != 77;
    some[key[i]] = some[key[i]] || i == 99;
  }
  report("all", b, bins);
  for (int k = 0; k < bins; ++k) some[k] = some[k] != 0;
  report("any", some, bins);
}

static void extrema(const int *key, const double *w, double *least, float *greatest) {
  int low[bins], high[bins];
  for (int k = 0; k < bins; ++k) low[k] = 1000, high[k] = -1, least[k] = k, greatest[k] = -k;
#pragma omp parallel for reduction(min : low) reduction(max : high)
  for (int i = 0; i < n; ++i) {
    low[key[i]] = std::min(low[key[i]], i);
    if (i > high[key[i]]) high[key[i]] = i;
  }
  report("least", low, bins), report("greatest", high, bins);
#pragma omp parallel for reduction(min : least[0 : bins]) reduction(max : greatest[0 : bins])
  for (int i = 0; i < n; ++i) {
    least[key[i]] = w[i] - 3 < least[key[i]] ? w[i] - 3 : least[key[i]];
    greatest[key[i]] = fmaxf(greatest[key[i]], (float)w[i]);
  }
  report("least double", least, bins), report("greatest float", greatest, bins);
}

static void bump(float *h, int k, float by) { h[k] += by; }

static void shapes(const int *key, const unsigned char *image, int rows, int columns, float *deposits) {
  int table[4][8] = {{1}}, histogram[256] = {};
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[i % 4][key[i] % 8] += i;
  report("two dimensions", &table[0][0], 32);
#pragma omp parallel for collapse(2) reduction(+ : histogram)
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) histogram[image[y * columns + x]]++;
  report("image", histogram, 256);
#pragma omp parallel for reduction(+ : histogram[0 : 256])
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      if (image[y * columns + x] > 40) histogram[image[y * columns + x]] += 3;
  report("bright", histogram, 256);
#pragma omp parallel for reduction(+ : deposits[0 : bins + 1])
  for (int i = 0; i < n; ++i) {
    bump(deposits, key[i], 0.25f);
    bump(deposits, key[i] + 1, 0.75f);
  }
  report("in a function", deposits, bins + 1);
}

int main() {
#pragma ompx managed(key, managed, some)
  int *key = new int[n], *managed = new int[bins](), *some = new int[bins]();
#pragma ompx managed(w, least)
  double *w = new double[n], *least = new double[bins];
#pragma ompx managed(l)
  long *l = new long[bins];
#pragma ompx managed(s)
  unsigned short *s = new unsigned short[bins];
#pragma ompx managed(b)
  int *b = new int[bins];
#pragma ompx managed(greatest, deposits)
  float *greatest = new float[bins], *deposits = new float[bins + 1]();
#pragma ompx managed(image)
  unsigned char *image = new unsigned char[60 * 90];
  for (int i = 0; i < n; ++i) key[i] = i * 7919l % bins, w[i] = i % 13 * 0.25;
  for (int i = 0; i < 60 * 90; ++i) image[i] = i * 2654435761u >> 11;
  sums(key, w, managed, bins);
  operators(key, l, s);
  logical(key, b, some);
  extrema(key, w, least, greatest);
  shapes(key, image, 60, 90, deposits);
}
