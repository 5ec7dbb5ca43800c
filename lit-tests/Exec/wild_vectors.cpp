// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors passed, returned, copied, moved, swapped and resized. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include <cmath>
#include <numeric>
#include "Inputs/wild_report.h"
using namespace std;
typedef vector<double> Vec;
static void axpy(Vec& y, const Vec& x, double a) {
#pragma omp parallel for
  for (int i = 0; i < (int)y.size(); i++) y[i] += a * x[i];
}
static double dot(const vector<double>& x, const vector<double>& y) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (size_t i = 0; i < x.size(); ++i) s += floor(x[i]) * y[i] > 3 ? 1 : 0;
  return s;
}
static void viaPointer(Vec* v) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) (*v)[i] += 1;
}
static void viaData(double* v, size_t n) {
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) v[i] = v[i] * 0.5;
}
static Vec make(int n) {
#pragma ompx managed(r)
  Vec r(n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) r[i] = i % 17;
  return r;
}
static void byValue(Vec v, Vec& o) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) {
    v[i] += 1;
    o[i] = v[i];
  }
}
int main() {
  int n = 120;
#pragma ompx managed(a, b)
  Vec a(n, 1.0), b = make(n);
#pragma ompx managed(c)
  Vec c;
  c.resize(n);
  iota(c.begin(), c.end(), 0);
  axpy(a, b, 2);
  axpy(a, a, 1);
  axpy(b, c, -1);
  printf("%g\n", dot(a, b));
  viaPointer(&a);
  viaData(b.data(), b.size());
  viaData(&c[10], 50);
  viaData(&a.front(), 3);
  byValue(a, b);
  report("a", a.data(), n);
  report("b", b.data(), n);
  report("c", c.data(), n);
  a.swap(b);
  std::swap(b, c);
  c = a;
  a.push_back(5);
  a.insert(a.begin(), 9);
  b.assign(200, 3.0);
#pragma omp parallel for
  for (int i = 0; i < (int)b.size(); i++) b[i] += i < (int)a.size() ? a[i] : 0;
  report("b", b.data(), b.size());
  b.clear();
  b.shrink_to_fit();
  b.resize(40);
#pragma omp parallel for
  for (int i = 0; i < 40; i++) b.at(i) = a.at(i) + c[i];
  sort(b.begin(), b.end());
  reverse(b.begin(), b.end());
  report("b", b.data(), b.size());
  Vec moved = std::move(b);
#pragma omp parallel for
  for (int i = 0; i < 40; i++) moved[i] *= 2;
  report("m", moved.data(), moved.size());
  vector<Vec> many(5, Vec(20, 1.0));
#pragma omp parallel for
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 20; j++) many[i][j] += i * j;
  report("many", many[4].data(), 20);
#pragma ompx managed(fl)
  vector<float> fl{1, 2, 3, 4, 5};
#pragma omp parallel for
  for (size_t i = 0; i < fl.size(); i++) fl[i] *= fl.size();
  for (float f : fl) printf("%g ", f);
  puts("");
#pragma ompx managed(cnt)
  vector<int> cnt(n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) cnt[i] = (int)a[i] & 7;
  printf("%d %d\n", accumulate(cnt.begin(), cnt.end(), 0), (int)count(cnt.begin(), cnt.end(), 3));
}
