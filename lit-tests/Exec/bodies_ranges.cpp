// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Range-based loops in bodies over vectors, arrays and objects outside of the loop. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
// CHECK-COUNT-8: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back|native only}}
#include <array>
#include <cstdio>
#include <vector>

struct Weight {
  double factor;
  int reach;
};

static const std::array<double, 3> fixed = {0.25, 0.5, 0.25};

class Filter {
 public:
  std::vector<double> kernel = {1, 2, 3};
  double edges[2] = {0.5, 0.25};
  std::array<double, 2> ends = {{2, 4}};
  void apply(double* out, const double* in, int n) const {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (double k : kernel) sum = sum * 2 + k * in[i];
      if (!kernel.empty()) sum += kernel.front();
      for (const double& e : edges) sum += e;
      for (auto e : this->ends) sum *= e;
      out[i] = sum;
    }
  }
};

static void show(const char* what, const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += (i % 13 + 1) * a[i];
  printf("%s %.17g\n", what, s);
}

int main() {
  const int n = 517;
#pragma ompx managed(a)
  std::vector<double> a(n);
#pragma ompx managed(b)
  std::vector<double> b(n);
#pragma ompx managed(weights)
  std::vector<Weight> weights(5);
  for (int i = 0; i < n; ++i) a[i] = i % 19;
  for (int i = 0; i < 5; ++i) weights[i] = {i * 0.5, i};
  double table[4] = {1, 2, 4, 8};
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  std::array<double, 3> local = {{3, 2, 1}};
  std::array<Weight, 2> pairs = {{{0.5, 1}, {2, 3}}};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (auto& w : weights) sum += w.factor * a[(i + w.reach) % n];
    b[i] = sum;
  }
  show("vector of structs", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (double t : table) {
      if (t > 4) break;
      b[i] += t;
    }
  show("array", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (const auto& row : grid)
      for (int g : row) b[i] += g * (i % 3);
  show("rows", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (double x : local) b[i] = b[i] * 0.5 + x;
  show("std::array", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (const Weight& w : pairs) b[i] += w.factor * w.reach;
  show("std::array of structs", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (double f : fixed) b[i] += f;
  show("constant", b.data(), n);
#pragma omp parallel for
  for (int i = 0; i < 3; ++i)
    for (double x : a) b[i] += x;
  show("whole", b.data(), n);
  Filter filter;
  filter.apply(b.data(), a.data(), n);
  show("members", b.data(), n);
}
