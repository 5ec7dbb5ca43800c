// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `omp for` in functions, called by regions that one thread runs, by teams of several threads, and from serial code.
//
// RUN: %plain %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <omp.h>

#include <cstdio>
#include <vector>

static double residual;
double *grid, *next;

void sweep(const double *from, double *to, int n, double factor) {
#pragma omp for
  for (int i = 1; i < n - 1; i++) to[i] = factor * (from[i - 1] + from[i + 1]);
}

static void norm(const double *a, const double *b, int n) {
  int i;
  double d;
#pragma omp single
  residual = 0;
#pragma omp for reduction(+ : residual)
  for (i = 0; i < n; i++) {
    d = a[i] - b[i];
    residual += d * d;
  }
}

static void step(int n) {
  sweep(grid, next, n, 0.5);
#pragma omp single
  {
    double *t = grid;
    grid = next;
    next = t;
  }
}

struct Field {
  double *data;
  int n;
};
static void fill(Field f, double value) {
#pragma omp for nowait
  for (int i = 0; i < f.n; ++i) f.data[i] = value + i;
}

int main() {
  const int n = 211;
#pragma ompx managed(u)
  double *u = new double[n];
#pragma ompx managed(v)
  double *v = new double[n];
  for (int i = 0; i < n; ++i) u[i] = v[i] = i % 9;
  grid = u;
  next = v;
#pragma omp parallel
  for (int t = 0; t < 11; ++t) {
    step(n);
    norm(grid, next, n);
  }
  std::printf("%.8g %.10g %.10g\n", residual, grid[1], next[n / 2]);
  // A team: it asks for its threads.
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    sweep(u, v, n, 0.25);
    sweep(v, u, n, 0.5);
  }
  std::printf("%.10g %.10g %d\n", u[5], v[7], threads);
  // One thread.
  sweep(u, v, n, 2);
  std::printf("%.10g\n", v[100]);
  Field f{u, n};
#pragma omp parallel
  fill(f, 3);
  std::printf("%.10g\n", u[n - 1]);
  delete[] u;
  delete[] v;
}
