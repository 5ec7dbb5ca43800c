// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch gets the addresses of copies of the scalars that its loop reads: those of the function's own variables would
// keep these in memory. What may lie in an array (docs/pitfalls.md) keeps its address, and what is no scalar.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s

struct Pair {
  double x, y;
};
double shared = 2;
#pragma omp managed(a)
double *a = new double[1000];

// CHECK:      const auto muster_value0 = f;
// CHECK-NEXT: const void *const muster_scalars[] = {
// CHECK-NEXT:   &muster_value0,
// CHECK-NEXT:   &g,
// CHECK-NEXT:   &::shared,
// CHECK-NEXT:   &p.x,
// CHECK-NEXT:   &weights,
// CHECK-NEXT: };
void scale(int n, double f, const double &g, Pair p) {
  const double weights[2] = {f, 1};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * f + g + shared + p.x + weights[i % 2];
}
