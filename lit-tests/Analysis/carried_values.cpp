// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether iterations are shown to be independent, so that it does not count who runs them.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | grep -E '^loop|carry|count on' | FileCheck %s

void independent(double *a, double *b, int *k, double (*m)[8], int n, int ld) {
  double t;
// CHECK: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] = b[i - 1] + b[i];
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for private(t)
  for (int i = 0; i < n; i += 2) {
    t = a[i];
    a[i + 1] = t;
  }
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ld; ++j) a[i * ld + j] += 1;
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 8; ++j) m[i][j] += 1;
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    a[k[i]] += b[i];
  }
}

// CHECK-NEXT: loop [[#@LINE+3]] in carried
// CHECK-NEXT: may carry values
void carried(double *a, int *k, int n, int ld, double t) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[k[i]] += 1;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i / 8] += 1;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ld; ++j) a[i + j] = j;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for firstprivate(t)
  for (int i = 0; i < n; ++i) a[i] = t += i;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int here;
#pragma omp atomic capture
    here = k[0]++;
    a[here] = i;
  }
}

extern "C" int omp_get_max_threads();

template <class T>
const T &larger(const T &left, const T &right) {
  return left < right ? right : left;
}

struct Layout {
  int threads, width;
};

// Parts that are computed from the number of threads.
// CHECK-NEXT: loop [[#@LINE+5]] in parts
// CHECK-NEXT: may carry values
// CHECK-NEXT: may count on each thread's iterations
void parts(double *sums, const double *a, int *owner, int n, Layout layout) {
  layout.width = n / omp_get_max_threads();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sums[i / layout.width] += a[i];
// CHECK-NEXT: loop [[#@LINE+3]] in parts
// CHECK-NEXT: may carry values
// CHECK-NEXT: may count on each thread's iterations
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    if (i % (n / omp_get_max_threads())) sums[i] += sums[i - 1];
  for (int i = 0; i < n; ++i) owner[i] = i / layout.width;
// CHECK-NEXT: loop [[#@LINE+3]] in parts
// CHECK-NEXT: may carry values
// CHECK-NEXT: may count on each thread's iterations
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sums[owner[i]] += a[i];
// CHECK-NEXT: loop [[#@LINE+4]] in parts
// CHECK-NEXT: may carry values
// CHECK-NEXT: may count on each thread's iterations
  const int most = larger(1, omp_get_max_threads()), width{n / most};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sums[i / width] += a[i];
// Not these: chunks whose threads are unknown, no order, another number.
// CHECK-NEXT: loop [[#@LINE+2]] in parts
// CHECK-NEXT: may carry values
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) sums[owner[i]] += a[i];
// CHECK-NEXT: loop [[#@LINE+1]] in parts
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < n; ++i) sums[owner[i]] += a[i];
// CHECK-NEXT: loop [[#@LINE+2]] in parts
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sums[i / 8] += a[i];
}
