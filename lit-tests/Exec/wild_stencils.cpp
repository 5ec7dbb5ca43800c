// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils in one to three dimensions, red-black in place, triangular loops. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <utility>
#include "Inputs/wild_report.h"
static void step3(double* o, const double* a, int nx, int ny, int nz) {
#pragma omp parallel for collapse(2)
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        int k = (z * ny + y) * nx + x;
        o[k] = a[k] + 0.1 * (a[k - 1] + a[k + 1] + a[k - nx] + a[k + nx] + a[k - nx * ny] + a[k + nx * ny] - 6 * a[k]);
      }
}
int main() {
  int n = 100;
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(b)
  double* b = new double[n];
  fill(a, n);
  fill(b, n);
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    double* t2 = a;
    a = b;
    b = t2;
  }
  report("1d", a, n);
  int w = 37, h = 29;
#pragma ompx managed(g)
  double* g = (double*)malloc(w * h * sizeof(double));
  fill(g, w * h, 3);
  for (int it = 0; it < 6; it++)
    for (int c = 0; c < 2; c++) {
#pragma omp parallel for
      for (int i = 1; i < h - 1; i++)
        for (int j = 1 + (i + c) % 2; j < w - 1; j += 2)
          g[i * w + j] = 0.25 * (g[(i - 1) * w + j] + g[(i + 1) * w + j] + g[i * w + j - 1] + g[i * w + j + 1]);
    }
  report("redblack", g, w * h);
#pragma ompx managed(L)
  double* L = (double*)calloc(n * n, sizeof(double));
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) L[i * n + j] = i * 0.5 + j;
  report("tri", L, n * n);
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) L[i * n + j] = L[j * n + i];
  report("trisym", L, n * n);
  int nx = 13, ny = 11, nz = 9;
#pragma ompx managed(p)
  double* p = new double[nx * ny * nz];
#pragma ompx managed(q)
  double* q = new double[nx * ny * nz];
  fill(p, nx * ny * nz);
  fill(q, nx * ny * nz);
  for (int t = 0; t < 4; t++) {
    step3(q, p, nx, ny, nz);
    std::swap(p, q);
  }
  report("3d", p, nx * ny * nz);
  delete[] a;
  delete[] b;
  free(g);
  free(L);
  delete[] p;
  delete[] q;
}
