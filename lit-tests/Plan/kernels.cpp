// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with their arguments, and loops that step back.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck --match-full-lines --strict-whitespace %s

static int level;
static int raised(int x) { return x + level; }

//      CHECK:kernel muster_sum_[[#@LINE+9]] for loop [[#@LINE+9]]
// CHECK-NEXT:  dims i
// CHECK-NEXT:  arrays a:r b:rw
// CHECK-NEXT:  scalars weight level
// CHECK-NEXT:  results s last
// CHECK-NEXT:  native and OpenCL, needs fp64
double sum(const double *a, int *b, int n, double weight) {
  double s = 0;
  int last;
#pragma omp parallel for reduction(+ : s) lastprivate(last)
  for (int i = 0; i < n; i++) {
    s += a[i] * weight;
    last = raised(b[i]);
    b[i] = last;
  }
  return s + last;
}
//      CHECK:kernel muster_wide_[[#@LINE+5]] for loop [[#@LINE+5]]
// CHECK-NEXT:  dims i
// CHECK-NEXT:  arrays a:w
// CHECK-NEXT:  native only: {{.*}}long double{{.*}}
void wide(long double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = 1;
}
//      CHECK:step back for loop [[#@LINE+4]]: contains 'omp critical' around something else than one update
// CHECK-NEXT:  host access a
void stepBack(double *a, int n) {
  double c[4];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    a[i] = c[i % 4];
  }
}
