// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region without braces ends with the token that ends its loop, which calls a function of another unit: the texts for
// one thread and for a team are closed before the region is.
//
// RUN: %muster++ -w -c -o %t.o %s 2>&1 | FileCheck --allow-empty --implicit-check-not=error --implicit-check-not=warning %s
// CHECK-NOT: stays plain
double other(double *p);
void region(double *a, int n, int threads) {
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; ++i) other(&a[i]);
#pragma omp parallel num_threads(3) if (threads)
  if (threads > 1)
#pragma omp for
    for (int i = 0; i < n; ++i) other(&a[i]);
  else
#pragma omp for
    for (int i = 0; i < n; ++i) other(&a[n - 1 - i]);
}
