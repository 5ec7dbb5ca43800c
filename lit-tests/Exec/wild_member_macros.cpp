// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that are named as members of what the rewritten text uses; the plain program is the oracle.
//
// RUN: %plain -O2 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// CHECK-COUNT-4: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <vector>

#include "Inputs/loop_report.h"

#define count 100
#define lo 0
#define hi 50
#define first 2
#define step 3
#define data 7
#define size 4
#define max(a, b) ((a) > (b) ? (a) : (b))
#define type int
#define dims 2
#define results 5
#define exact(x) x
#define combine 6

int main() {
#pragma ompx managed(a, b)
  int *a = new int[count], *b = new int[count]();
#pragma ompx managed(v)
  std::vector<int> v(count);
  for (int i = 0; i < count; i++) a[i] = i;
#pragma omp parallel for schedule(static, step) num_threads(dims)
  for (int i = lo; i < hi; i += step) a[i + first] += data;
  report("step", a, count);
  int greatest = -1, i;
#pragma omp parallel for reduction(max : greatest) if (hi > lo) lastprivate(i)
  for (i = count - 1; i >= lo; i -= step) {
    greatest = max(greatest, exact(a[i]));
    b[i] = max(a[i], combine) * results;
  }
  report("maximum", greatest), report("last", i), report("down", b, count);
  int table[size * dims] = {};
#pragma omp parallel for reduction(+ : table[lo + 1 : size])
  for (int i = 0; i < count; i++) table[1 + a[i] % size]++;
  report("section", table, size * dims);
#pragma omp parallel for
  for (int k = 0; k < count; ++k) v[k] = a[k] + count + (type)b[count - 1 - k];
  report("vector", &v[0], count);
}
