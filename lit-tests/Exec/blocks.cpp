// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native loops in blocks of iterations, one for each thread: bounds at the ends of their types, fewer iterations than
// threads, none, and every way out of an iteration. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run OMP_NUM_THREADS=4 %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=rewrite %s -o %t \
// RUN:   | grep -v '// *CHECK' | FileCheck %s
// RUN: %run OMP_NUM_THREADS=4 %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=1 %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=7 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <climits>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

// CHECK-LABEL: void fill(
// CHECK: for (; i < muster_end; ++i) {
template <class Int>
void fill(double *a, Int from, Int to) {
#pragma omp parallel for
  for (Int i = from; i < to; ++i) {
    if ((i & 7) == 3) continue;
    double x = static_cast<double>(i);
    const Int *own = &i;
    for (int k = 0; k < 3; ++k) {
      if (k == static_cast<int>(*own & 1) + 1) break;
      x += 0.5;
    }
    a[i - from] = x;
  }
}

// The last one is INT_MAX: there is no value behind it.
// CHECK-LABEL: void closed(
// CHECK-NOT: muster_end
// CHECK: for (int muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {
void closed(double *a, int from, int to) {
#pragma omp parallel for
  for (int i = from; i <= to; ++i) a[i - from] += i;
}

// Down, by steps, and as the user schedules: as before.
// CHECK-LABEL: void counted(
// CHECK-NOT: muster_end
void counted(double *a, int n) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; --i) a[i] += i;
#pragma omp parallel for
  for (int i = 0; i < n; i += 3) a[i] *= 2;
#pragma omp parallel for schedule(static, 2)
  for (int i = 0; i < n; ++i) a[i] += 1;
}

// CHECK-LABEL: double sum(
double sum(const double *a, long n) {
  double total = 0, last = 0;
#pragma omp parallel for reduction(+ : total) lastprivate(last)
  for (long i = 0; i < n; ++i) total += a[i], last = a[i];
  return total + last;
}

void show(const char *what, const double *a, int n) {
  double weighted = 0;
  for (int i = 0; i < n; ++i) weighted += a[i] * (i + 1);
  std::printf("%s %.17g\n", what, weighted);
}

int main() {
  const int n = 1003;
#pragma ompx managed(a)
  double *a = new double[n]();
  for (const int count : {n, 5, 2, 1, 0}) {
    for (int i = 0; i < n; ++i) a[i] = -1;
    fill<int>(a, INT_MAX - count, INT_MAX), show("int", a, n);
    fill<int>(a, INT_MIN, INT_MIN + count), show("lowest", a, n);
    fill<unsigned>(a, UINT_MAX - count, UINT_MAX), show("unsigned", a, n);
    fill<int64_t>(a, INT64_MAX - count, INT64_MAX), show("long", a, n);
    fill<uint64_t>(a, UINT64_MAX - count, UINT64_MAX), show("size", a, n);
    if (count != 0) closed(a, INT_MAX - (count - 1), INT_MAX), show("closed", a, n);
    counted(a, count), show("counted", a, n);
    std::printf("sum %.17g\n", count != 0 ? sum(a, count) : 0.0);
  }
  delete[] a;
}
