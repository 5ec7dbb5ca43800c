// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a directive can stand before, and which allocations it then covers.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=directives %s 2>&1 | %filecheck %s
#include <cstdlib>
#include <vector>

#pragma omp managed(global)
static double global[4][4];

void f(int n) {
  // A stack of directives, preprocessor lines and attributes may come in between.
#pragma omp managed(u)
#pragma omp managed(v)
#ifdef __cplusplus
#define VALUES 3
#endif
  [[maybe_unused]] double *u = new double[n], *v = static_cast<double *>(std::malloc(n * sizeof(double)));
  // Every allocation that is assigned later counts.
#pragma omp managed(late)
  int *late;
  if (n > 3)
    late = new int[n];
  else
    late = (int *)calloc(n, sizeof(int));
  // Only this one counts.
  float *once = new float[n];
#pragma omp managed(once)
  once = n ? new float[2 * n] : nullptr;
#pragma omp managed(w, x)
  std::vector<double> w(n), x;
  // Defined in another unit.
  extern double *elsewhere;
#pragma omp managed(elsewhere)
  elsewhere = new double[n];
  delete[] u;
  delete[] once;
}
// CHECK: managed 'global' : 'double[4][4]' declared at 8:15
// CHECK-NEXT: managed 'u' : 'double *' declared at 17:28 allocated at 17:32
// CHECK-NEXT: managed 'v' : 'double *' declared at 17:48 allocated at 17:74
// CHECK-NEXT: managed 'late' : 'int *' declared at 20:8 allocated at 22:12
// CHECK-NEXT: managed 'late' : 'int *' declared at 20:8 allocated at 24:19
// CHECK-NEXT: managed 'once' : 'float *' declared at 26:10 allocated at 28:14
// CHECK-NEXT: managed 'w' : 'std::vector<double>' declared at 30:23
// CHECK-NEXT: managed 'x' : 'std::vector<double>' declared at 30:29
// CHECK-NEXT: managed 'elsewhere' : 'double *' declared at 32:18 allocated at 34:15
