/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that a loop calls name global arrays, managed or not, and pointers to managed arrays: they read, write and
 * update elements, hand them on, and have variables of the same names. The plain program is the oracle.
 *
 * RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
 * RUN: %run %t.muster > %t.actual
 * RUN: diff %t.expected %t.actual
 * RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
 * RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
 * RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
 * RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu \
 * RUN:   %t.muster | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s --check-prefix=INFO
 * INFO-COUNT-9: 3 launches,
 *
 * CHECK: remark: loop stays plain {{.*}}: calls 'of_all', which uses the global 'grid'; give it a pointer
 * CHECK: remark: loop stays plain {{.*}}: assigns to the shared pointer 'walker'
 * CHECK: remark: loop stays plain {{.*}}: calls 'marked', which uses the global 'grid'; give it a pointer
 * CHECK: remark: loops: 10 for all devices, 0 for CPUs only, 3 plain OpenMP
 */
#include <stdio.h>
#include <stdlib.h>

#define N 300
#define LENGTH 16

typedef struct {
  double real, imag;
} complex_t;

static complex_t roots[LENGTH];
#pragma ompx managed(grid, rows, counts)
static double grid[N];
static double rows[N][5];
static int counts[8];
static double (*ce)[5];
static double *out, *other;
static double *walker;
static double plain_array[1000];

static double marked(int i) { return grid[i] + grid[N - 1 - i]; }
static double exact(int i, int m) { return ce[i % 13][m] + ce[0][m] * (i % 3); }
static void exact_all(int i, double values[5]) {
  for (int m = 0; m < 5; m++) values[m] = exact(i, m);
}
static void store(int i, double value) {
  double *grid = &rows[i][1];
  grid[0] = value;
  grid[1] = value / 2;
  out[i] += value;
}
static void count(int i) {
#pragma omp atomic
  counts[i & 7]++;
}
static complex_t times(complex_t a, complex_t b) {
  complex_t c = {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  return c;
}
/* Its parameter has the name of the global that another function uses. */
static void turn(int k, const complex_t *roots, complex_t x[LENGTH], double *sum) {
  for (int i = 0; i < LENGTH; i++) {
    x[i] = times(x[i], roots[(i * k) % LENGTH]);
    *sum += x[i].real - x[i].imag + (k > 0 ? grid[k % N] : 0);
  }
}
static void transform(int k, complex_t x[LENGTH], double *sum) {
  if (k % 2) turn(k, roots, x, sum);
  turn(k + 1, roots, x, sum);
}
static double of_plain(int i) { return plain_array[(3 * i) % 1000]; }
static double of_all(int i) { return grid[i] + sizeof(grid) / sizeof(grid[0]); }
static double advance(int i) {
  walker = out + i;
  return *walker;
}

static double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7 + 1);
  return s;
}

static void refused(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += of_all(i);
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) a[i] += advance(i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double grid = i;
    a[i] += marked(i) + grid;
  }
}

int main(void) {
  int n = N;
#pragma ompx managed(a)
  double *a = calloc(n, sizeof(double));
#pragma ompx managed(ce)
  ce = malloc(13 * sizeof *ce);
#pragma ompx managed(out)
  out = calloc(n, sizeof(double));
#pragma ompx managed(other)
  other = calloc(n, sizeof(double));
  walker = out;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 13; i++)
      for (int m = 0; m < 5; m++) ce[i][m] = i * m + round;
    for (int k = 0; k < LENGTH; k++) roots[k].real = k * 0.25 - round, roots[k].imag = 1.0 / (k + 1);
    for (int i = 0; i < 1000; i++) plain_array[i] = i * round;
    for (int i = 0; i < n; i++) grid[i] = i % 11 - round;
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = marked(i);
    printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double values[5];
      exact_all(i, values);
      a[i] += values[i % 5] + exact(i, 2);
    }
    printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; i++) store(i, a[i] + ce[1][2]);
    printf("%g %g\n", total(&rows[0][0], 5 * n), total(out, n));
#pragma omp parallel for
    for (int i = 0; i < n; i++) count((int)a[i]);
    for (int k = 0; k < 8; k++) printf(" %d", counts[k]);
    printf("\n");
#pragma omp parallel for
    for (int i = 0; i < n; i++) grid[i] = exact(i, 1);
    printf("%g\n", total(grid, n));
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      complex_t x[LENGTH];
      double sum = 0;
      for (int k = 0; k < LENGTH; k++) x[k].real = i + k, x[k].imag = i - k;
      transform(i % 5, x, &sum);
      out[i] += sum;
    }
    printf("%g\n", total(out, n));
#pragma omp parallel
    {
      double values[5];
#pragma omp for
      for (int i = 0; i < n; i++) {
        exact_all(n - i, values);
        a[i] = values[3];
      }
#pragma omp for
      for (int i = 0; i < n; i++) store(i, a[i]);
    }
    printf("%g %g\n", total(&rows[0][0], 5 * n), total(out, n));
    double *swap = out;
    out = other;
    other = swap;
#pragma omp parallel for
    for (int i = 0; i < n; i++) store(i, other[i]);
    printf("%g %g\n", total(out, n), total(other, n));
  }
  /* Not managed: the loop runs on the host. */
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += of_plain(i);
  refused(a, n);
  printf("%g\n", total(a, n));
  free(a), free(ce), free(out), free(other);
  return 0;
}
