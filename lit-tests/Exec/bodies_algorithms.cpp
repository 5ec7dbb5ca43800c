// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms of the library on local data. What recurs, or holds pointers and lambdas in objects, runs on all CPUs; the
// rest on all devices. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.remarks \
// RUN:   | FileCheck --check-prefix=PLAN %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: FileCheck %s < %t.remarks
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// PLAN-COUNT-7: {{^}}kernel
// PLAN-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <array>
#include <numeric>

#include "Inputs/wild_report.h"

int main() {
  const int n = 211, m = 40;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
#pragma ompx managed(rank)
  int* rank = new int[n];
  fill(a, n), fill(b, n, 3);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: calls 'std::sort', which calls itself, which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double window[m];
    for (int k = 0; k < m; ++k) window[k] = a[(i + 7 * k) % n];
    std::sort(window, window + m);
    b[i] = window[m / 2] + window[1];
  }
  report("median", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: {{.*}}
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::array<double, 20> t;
    int order[20];
    for (int k = 0; k < 20; ++k) t[k] = a[(i * 3 + k) % n];
    std::iota(order, order + 20, 0);
    std::sort(order, order + 20, [&](int x, int y) { return t[x] > t[y] || (t[x] == t[y] && x < y); });
    std::sort(t.begin(), t.end());
    rank[i] = order[0] * 20 + order[19];
    b[i] = t[3] - t[17];
  }
  report("b", b, n);
  long ranks = 0;
  for (int i = 0; i < n; ++i) ranks += (i % 7 + 1) * rank[i];
  std::printf("ranks %ld\n", ranks);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: {{.*}}
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t[9];
    for (int k = 0; k < 9; ++k) t[k] = a[(i + k) % n];
    std::nth_element(t, t + 4, t + 9);
    const double middle = t[4];
    std::partial_sort(t, t + 3, t + 9);
    std::copy(t, t + 3, t + 6);
    b[i] = middle + t[7] * std::count(t, t + 9, t[8]) + std::any_of(t, t + 9, [=](double x) { return x > 40 - i; });
  }
  report("b", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: {{.*}}
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t[6];
    for (int k = 0; k < 6; ++k) t[k] = a[(i + k) % n];
    std::rotate(t, t + 2, t + 6);
    std::for_each(t, t + 6, [&](double& x) { x += b[i]; });
    b[i] = t[0] * std::count_if(t, t + 6, [](double x) { return x > 3; }) + (std::find(t, t + 6, t[4]) - t);
  }
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t[5];
    for (int k = 0; k < 5; ++k) t[k] = a[(i + k) % n] * k;
    std::reverse(t, t + 5);
    b[i] = *std::max_element(t, t + 5) - *std::min_element(t, t + 5) + std::inner_product(t, t + 5, t, 0.5);
  }
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int t[5];
    double u[5];
    std::iota(t, t + 5, i);
    std::transform(t, t + 5, u, [=](int x) { return x * 0.5 + i; });
    std::partial_sum(u, u + 5, u);
    b[i] = u[4] + std::accumulate(t, t + 5, 0);
  }
  report("b", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: {{.*}}
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double t[8];
    for (int k = 0; k < 8; ++k) t[k] = k * 5.0;
    b[i] += std::lower_bound(t, t + 8, a[i]) - t;
  }
  report("b", b, n);
// CHECK-NOT: remark:
  delete[] a;
  delete[] b;
  delete[] rank;
}
