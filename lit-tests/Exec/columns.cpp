// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests whose outer loop runs along memory, padded rows, and short matrices in a batch: all loops become dimensions, and
// the longest adjacent one lies along axis 0. A launch whose numbers are not as assumed runs on the host. The plain
// program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: FileCheck --check-prefix=REPORT %s < %t.report
// REPORT: (muster_columns_{{[0-9]+}}): 8 launches
// REPORT-NOT: rank 0's CPU
// REPORT: (muster_one_{{[0-9]+}}): 2 launches
// REPORT-NEXT: 2 launches on rank 0's CPU
// REPORT-NOT: rank 0's CPU
// REPORT: (muster_deep_{{[0-9]+}}): 2 launches
// RUN: %run MUSTER_DEVICES=opencl MUSTER_KERNELS=first %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_KERNELS=plain %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_WEIGHTS=1,1 MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <cstdio>
#include <cstdlib>

#pragma ompx managed(a)
static double *a;
#pragma ompx managed(b)
static double *b;

static void report(const char *name, const double *x, int count) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < count; i++) sum += x[i], weighted += x[i] * (i % 97);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

static void columns(int n, int m, int pitch) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[j * pitch + i] = 0.25 * (a[j * pitch + i - 1] + a[j * pitch + i + 1] + a[(j - 1) * pitch + i] +
                                 a[(j + 1) * pitch + i]);
}

static void padded(int e, int n, int m, int pitch) {
#pragma omp parallel for
  for (int h = 0; h < e; h++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) b[(h * n + j) * pitch + k] = a[(h * n + j) * pitch + k] + k - j;
}

static void products(int count) {
  const int m = 8;
#pragma omp parallel for
  for (int e = 0; e < count; e++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int k = 0; k < m; k++) s += a[(e * m + i) * m + k] * a[(e * m + k) * m + j];
        b[(e * m + i) * m + j] = s;
      }
}

// The last one to write an element is the plain program's last one.
static void one(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[j * (n - 7) + i * 64] = i * 100 + j;
}

static void deep(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 13; j++)
      for (int k = 0; k < 11; k++) b[(j * 11 + k) * n + i] = a[(j * 11 + k) * n + i] - i;
}

int main() {
  const int room = 20000;
  a = new double[room];
  b = new double[room];
  for (int i = 0; i < room; i++) a[i] = (i * 7) % 101 * 0.5, b[i] = i % 13;
  for (int t = 0; t < 4; t++) {
    columns(101, 67, 101), report("columns", b, room);
    columns(50 + t, 40, 128), report("columns with a pitch", b, room);
    padded(5, 13, 29, 29 + t), report("padded", b, room);
    products(40 + t), report("products", b, room);
    if (t < 2) one(7, 5), report("in one place", b, room);
    if (t >= 2) deep(37), report("deep", b, room);
    double *other = a;
    a = b, b = other;
  }
}
