// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways to index arrays; the plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-35: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <cmath>
#include <vector>

#include "Inputs/loop_report.h"

static double grid[40][50];
static const int weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

static inline int at(int i, int j, int width) { return i * width + j; }

void flattened(double* v, const double* u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
  report("stencil", v, n * m);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      double sum = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum += weights[y + 1][x + 1] * u[(i + y) * m + (j + x)];
      v[at(i, j, m)] = sum;
    }
  report("convolution", v, n * m);
#pragma omp parallel for
  for (int k = 0; k < n * m; ++k) {
    int i = k / m, j = k % m;
    v[k] = u[k] + i - j;
  }
  report("div mod", v, n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* row = v + i * m;
    const double* from = &u[i * m];
    for (int j = 0; j < m; ++j) row[j] = from[m - 1 - j];
  }
  report("rows", v, n * m);
#pragma omp parallel for
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) v[i * m + j] = u[i * m + j] * j;
  report("columns", v, n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      int k = i * m + j;
      int w = (j == 0) ? k : k - 1;
      int e = k;
      if (j < m - 1) e = k + 1;
      v[k] = u[w] + u[e];
    }
  }
  report("temporaries", v, n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) v[i * m + j] = u[((i + 1) % n) * m + j] + u[i * m + (j + m - 1) % m];
  report("periodic", v, n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= std::min(i, m - 1); ++j) v[i * m + j] = u[j * m + std::min(i, m - 1)];
  report("triangle", v, n * m);
  size_t width = m;
#pragma omp parallel for
  for (size_t i = 1; i < (size_t)n - 1; ++i)
    for (size_t j = 1; j < width - 1; ++j) v[i * width + j] = u[(i - 1) * width + j + 1];
  report("size_t", v, n * m);
}

// Arithmetic that may wrap: some of these launches have to stay on the host.
void unsignedIndexes(double* v, const double* u, unsigned n, unsigned m) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j) v[i * m + j] = u[(n - 1 - i) * m + j];
  report("unsigned", v, n * m);
#pragma omp parallel for
  for (unsigned i = 0; i < n * m; ++i) v[i] = i > 0 ? u[i - 1] : -1;
  report("unsigned - 1", v, n * m);
#pragma omp parallel for
  for (unsigned i = 0; i < 256; ++i) v[(unsigned char)(i + 128)] = u[i % 4] + i;
  report("wraps to a byte", v, n * m);
#pragma omp parallel for
  for (long i = 0; i < 200; ++i) v[(unsigned char)i] = u[(int)i + 1];
  report("fits a byte", v, n * m);
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = m; j-- > 2;) v[i * m + j] = u[i * m + j - 2];
  report("counts down", v, n * m);
  unsigned huge = 4294967295u;
#pragma omp parallel for
  for (int i = 1; i < 100; ++i) v[i + huge] = u[i];
  report("wraps around", v, n * m);
}

void strided(double* v, const double* u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) {
    v[2 * i] = u[i];
    v[2 * i + 1] = -u[i];
  }
  report("even odd", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; i += 2) v[i] += u[n - 1 - i];
  report("reversed", v, n);
#pragma omp parallel for
  for (int t = 0; t < n; t += 64)
    for (int i = t; i < std::min(n, t + 64); ++i) v[i] = 3 * u[i];
  report("tiles", v, n);
#pragma omp parallel for
  for (int t = 0; t < n; t += 100) {
    int end = t + 100 < n ? t + 100 : n;
    for (int i = t; i < end; i += 3) v[i] = u[i] - 1;
  }
  report("tiles with step", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0) continue;
    v[i] = u[i];
    if (u[i] > 50) v[i] += u[n - 1];
  }
  report("conditions", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double best = 0;
    for (int k = i; k < n; ++k) {
      best += u[k];
      if (best > 300) break;
    }
    v[i] = best;
  }
  report("break", v, n);
#pragma omp parallel for
  for (int i = 0; i < n - 8; ++i) {
    const double* p = u + i;
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += *p++;
    v[i] = sum;
  }
  report("moving pointer", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) *(v + i) = *(u + i) + u[0];
  report("dereferences", v, n);
}

void indirect(double* v, const double* u, const int* index, const int* start, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = u[index[i]];
  report("gather", v, n);
#pragma omp parallel for
  for (int i = 0; i < n / 4; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k) sum += u[index[k]];
    v[i] = sum;
  }
  report("csr", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[index[i]] = u[i];
  report("scatter", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = u[(i * 17) % n];
  report("modulo", v, n);
}

void matrices(const double* a, const double* b, double* c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  report("matrix product", c, n * n);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) c[j * n + i] = a[i * n + j];
  report("transpose", c, n * n);
}

void fixed(double (*table)[50], const double flat[]) {
  double local[40][50];
#pragma omp parallel for
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 50; ++j) grid[i][j] = i * 50 + j;
#pragma omp parallel for
  for (int i = 1; i < 39; ++i)
    for (int j = 1; j < 49; ++j) local[i][j] = grid[i - 1][j] + grid[i][j + 1];
#pragma omp parallel for
  for (int i = 1; i < 39; ++i) {
    for (int j = 1; j < 49; ++j) table[i][j] = local[i][j] * 2 + flat[i] + sizeof(local[0]) / sizeof(double);
  }
  report("fixed", &table[0][0], 40 * 50);
}

void vectors(std::vector<double>& v, const std::vector<float>& u) {
  std::vector<int> counts(v.size(), 1);
#pragma omp parallel for
  for (size_t i = 0; i < v.size(); ++i) v[i] = u[i] + counts[i];
  report("vector", v);
#pragma omp parallel for
  for (int i = 0; i < (int)v.size() - 1; ++i) v.at(i) = u[i + 1] + v.size();
  report("vector size", v);
#pragma omp parallel for
  for (int i = 0; i < (int)v.size(); ++i) {
    const float* data = u.data();
    v[i] = data[i] + u.front() + u.back();
  }
  report("vector data", v);
}

int main() {
  const int n = 60, m = 50;
#pragma ompx managed(u)
  double* u = new double[n * m];
#pragma ompx managed(v)
  double* v = new double[n * m];
#pragma ompx managed(w)
  double* w = new double[n * m];
#pragma ompx managed(index)
  int* index = new int[n * m];
  fill(u, n * m);
  fill(v, n * m, 2);
  fill(w, n * m, 3);
  flattened(v, u, n, m);
  unsignedIndexes(v, u, n, m);
  strided(v, u, n * m);
  int* start = new int[n * m / 4 + 1];
  for (int i = 0; i < n * m; ++i) index[i] = (i * 31) % (n * m);
  for (int i = 0; i <= n * m / 4; ++i) start[i] = 4 * i;
  indirect(v, u, index, start, n * m);
  matrices(u, v, w, m);
  fixed(reinterpret_cast<double(*)[50]>(w), u);
#pragma ompx managed(p)
  std::vector<double> p(n * m, 1.0);
#pragma ompx managed(q)
  std::vector<float> q(n * m);
  fill(q.data(), q.size(), 4);
  vectors(p, q);
  delete[] u;
  delete[] v;
  delete[] w;
  delete[] index;
  delete[] start;
}
