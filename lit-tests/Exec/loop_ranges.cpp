// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel range-based loops. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-11: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <cstdio>
#include <vector>

struct Point {
  double x, y;
  int cluster;
  double length() const { return x * x + y * y; }
};

struct Field {
#pragma ompx managed(values)
  std::vector<double> values;
};

template <class T>
static void show(const char* what, const T* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += (i % 13 + 1) * a[i];
  printf("%s %.17g\n", what, s);
}

static double total(const std::vector<double>& v) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (const double& x : v) sum += x;
  return sum;
}

template <class T>
static T largest(const std::vector<T>& v) {
  T most = 0;
#pragma omp parallel for reduction(max : most)
  for (auto x : v)
    if (x > most) most = x;
  return most;
}

static void points(int n) {
#pragma ompx managed(all)
  std::vector<Point> all(n);
  for (int i = 0; i < n; ++i) all[i] = {i % 7 * 0.5, i % 5 * 0.25, 0};
#pragma omp parallel for
  for (Point& point : all) {
    if (point.x > 3) continue;
    point.cluster = point.length() > 1 ? 2 : 1;
    point.y += point.cluster;
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (const auto& point : all) sum += point.length() * (point.cluster + 1);
  printf("points %.17g %d %d\n", sum, all[1].cluster, all[5].cluster);
}

int main() {
  const int n = 1013;
#pragma ompx managed(v)
  std::vector<double> v(n);
#pragma ompx managed(counts)
  std::vector<int> counts(n);
#pragma omp parallel for
  for (double& x : v) x = 2.5;
  show("same", v.data(), n);
  for (int i = 0; i < n; ++i) v[i] = i % 17, counts[i] = i % 23;
#pragma omp parallel for
  for (auto& x : v) {
    const long at = &x - v.data();
    x = x * x + at % 3;
  }
  show("squares", v.data(), n);
#pragma omp parallel for schedule(static)
  for (auto&& c : counts) {
    c += 2;
    c *= 3;
  }
  show("counts", counts.data(), n);
  printf("total %.17g largest %.17g %d\n", total(v), largest(v), largest(counts));
  points(n);
#pragma omp parallel for
  for (double& v : v) v += 0.5;
  show("one name", v.data(), n);
  double fixed[37];
  for (int i = 0; i < 37; ++i) fixed[i] = i * 0.5;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (double x : fixed) sum += x;
  printf("fixed %.17g\n", sum);
  Field field;
  field.values.resize(n);
  int k = 4;
#pragma omp parallel for firstprivate(k)
  for (double& x : field.values) x = k + 1;
  show("member", field.values.data(), n);
  std::vector<double> none;
  printf("none %g\n", total(none));
}
