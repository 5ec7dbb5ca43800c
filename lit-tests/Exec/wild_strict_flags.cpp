// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -Werror judges the user's text, not what it is rewritten to: a counter declared outside of its loop, pragmas inside
// of bodies, loops as the only statement of something. The plain program is the oracle.
//
// RUN: %plain -O0 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O0 -g -Wall -Wextra -Werror -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// CHECK-COUNT-15: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <utility>

#include "Inputs/wild_report.h"

static void change(double* a, int n, bool up) {
  if (up)
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] += 1;
  else
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] -= 1;
  for (int t = 0; t < 2; t++)
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
  while (n > 1000)
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = 0;
  switch (n) {
    case 100:
#pragma omp parallel for
      for (int i = 0; i < n; i++) a[i] += 5;
      break;
    default:;
#pragma omp parallel for
      for (int i = 0; i < n; i++) a[i] += 7;
  }
  do
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] += 0.5;
  while (0);
}

int main() {
  int n = 100;
#pragma ompx managed(a)
  double* a = new double[n]();
  change(a, n, true);
  change(a, n / 2, false);
  report("statements", a, n);
  {
    int i;
    const int half = n / 2;
    double scale = 2.5;
#pragma omp parallel for private(i) schedule(static)  // a comment
    for (i = 0; i < half; i++) /* body */ {
      // "quotes" and } braces
      const char brace = '}';
      a[i] = a[i] * scale + brace; /* } */
    }
    int j, k;
#pragma omp parallel for private(k) collapse(2)
    for (j = 0; j < 10; j++)
      for (k = 0; k < 10; k++) a[j * 10 + k] += 1;
    report("counters outside", a, n);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < 3; ++j) a[i] += j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma clang loop vectorize(disable)
    for (int j = 0; j < 3; ++j) a[i] += j;
  }
#pragma omp parallel for
  for (auto i = 0; i < n; ++i) {
    [[maybe_unused]] int unused = 1;
    if (int z = i % 3; z == 1) a[i] += z;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 2) [[unlikely]]
      a[i] += 1;
  auto [x, y] = std::pair<int, double>(3, 4.5);
  const int first = x;
  const double second = y;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += first + second;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if constexpr (sizeof(int) == 4)
      a[i] += 1;
    else
      a[i] += 2;
  }
  report("bodies", a, n);
  delete[] a;
}
