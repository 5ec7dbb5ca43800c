// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant arrays of automatic storage are written out again in the native code; constants without a literal are
// passed as values. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s --check-prefix=PLAN
// RUN: count 0 < %t.said
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s
// PLAN-COUNT-4: {{^}}kernel
// PLAN-NOT: {{^kernel|^step back}}
// CHECK-NOT: not a managed array
#include <climits>
#include <cmath>
#include <limits>

#include "Inputs/wild_report.h"

int main() {
  const int n = 240;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n]();
  fill(a, n);
  const double weights[3] = {0.25, 0.5, 0.1};
  const short offsets[2][2] = {{-1, 0}, {1}};
  constexpr unsigned long masks[4] = {~0ul, 1, 0x8000000000000000ul};
  const long long lowest[2] = {LLONG_MIN, LLONG_MAX};
  const bool used[] = {true, false, true};
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
      if (used[k]) sum += weights[k] * a[i + k - 1];
    b[i] = sum;
  }
  report("weights", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    b[i] = offsets[i % 2][i / 2 % 2] + (masks[i % 4] >> 62) + (lowest[i % 2] >> 40);
  }
  report("integers", b, n);
  const double infinity = std::numeric_limits<double>::infinity();
  const float nothing = NAN;
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = a[i] > 50 ? infinity : -a[i];
  report("infinity", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = nothing == nothing ? 1 : 2;
  report("nan", a, n);
  delete[] a;
  delete[] b;
}
