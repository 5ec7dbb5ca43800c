// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over iterators of vectors, and iterators in their bodies. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %muster-link -w -std=c++17 -O1 -fplugin-arg-muster-print=plan %s -o %t.17 | FileCheck %s
// RUN: %run MUSTER_DEVICES=opencl %t.17 | diff %t.expected -
// CHECK-COUNT-16: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back|CPUs only}}
#include <cstdio>
#include <iterator>
#include <vector>

struct Point {
  double x, y;
  int cluster;
  double distance(const Point& other) const { return (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y); }
};

template <class T>
static void show(const char* what, const std::vector<T>& a) {
  double s = 0;
  for (size_t i = 0; i < a.size(); ++i) s += (i % 13 + 1) * a[i];
  printf("%s %.17g\n", what, s);
}

class Model {
 public:
  explicit Model(int n) : points_(n), centres_(4), sums_(n) {
    for (int i = 0; i < n; ++i) points_[i] = {i % 7 * 0.5, i % 5 * 0.25, i % 4};
    for (int c = 0; c < 4; ++c) centres_[c] = {c * 0.5, c * 0.25, c};
  }
  double inertia(const std::vector<Point>& points) const {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (auto it = points.begin(); it < points.end(); ++it) sum += it->distance(centres_[it->cluster]);
    return sum;
  }
  double own() {
#pragma omp parallel for
    for (auto it = sums_.begin(); it != sums_.end(); ++it) {
      const auto at = it - sums_.begin();
      *it = points_[at].x + 2 * at;
    }
#pragma omp parallel for
    for (auto it = this->sums_.begin() + 3; it != this->sums_.end(); ++it) *it += 1;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::vector<Point>::const_iterator it = points_.cbegin(); it != points_.cend(); ++it) sum += (*it).y;
    for (double s : sums_) sum += s;
    return sum;
  }

 private:
#pragma ompx managed(points_)
  std::vector<Point> points_;
  std::vector<Point> centres_;
#pragma ompx managed(sums_)
  std::vector<double> sums_;
};

template <class T>
static T total(const std::vector<T>& v) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (typename std::vector<T>::const_iterator it = v.begin(); it != v.end(); it++) sum += *it;
  return sum;
}

int main() {
  const int n = 1013;
#pragma ompx managed(v)
  std::vector<double> v(n);
#pragma ompx managed(w)
  std::vector<double> w(n, 1.0);
#pragma ompx managed(counts)
  std::vector<int> counts(n);
  for (int i = 0; i < n; ++i) v[i] = i % 17, counts[i] = i % 23;
#pragma omp parallel for
  for (auto it = v.begin(); it != v.end(); ++it) *it = 2 * *it + 1;
  show("all", v);
#pragma omp parallel for
  for (std::vector<double>::iterator it = v.begin() + 1; it < v.end() - 1; it += 2) *it = it[-1] + it[1];
  show("neighbours", v);
#pragma omp parallel for
  for (auto it = std::begin(v); it != std::end(v); ++it) w[it - v.begin()] = *it * 0.5;
  show("other vector", w);
  const int first = 5, many = n - 20;
#pragma omp parallel for
  for (auto it = v.begin() + first; it <= v.begin() + many; it = it + 3) {
    auto& x = *it;
    auto next = std::next(it);
    x += *next - *std::prev(it) + next[1];
  }
  show("strided", v);
#pragma omp parallel for
  for (auto it = v.end() - 1; it >= v.begin(); --it) *it -= it - v.begin();
  show("down", v);
#pragma omp parallel for
  for (auto it = counts.begin(); it != counts.end(); ++it) {
    int sum = 0;
    for (auto other = w.begin() + (it - counts.begin()); other != w.end() && sum < 100; ++other) sum += *other > 3;
    for (auto x : v) sum += x > 5;
    *it += sum;
  }
  show("inner", counts);
  const auto end = v.end();
#pragma omp parallel for
  for (auto it = v.begin(); it != end; ++it) *it += std::distance(v.begin(), it) % 3;
  show("end", v);
#pragma omp parallel for
  for (double* p = v.data() + 2; p < v.data() + v.size() - 2; ++p) *p += 0.5;
  show("data", v);
#pragma omp parallel for collapse(2)
  for (auto it = v.begin(); it < v.begin() + 30; ++it)
    for (int k = 0; k < 2; ++k) w[2 * (it - v.begin()) + k] = *it + k;
  show("collapse", w);
  printf("total %.17g %d\n", total(v), total(counts));
  Model model(n);
#pragma ompx managed(points)
  std::vector<Point> points(n);
  for (int i = 0; i < n; ++i) points[i] = {i % 9 * 0.5, i % 3 * 0.25, i % 4};
  printf("inertia %.17g own %.17g\n", model.inertia(points), model.own());
  std::vector<double> none;
#pragma omp parallel for
  for (auto it = none.begin(); it != none.end(); ++it) *it = 1;
  printf("none %g\n", total(none));
}
