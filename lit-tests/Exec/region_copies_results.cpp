// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of loops in a region's copies of variables of static storage: sums, minima with their places, flags, last
// values; managed arrays; functions with loops of their own, which have the originals.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
struct Pair { long a; double b; long c; };
static Pair sums; static long key, at; static bool seen; static int last; static double w[8]; static int g = 3;
#pragma ompx managed(big)
static double big[100];
static void orphan(long *a, int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] += g;
}
int main() {
  const int n = 1000;
#pragma ompx managed(a)
  long *a = new long[n]();
  for (int i = 0; i < n; ++i) a[i] = (i * 37) % 211;
  long s = 0; double d = 0;
#pragma omp parallel private(sums)
  { sums.a = 0; sums.b = 0; sums.c = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) { sums.a += a[i]; sums.b += 2 * a[i]; }
#pragma omp critical
    { s += sums.a; d += sums.b; } }
  printf("%ld %g %ld %g\n", s, d, sums.a, sums.b);
  long bestKey = 1000, bestAt = -1;
#pragma omp parallel private(key, at)
  { key = 1000; at = -1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) if (a[i] < key) { key = a[i]; at = i; }
#pragma omp critical
    if (key < bestKey || (key == bestKey && at < bestAt)) { bestKey = key; bestAt = at; } }
  printf("%ld %ld %ld %ld\n", bestKey, bestAt, key, at);
  bool any = false;
#pragma omp parallel private(seen)
  { seen = false;
#pragma omp for
    for (int i = 0; i < n; ++i) if (a[i] == 5) seen = true;
#pragma omp critical
    any |= seen; }
  printf("%d %d\n", any, seen);
#pragma omp parallel private(last)
  { 
#pragma omp for
    for (int i = 0; i < n; ++i) { last = a[i] + 1; a[i] = last; }
#pragma omp for
    for (int i = 0; i < n; ++i) { last = a[i] + 1; printf("%s", ""); a[i] = last; }
  }
  s = 0; for (int i = 0; i < n; ++i) s += a[i]; printf("%ld %d\n", s, last);
#pragma omp parallel firstprivate(g)
  { g = 50; orphan(a, n);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += g; }
  s = 0; for (int i = 0; i < n; ++i) s += a[i]; printf("%ld %d\n", s, g);
  double tot[8] = {};
#pragma omp parallel private(w)
  { for (int k = 0; k < 8; ++k) w[k] = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) w[i % 8] += a[i];
#pragma omp critical
    for (int k = 0; k < 8; ++k) tot[k] += w[k]; }
  printf("%g %g %g\n", tot[0], tot[7], w[0]);
  for (int i = 0; i < 100; ++i) big[i] = i;
#pragma omp parallel firstprivate(big)
  { big[2] = 1000;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += big[i % 100]; }
  s = 0; for (int i = 0; i < n; ++i) s += a[i]; printf("%ld %g\n", s, big[2]);
#pragma omp parallel firstprivate(g)
  { g += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += g + big[i % 100]; }
  s = 0; for (int i = 0; i < n; ++i) s += a[i]; printf("%ld\n", s);
#pragma omp parallel reduction(+ : w) firstprivate(g)
  { g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) w[i % 8] += g; }
  printf("%g\n", w[3]);
#pragma omp parallel firstprivate(big)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) { printf("%s", ""); a[i] += big[i % 100]; }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1; }
  s = 0; for (int i = 0; i < n; ++i) s += a[i]; printf("%ld %g\n", s, big[2]);
}
