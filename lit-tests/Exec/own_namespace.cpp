// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A namespace of the program's own that is called as ours is, inside of another one.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

namespace app {

namespace muster {
int roll = 3;
double rank(double x) { return x + roll; }
}  // namespace muster

struct Grid {
#pragma ompx managed(u)
  std::vector<double> u;
  int width;
  void fill(int n) {
    u.resize(n);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] = muster::rank(i) * width;
  }
};

double run(int n) {
#pragma ompx managed(a, v)
  double *a = new double[n]();
  std::vector<double> v(n);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    a[i] = muster::rank(i);
    v[i] = 2 * a[i];
    sum += v[i] + v.size();
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 1; i < n - 1; ++i) v[i] = a[i - 1] + a[i + 1];
  }
  Grid grid;
  grid.width = 2;
  grid.fill(n);
#pragma ompx managed(rows)
  double **rows = new double *[10];
  for (int i = 0; i < 10; ++i) rows[i] = new double[20];
#pragma omp parallel for
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 20; ++k) rows[i][k] = i * k + grid.u[k];
  for (int i = 0; i < 10; ++i) sum += rows[i][2 * i];
  for (int i = 0; i < n; ++i) sum += v[i] * (i % 5);
  for (int i = 0; i < 10; ++i) delete[] rows[i];
  delete[] rows;
  delete[] a;
  return sum;
}

}  // namespace app

int main() { std::printf("%.17g\n", app::run(1000)); }
