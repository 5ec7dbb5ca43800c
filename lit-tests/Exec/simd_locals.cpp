// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of a simd loop that have arrays and objects of their own: clang 19 lets them share one where it vectorizes
// the loop (plain is compiled without optimizations here). Native code leaves `simd` out then. It is a hint.
//
// RUN: %plain -w -O0 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O3 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '^// ' | FileCheck %s
#include <cstdio>

struct Counter {
  int at;
  int next() { return at++; }
};

static long picked(int at) {
  int small[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  small[at % 8] += at;
  return small[0] + small[1] * 3 + small[(at + 1) % 8];
}

// CHECK-LABEL: struct muster_loop_
// CHECK:         #pragma omp parallel for firstprivate(
__attribute__((noinline)) static void arrays(long *a, long n) {
#pragma omp parallel for simd
  for (long i = 0; i < n; ++i) {
    Counter counter{(int)i % 4};
    double w[16] = {1, 2, 3, 4, 5, 6};
    const double more = counter.next() + 0.5;
    w[counter.next()] += more;
    a[i] = (long)(w[0] + w[1] * 2 + w[2] * 3 + w[3] + w[4] - w[5] + w[6]) % 97;
  }
}

// CHECK-LABEL: struct muster_loop_
// CHECK:         #pragma omp parallel for firstprivate(
__attribute__((noinline)) static void functions(long *b, long n) {
#pragma omp parallel for simd
  for (long i = 0; i < n; ++i) b[i] = picked((int)i);
}

// CHECK-LABEL: struct muster_loop_
// CHECK:         #pragma omp parallel for simd firstprivate(
__attribute__((noinline)) static void numbers(const long *a, long *c, long n) {
#pragma omp parallel for simd
  for (long i = 0; i < n; ++i) {
    const long twice = 2 * i;
    c[i] = twice + a[i];
  }
}

// CHECK-LABEL: struct muster_loop_
// CHECK:         #pragma omp parallel for firstprivate(a, d) private(t){{$}}
__attribute__((noinline)) static void clauses(const long *a, long *d, long n) {
  long t[4];
#pragma omp parallel for simd safelen(8) simdlen(4) private(t)
  for (long i = 0; i < n; ++i) {
    for (int q = 0; q < 4; ++q) t[(i + q) % 4] = a[i] * q;
    d[i] = t[i % 4] + t[3];
  }
}

int main() {
  const long n = 1000;
#pragma ompx managed(a, b, c, d)
  long *a = new long[n], *b = new long[n], *c = new long[n], *d = new long[n];
  arrays(a, n);
  functions(b, n);
  numbers(a, c, n);
  clauses(a, d, n);
  long sum = 0;
  for (long i = 0; i < n; ++i) sum = (sum * 31 + a[i] + 7 * b[i] + 3 * c[i] + 5 * d[i]) % 1000003;
  printf("%ld\n", sum);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] d;
}
