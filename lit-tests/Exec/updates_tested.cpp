// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minima and maxima under `omp critical` behind a test of the same, which spares most iterations the wait.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.report | diff %t.expected -
// RUN: FileCheck --input-file %t.report %s
// CHECK-COUNT-5: (muster_main_{{.*}}): 1 launch
// RUN: %muster++ -fsyntax-only -w -DREFUSED %s 2>&1 | FileCheck --check-prefix=REFUSED %s
#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  const int n = 3000;
#pragma ompx managed(a, k)
  double *a = new double[n];
  int *k = new int[n];
  for (int i = 0; i < n; ++i) a[i] = (i * 7919) % 3001 - 0.5, k[i] = (i * 31) % 1999;
  double most = -1, less = 1e300, call = -5, none = NAN;
  int least = 1 << 30;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] > most) {
#pragma omp critical
      if (a[i] > most) most = a[i];
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double v = a[i] * a[i];
    if (less >= v)
#pragma omp critical
    {
      less = v < less ? v : less;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (call < a[i]) {
#pragma omp critical(of_a_name)
      { call = std::max(call, a[i]); }
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (k[i] < least) {
#pragma omp critical
      least = std::min(k[i], least);
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > none) {
#pragma omp critical
      none = std::max(none, a[i]);
    }
  printf("%g %g %g %d %d\n", most, less, call, least, std::isnan(none));
#ifdef REFUSED
// The test is another one; what is NaN at first would not stay so; the test guards more.
// REFUSED: [[@LINE+1]]:{{.*}} writes the shared variable 'most'
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] < most) {
#pragma omp critical
      if (a[i] > most) most = a[i];
    }
// REFUSED: [[@LINE+1]]:{{.*}} contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > none) {
#pragma omp critical
      none = std::fmax(none, a[i]);
    }
// REFUSED: [[@LINE+1]]:{{.*}} writes the shared variable 'call'
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > call) {
      a[i] = 1;
#pragma omp critical
      call = std::max(call, a[i]);
    }
#endif
  delete[] a;
  delete[] k;
}
