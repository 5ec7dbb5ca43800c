// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compared pointers into arrays of whole pages, which would begin where others end if there were no byte behind each.
// The plain program is the oracle.
//
// RUN: %plain -O2 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --implicit-check-not=remark: %s
// RUN: %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <cstdio>
#include <vector>

constexpr int n = 4096;

// Both in a group, and equal nowhere.
void apart(const double *p, const double *q, long *out) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = p == q ? -1 : (long)q[i];
}

// `end` only ends, or is the place behind what is read.
double until(const double *begin, const double *end) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    if (begin + i < end) sum += begin[i];
  return sum;
}
double backwards(const double *begin, const double *end) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    if (end - 1 - i >= begin) sum += end[-1 - i];
  return sum;
}

// Any element.
void random(const double *p, const double *q, const long *order, long *out) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = p != q ? (long)q[order[i]] : 7;
}

int main() {
  std::vector<double *> all;
  for (int k = 0; k < 24; ++k) {
#pragma ompx managed(a)
    double *a = new double[n];
    for (int i = 0; i < n; ++i) a[i] = (i * 7 + k) % 19;
    all.push_back(a);
  }
#pragma ompx managed(out, order)
  long *out = new long[n], *order = new long[n];
  for (int i = 0; i < n; ++i) order[i] = (i * 31) % n;
  int neighbours = 0;
  for (int k = 1; k < 24; ++k) {
    double *before = all[k - 1], *behind = all[k];
    for (double *other : all)
      if (other == behind + n) before = behind, behind = other;  // grows in either direction
    neighbours += before + n == behind;
    int wrong = 0;
    double sum = 0;
    apart(before, behind, out);
    for (int i = 0; i < n; ++i) wrong += out[i] != (long)behind[i], sum += before[i];
    random(before, behind, order, out);
    for (int i = 0; i < n; ++i) wrong += out[i] != (long)behind[order[i]];
    wrong += until(before, before + n) != sum;
    wrong += backwards(before, before + n) != sum;
    std::printf("%d\n", wrong);
  }
  // Only with more than one device or process are arrays whole pages.
  if (neighbours != 0) std::printf("an array begins at the end of another\n");
  for (double *a : all) delete[] a;
  delete[] out;
  delete[] order;
}
