// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over arrays whose indexes are calls, or elements of vectors. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: FileCheck %s < %t.remarks
// CHECK-COUNT-4: for something else than updates by the operator of its reduction
// CHECK-NOT: {{remark|warning}}:
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
static int bin(double x, int nb) {
  int b = (int)(x * nb);
  return b < 0 ? 0 : b >= nb ? nb - 1 : b;
}
static unsigned next(unsigned& s) {
  s = s * 1664525u + 1013904223u;
  return s >> 28;
}
struct Binner {
  double lo, w;
  int operator()(double x) const { return (int)((x - lo) / w); }
};
int main() {
  const int n = 5003;
#pragma ompx managed(x)
  std::vector<double> x(n);
#pragma ompx managed(h)
  std::vector<int> h(16);
#pragma ompx managed(out)
  std::vector<unsigned> out(2 * n);
  for (int i = 0; i < n; i++) x[i] = std::fabs(std::sin(i));
  int c[16] = {};
  double w[16] = {};
  int* hp = h.data();
  unsigned mx[16] = {};
#pragma omp parallel for reduction(+ : c[ : 16])
  for (int i = 0; i < n; i++) c[bin(x[i], 16)]++;
#pragma omp parallel for reduction(+ : c[1 : 15])
  for (int i = 0; i < n; i++) c[1 + (int)(x[i] * 15) % 15] += 2;
#pragma omp parallel for reduction(+ : c, w)
  for (int i = 0; i < n; i++) {
    int b = bin(x[i], 16);
    c[b]++;
    w[bin(x[n - 1 - i], 16)] += 0.25;
  }
  Binner f{0, 1 / 15.5};
#pragma omp parallel for reduction(+ : hp[0 : 16])
  for (int i = 0; i < n; i++) hp[f(x[i])]++;
  auto g = [&](double v) {
    int b = 0;
    while (b < 15 && v > (b + 1) / 16.0) b++;
    return b;
  };
#pragma omp parallel for reduction(+ : hp[0 : 16])
  for (int i = 0; i < n; i++) hp[g(x[i])] += 3;
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    unsigned s = i;
    for (int k = 0; k < 4; k++) c[next(s)] += k;
    out[i] = s;
    out[(s >> 3) % 2 ? i : n + i] += 7;
  }
  // Not served: two calls that may differ, an index that counts, one that another call changed, an alias.
#pragma omp parallel for reduction(+ : hp[0 : 16])
  for (int i = 0; i < n; i++) hp[g(x[i] / 2)] = hp[g(x[i] / 2)] + 1;
#pragma omp parallel for reduction(max : mx)
  for (int i = 0; i < n; i++) {
    unsigned s = i;
    unsigned b = next(s);
    mx[next(s)] = std::max(mx[s >> 28], s + b);
    out[i] += s;
  }
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    int k = i % 7;
    c[k++]++;
    c[k]--;
    out[k + i - i % 7 - 1 < n ? k + i - i % 7 - 1 : 0] += 0;
  }
#pragma omp parallel for reduction(+ : hp[0 : 16])
  for (int i = 0; i < n; i++) {
    int* q = hp;
    q[bin(x[i], 16)]++;
    q[3]++;
  }
  for (int k = 0; k < 16; k++) printf("%d %g %d %u\n", c[k], w[k], h[k], mx[k]);
  unsigned s = 0;
  for (unsigned o : out) s = s * 31 + o;
  printf("%u\n", s);
}
