// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions around whole solvers: the time loop, `single`, `master`, `critical`, `barrier`, `nowait` and
// region-private variables stand between the worksharing loops. The plain program is the oracle.
//
// RUN: %plain %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
#include <utility>

static double checksum(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 13 + 1);
  return sum;
}

// The time loop in the region, and pointers that `single` swaps.
static void jacobi(int n, int steps) {
#pragma ompx managed(u)
  double *u = new double[n * n];
#pragma ompx managed(v)
  double *v = new double[n * n];
  for (int i = 0; i < n * n; ++i) u[i] = v[i] = i % 7;
  double *from = u, *to = v;
#pragma omp parallel default(shared) num_threads(3)
  {
    for (int t = 0; t < steps; ++t) {
#pragma omp for schedule(static)
      for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < n - 1; ++j)
          to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
#pragma omp single
      {
        double *other = from;
        from = to;
        to = other;
      }
    }
  }
  std::printf("jacobi %.10g\n", checksum(from, n * n));
  delete[] u;
  delete[] v;
}

// Region-private copies of the pointers, which every thread swaps.
static void swappedByAll(int n, int steps) {
#pragma ompx managed(u)
  double *u = new double[n];
#pragma ompx managed(v)
  double *v = new double[n];
  for (int i = 0; i < n; ++i) u[i] = v[i] = i;
#pragma omp parallel
  {
    double *a = u, *b = v;
    for (int t = 0; t < steps; ++t) {
#pragma omp for
      for (int i = 1; i < n - 1; ++i) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
      std::swap(a, b);
    }
  }
  std::printf("swapped %.10g %.10g\n", checksum(u, n), checksum(v, n));
  delete[] u;
  delete[] v;
}

// Reductions into shared scalars that `single` sets back.
static void conjugateGradient(int n, int most) {
#pragma ompx managed(x)
  double *x = (double *)malloc(n * sizeof(double));
#pragma ompx managed(r)
  double *r = (double *)malloc(n * sizeof(double));
#pragma ompx managed(p)
  double *p = (double *)malloc(n * sizeof(double));
#pragma ompx managed(q)
  double *q = (double *)malloc(n * sizeof(double));
  double rho = 0, old = 0, pq = 0;
  int steps = 0;
#pragma omp parallel
  {
    int i;
#pragma omp for nowait
    for (i = 0; i < n; i++) {
      x[i] = 0;
      r[i] = p[i] = 1 + i % 3;
    }
#pragma omp barrier
#pragma omp for reduction(+ : rho)
    for (i = 0; i < n; i++) rho += r[i] * r[i];
    for (int k = 0; k < most; ++k) {
#pragma omp single
      {
        old = rho;
        rho = 0;
        pq = 0;
        ++steps;
      }
#pragma omp for reduction(+ : pq)
      for (i = 0; i < n; i++) {
        double left = i > 0 ? p[i - 1] : 0, right = i < n - 1 ? p[i + 1] : 0;
        q[i] = 4 * p[i] - left - right;
        pq += p[i] * q[i];
      }
      const double alpha = old / pq;
#pragma omp for reduction(+ : rho)
      for (i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho += r[i] * r[i];
      }
      double beta = rho / old;
#pragma omp for
      for (i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
    }
  }
  std::printf("cg %d %.6f\n", steps, checksum(x, n));
  free(x);
  free(r);
  free(p);
  free(q);
}

static void redBlack(int n, int sweeps) {
#pragma ompx managed(g)
  double *g = new double[n * n];
  for (int i = 0; i < n * n; ++i) g[i] = i % 11;
  double change = 0;
#pragma omp parallel
  {
    double mine;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int colour = 0; colour < 2; ++colour) {
#pragma omp for
        for (int i = 1; i < n - 1; ++i)
          for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
            g[i * n + j] = 0.25 * (g[(i - 1) * n + j] + g[(i + 1) * n + j] + g[i * n + j - 1] + g[i * n + j + 1]);
      }
    }
    mine = 0;
#pragma omp for nowait
    for (int i = 0; i < n * n; ++i)
      if (g[i] > mine) mine = g[i];
#pragma omp critical
    if (mine > change) change = mine;
  }
  std::printf("red-black %.10g %.10g\n", checksum(g, n * n), change);
  delete[] g;
}

// A flag, and a loop that goes on until nothing changes.
static void relaxation(int n) {
#pragma ompx managed(d)
  int *d = new int[n];
  for (int i = 0; i < n; ++i) d[i] = i == 0 ? 0 : 1000000;
  int rounds = 0;
  bool stop;
#pragma omp parallel shared(stop)
  {
    do {
#pragma omp barrier
#pragma omp single
      {
        stop = true;
        ++rounds;
      }
      for (int odd = 0; odd < 2; ++odd) {
#pragma omp for
        for (int i = 0; i < n; ++i) {
          if (i % 2 != odd || i == 0) continue;
          if (d[i - 1] + 1 < d[i]) {
            d[i] = d[i - 1] + 1;
            stop = false;
          }
        }
      }
    } while (!stop);
  }
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += d[i];
  std::printf("relaxation %ld\n", sum);
  delete[] d;
}

// Each thread's own counts, which `critical` adds up.
static void histogram(int n) {
#pragma ompx managed(a)
  int *a = new int[n];
  int counts[17] = {0};
  for (int i = 0; i < n; ++i) a[i] = (i * 37) % 101 % 17;
#pragma omp parallel
  {
    int own[17] = {0};
    double weight = 0;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      own[a[i]]++;
      weight += a[i];
    }
#pragma omp critical
    {
      for (int k = 0; k < 17; ++k) counts[k] += own[k];
      counts[0] += weight > 1e9;
    }
  }
  for (int k = 0; k < 17; ++k) std::printf("%d ", counts[k]);
  std::printf("\n");
  delete[] a;
}

// Loops that are not distributed become regions of their own.
// (The plain program's team has one thread here, because it prints what one thread has at the end.)
static void mixed(int n) {
#pragma ompx managed(a)
  double *a = new double[n];
  double last = 0, sum = 0, scratch[4];
  int seen = 0;
#pragma omp parallel num_threads(1) private(scratch) firstprivate(last) reduction(+ : sum, seen)
  {
    double value = 3;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 4; ++k) scratch[k] = i + k;
      a[i] = scratch[0] + scratch[3] + value;
    }
#pragma omp for nowait, schedule(dynamic, 5)
    for (int i = 0; i < n; ++i) {
      value = a[i];
      if (value < 0) std::printf("negative\n");
      last = value;
      seen++;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) sum += a[i] + value;
#pragma omp master
    std::printf("last %g value %g\n", last, value);
  }
  std::printf("mixed %.10g %d\n", sum, seen);
  delete[] a;
}

int main() {
  jacobi(37, 9);
  swappedByAll(101, 8);
  conjugateGradient(103, 12);
  redBlack(35, 6);
  relaxation(57);
  histogram(1009);
  mixed(59);
}
