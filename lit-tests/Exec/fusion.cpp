// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the same iterations, one behind the other, which a device runs as one; and those that cannot be one, as an
// iteration depends on another one's, or come in another order each time.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && not grep 'fused with others' %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_FUSE=off MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && not grep 'fused with others' %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INJECT=build-failure %t.muster 2>/dev/null | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cmath>
#include <cstdio>
#include <cstdlib>

static const int n = 3001, rounds = 60;

static void report(const char *name, long count, const double *a, const double *b) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + a[i] + 3 * b[i];
  printf("%s %.17g\n", name, sum);
}

// The order of a sum is the same, fused or not. Whole numbers, for other numbers of ranks.
// KERNEL-LABEL: void muster_gradients_{{[0-9]+}}(
// KERNEL-LABEL: void muster_gradients_{{[0-9]+}}(
// KERNEL-LABEL: #define MUSTER_GUEST_ITERATION
// KERNEL: __global const double *r_buf, long r_origin,
// KERNEL-NEXT: MUSTER_GUEST_ARRAYS double weight,
// KERNEL-NEXT: MUSTER_GUEST_SCALARS long muster_first_0
// KERNEL: for (long muster_k_0
// KERNEL-NEXT: {{^ *}}MUSTER_GUEST_ITERATION
// REPORT: (muster_gradients_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_gradients_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_gradients_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static double gradients(double *x, const double *p, double *r, const double *q, int alpha, double weight) {
  double rho = 0, top = -1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] += alpha * p[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) r[i] -= alpha * q[i];
#pragma omp parallel for reduction(+ : rho) reduction(max : top)
  for (int i = 0; i < n; ++i) {
    if (i % 5 == 3) continue;
    rho += weight * r[i] * (i % 3);
    top = fmax(top, r[i]);
  }
  return rho + top;
}

// Rows and columns; a loop that leaves iterations early, and one that goes the other way for both arrays.
// REPORT: (muster_rows_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_rows_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void rows(double *a, double *b, int m, int s) {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n / m; ++i)
    for (int j = 0; j < m; ++j) {
      if ((i + j + s) % 4 == 0) continue;
      a[i * m + j] += b[i * m + j] + s;
    }
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n / m; ++i)
    for (int j = 0; j < m; ++j) b[i * m + j] = fmin(a[i * m + j], 100) - b[i * m + j];
}

// Each second element, from its end; of two pointers into one array that meet at the same elements.
// REPORT: (muster_strides_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_strides_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void strides(double *a, double *behind, double *b) {
#pragma omp parallel for
  for (int i = n / 2 - 2; i >= 0; --i) a[2 * i + 4] = b[i] + 1;
#pragma omp parallel for
  for (int i = n / 2 - 2; i >= 0; --i) b[i] = behind[2 * i] * 0.5 + b[i];
}

// What one iteration makes another one reads: by an index, by a pointer, by a shorter stride.
// REPORT: (muster_neighbours_[[#@LINE+9]])
// REPORT-NOT: fused with others
// REPORT: (muster_neighbours_[[#@LINE+9]])
// REPORT: (muster_neighbours_[[#@LINE+12]])
// REPORT-NOT: fused with others
// REPORT: (muster_neighbours_[[#@LINE+12]])
static void neighbours(double *a, double *behind, double *b, double *c) {
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) a[i] = b[i] + 1;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) c[i] = a[i + 1] - 1;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) b[i] = c[n - 2 - i];
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) behind[i] = b[i] * 0.25;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) c[i] = a[i] + 2;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) a[i] = c[i / 2 * 2];
}

// REPORT: (muster_ranges_{{.*}}): 60 launches
// REPORT-NOT: fused with others
// REPORT: (muster_turns_
static void ranges(double *a, double *b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i] + 1;
#pragma omp parallel for
  for (int i = 1; i < n; ++i) b[i] = a[i] * 0.5;
}

// The next loop is another one each time, or the program looks at what the first one made.
static void turns(double *a, double *b, int s) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += b[i] * 0.125;
  if (s > 8 && s % 3 == 0) printf("%g %g\n", a[0], a[n - 1]);
  if (s < 8 || s % 2 == 0) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i] = a[i] * 0.5 + s;
  } else {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i] = b[i] - a[i] * 0.25;
  }
}

// Arrays that live as long as the loops between which they carry something.
// REPORT: (muster_scratch_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
// REPORT: (muster_scratch_{{.*}}): 60 launches
// REPORT-NEXT: {{[0-9]+}} launches fused with others
static void scratch(double *a, const double *b) {
#pragma ompx managed(half)
  double *half = (double *)malloc(n * sizeof(double));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) half[i] = 0.5 * (a[i] + b[i]);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = half[i] * half[i] * 0.001;
  free(half);
}

// Functions of their own: two texts with definitions do not go together, one does.
static double root(double v) {
  double x = v;
  for (int k = 0; k < 5; ++k) x = 0.5 * (x + v / x);
  return x;
}
static void functions(double *a, double *b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = root(b[i] * b[i] + 1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i] * 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] += root(a[i]);
}

// Sums whose loops write, too: in rows and columns, where the text says that no other pointer leads to its arrays.
static double written(double *a, double *b, double *c, int m, double d) {
  double sum = 0, total = 0;
#pragma omp parallel for
  for (int i = 0; i < n / m; ++i)
    for (int j = 0; j < m; ++j) a[i * m + j] -= d * b[i * m + j];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n / m; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 2 * a[i * m + j];
      sum += a[i * m + j] - c[i * m + j];
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = c[i] * 0.5 - b[i];
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) {
    c[i] = b[i] + 1;
    total += c[i] - a[i];
  }
  return sum + total;
}

int main() {
#pragma ompx managed(x, p, r, q)
  double *x = (double *)malloc(n * sizeof(double)), *p = (double *)malloc(n * sizeof(double));
  double *r = (double *)malloc(n * sizeof(double)), *q = (double *)malloc(n * sizeof(double));
  const auto fill = [&] {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) x[i] = i % 5, p[i] = i % 7, r[i] = i % 11, q[i] = i % 3;
  };
  fill();
  double sum = 0;
  for (int s = 0; s < rounds; ++s) sum = sum * 0.5 + gradients(x, p, r, q, s % 3, 2);
  printf("gradients %.17g\n", sum);
  report("gradients", n, x, r);
  fill();
  for (int s = 0; s < rounds; ++s) rows(x, p, 47, s);
  report("rows", n, x, p);
  fill();
  for (int s = 0; s < rounds; ++s) strides(x, x + 4, p);
  report("strides", n, x, p);
  fill();
  for (int s = 0; s < rounds; ++s) neighbours(x, x + 1, p, q);
  report("neighbours", n, x, q);
  fill();
  for (int s = 0; s < rounds; ++s) ranges(x, p);
  report("ranges", n, x, p);
  fill();
  for (int s = 0; s < rounds; ++s) turns(x, p, s);
  report("turns", n, x, p);
  fill();
  for (int s = 0; s < rounds; ++s) scratch(x, p);
  report("scratch", n, x, p);
  fill();
  sum = 0;
  for (int s = 0; s < rounds; ++s) sum = sum * 0.5 + written(x, p, r, 47, s % 2);
  printf("written %.17g\n", sum);
  report("written", n, x, r);
  fill();
  for (int s = 0; s < rounds; ++s) functions(x, p);
  report("functions", n, x, p);
  free(x), free(p), free(r), free(q);
}
