/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions, and loops, that make variables of static storage private, in C.
 *
 * RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -w -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
 * RUN: %run %t | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 */
#include <stdio.h>
#include <stdlib.h>
int g = 7, h = 3, k; double tmp[4], q; struct S { int a; double b; } st = {1, 2}; extern int e; int e = 4;
static long sum(long *a, int n) { long s = 0; for (int i = 0; i < n; ++i) s += a[i] * (i % 3 + 1), a[i] = 0; return s; }
int main(void) {
  const int n = 1000; int i, j;
  #pragma ompx managed(a)
  long *a = calloc(n, sizeof *a);
  #pragma omp parallel private(g, h)
  { h = 5;
    #pragma omp for
    for (i = 0; i < n; ++i) { g = i + h; a[i] = g; } }
  printf("1 %ld %d %d\n", sum(a, n), g, h);
  #pragma omp parallel private(g, k, i)
  { for (k = 0; k < 3; ++k) {
    #pragma omp for
    for (i = 0; i < n; ++i) { for (g = 0; g < k; ++g) a[i] += g * k; a[i] += k; } } }
  printf("2 %ld %d %d\n", sum(a, n), g, k);
  #pragma omp parallel private(tmp)
  { 
    #pragma omp for
    for (i = 0; i < n; ++i) { for (int j = 0; j < 4; ++j) tmp[j] = i + j; a[i] = tmp[i % 4]; } }
  printf("3 %ld %g\n", sum(a, n), tmp[1]);
  #pragma omp parallel firstprivate(st)
  { st.a += 5;
    #pragma omp for
    for (i = 0; i < n; ++i) a[i] = st.a + st.b; }
  printf("4 %ld %d\n", sum(a, n), st.a);
  #pragma omp parallel firstprivate(e)
  { e++;
    #pragma omp for
    for (i = e; i < n - e; ++i) a[i] = e; }
  printf("5 %ld %d\n", sum(a, n), e);
  #pragma omp parallel private(q)
  { q = 0;
    #pragma omp for
    for (i = 0; i < n; ++i) { a[i] = i; q += i; }
    #pragma omp critical
    h += (int)q; }
  printf("6 %ld %g %d\n", sum(a, n), q, h);
  #pragma omp parallel
  { 
    #pragma omp for lastprivate(g) firstprivate(h)
    for (i = 0; i < n; ++i) { g = i + h; a[i] = g; } }
  printf("7 %ld %d %d\n", sum(a, n), g, h);
  #pragma omp parallel for private(g) firstprivate(h) lastprivate(k)
  for (i = 0; i < n; ++i) { g = h; h += 1; g += i; k = g; a[i] = g - (h - h); h -= 1; }
  printf("8 %ld %d %d %d\n", sum(a, n), g, h, k);
  static double *pp; pp = malloc(8 * 10); for (j = 0; j < 10; ++j) pp[j] = j;
  double *other = malloc(80); for (j = 0; j < 10; ++j) other[j] = 100 + j;
  #pragma omp parallel firstprivate(pp)
  { pp = other;
    #pragma omp for
    for (i = 0; i < n; ++i) a[i] = pp[i % 10]; }
  printf("9 %ld %g\n", sum(a, n), pp[1]);
  double *lp = pp;
  #pragma omp parallel firstprivate(lp)
  { lp = other;
    #pragma omp for
    for (i = 0; i < n; ++i) a[i] = lp[i % 10]; }
  printf("10 %ld %g\n", sum(a, n), lp[1]);
  return 0;
}
