// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a worksharing loop does to variables of which each thread has its own.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s 2>/dev/null | FileCheck %s
#include <cstdio>

double use(double x) { return x; }

void variables(double *a, int *b, int n) {
  bool found = false;
#pragma omp parallel
  {
    int j;
    double factor = 2, known, last, sum = 0, most = -1;
    int counts[8] = {0}, dead;
    bool mine = false;
    double *from = a;
    for (int t = 0; t < 3; ++t) {
// CHECK: loop [[#@LINE+14]] in variables
// CHECK:       array from: pointer of double read written
// CHECK-NEXT:  array b: pointer of int read
// CHECK-NEXT:  array counts: array of int updated
// CHECK-NEXT:  scalar factor
// CHECK-NEXT:  private j
// CHECK-NEXT:  private known
// CHECK-NEXT:  private dead
// CHECK-NEXT:  result last: lastprivate
// CHECK-NEXT:  result sum: +
// CHECK-NEXT:  result most: max
// CHECK-NEXT:  result mine: || of settings to true
// CHECK-NEXT:  result found: || of settings to true
// CHECK-NEXT:  reduces counts: +
#pragma omp for
      for (int i = 0; i < n; ++i) {
        for (j = 0; j < 4; ++j) from[4 * i + j] += factor;
        known = from[4 * i];
        dead = b[i];
        last = known + dead;
        sum += last;
        if (most < last) most = last;
        counts[dead]++;
        if (last > 5) {
          mine = true;
          found = true;
        }
      }
      for (dead = 0; dead < 3; ++dead) if (dead > 0) std::printf("%d", dead);
    }
    if (sum > 0) std::printf("%g %g %g %d %d", use(last), sum, most, counts[0], mine);
  }
// CHECK: region {{[0-9]+}} of one thread
}
