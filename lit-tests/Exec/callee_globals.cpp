// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a loop calls read globals: numbers, small arrays and structs, which change between the launches. Their
// values travel with each launch. Larger arrays, and those that are written, are arrays of the launch. The plain program
// is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK: remark: loops: 9 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <cstdio>

struct Constants {
  double dt;
  int order;
  double weights[3];
  double weight(int k) const { return weights[k % 3]; }
};
static double ce[5][13];
static Constants constants;
namespace model {
float table[4] = {1, 2, 3, 4};
Constants inner;
}  // namespace model
int scale = 1;
double big[2000];
int counts[4];
#pragma ompx managed(grid)
double grid[100];

static double exact(int m, int i) { return ce[m % 5][i % 13] + ce[m % 5][0] * scale; }
static double step(double x) { return x + constants.dt * constants.order; }
static double weighted(double x, int i) { return x * constants.weights[i % 3]; }
namespace model {
static float look(int i) { return table[i & 3] + (float)inner.dt; }
}  // namespace model
static void row(const double *values, int n, double *out) {
  double s = 0;
  for (int k = 0; k < n; ++k) s += values[k];
  *out = s;
}
static void sumOf(int m, double *out) { row(ce[m % 5], 13, out); }
static double large(int i) { return big[i]; }
static void counted(int i) { counts[i % 4] = i; }
static double marked(int i) { return grid[i]; }

static double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7 + 1);
  return s;
}

int main() {
  const int n = 100;
#pragma ompx managed(a)
  double *a = new double[n]();
  for (int round = 1; round < 4; ++round) {
    for (int m = 0; m < 5; ++m)
      for (int k = 0; k < 13; ++k) ce[m][k] = round * m + k;
    constants = {0.5 * round, round + 1, {1.0 * round, 2, 3}};
    model::table[1] = 10 * round;
    model::inner = constants;
    scale = 3 - round;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = exact(i, i + 1);
    std::printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = step(a[i]);
    std::printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += weighted(a[i], i) + constants.weights[1];
    std::printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] -= model::look(i) * ce[1][i % 13] + exact(1, 2);
    std::printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      double sum;
      sumOf(i, &sum);
      a[i] += sum;
    }
    std::printf("%g\n", total(a, n));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const Constants own = constants;
      a[i] += own.weight(i) + step(1);
    }
    std::printf("%g\n", total(a, n));
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += large(i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    counted(4 * i);
    a[i] += 1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += marked(i);
  std::printf("%g\n", total(a, n));
  delete[] a;
}
