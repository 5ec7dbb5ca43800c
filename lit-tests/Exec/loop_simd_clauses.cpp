// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `safelen` keeps its place in native code, `linear` of a loop's own variable says nothing new.
//
// RUN: %plain -O2 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -Werror -fplugin-arg-muster-strict -fplugin-arg-muster-print=rewrite %s -o %t.muster \
// RUN:   | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK: #pragma omp parallel for simd {{.*}}safelen(width)
#include <cstdio>

constexpr int width = 8;

int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma omp parallel for simd safelen(width) simdlen(4)
  for (int i = 0; i < n; ++i) a[i] = i % 9;
  int i = -1;
#pragma omp parallel for simd linear(i : 2)
  for (i = 0; i < n; i += 2) a[i] += 3;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * (k % 7);
  std::printf("%d %g\n", i, sum);
  delete[] a;
}
