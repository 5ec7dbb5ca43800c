// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Range-based loops and loops over pointers and iterators whose array is a member. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-18: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back|native only}}
#include <cstdio>
#include <memory>
#include <vector>

struct Base {
#pragma ompx managed(levels)
  std::vector<float> levels;
};

struct Grid : Base {
#pragma ompx managed(rho)
  std::vector<double> rho;
#pragma ompx managed(u)
  double* u = nullptr;
  int n;
  double table[3] = {1, 2, 3};
  std::unique_ptr<double[]> own;

  explicit Grid(int count) : rho(count), n(count), own(new double[count]) {
    u = new double[n];
    levels.resize(n);
    for (int i = 0; i < n; ++i) rho[i] = i % 7, u[i] = i % 5, levels[i] = i % 3, own[i] = i % 2;
  }
  ~Grid() { delete[] u; }

  double weight(double x) const { return x * table[1] + n; }

  void step() {
#pragma omp parallel for
    for (double& x : rho) x = weight(x) + u[&x - rho.data()];
#pragma omp parallel for
    for (double& x : this->rho) x += 1;
#pragma omp parallel for
    for (double* p = u; p != u + n; ++p) *p *= 2;
#pragma omp parallel for
    for (double* p = this->u + 1; p < this->u + this->n - 1; p += 2) *p = p[-1] + p[1] + this->rho[p - this->u];
#pragma omp parallel for
    for (float& level : levels) level += 0.5f;
#pragma omp parallel for
    for (double* rho = u; rho < u + n; ++rho) *rho += 1;
  }
  void shadowed() {
#pragma omp parallel for
    for (double& rho : rho) rho -= 1;
#pragma omp parallel for
    for (double* n = u; n < &u[10]; ++n) *n += 3;
#pragma omp parallel for
    for (double* p = &u[n - 1]; p >= u; --p) *p += p - u;
  }
  double total() const {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (const double x : rho) sum += x;
#pragma omp parallel for reduction(+ : sum)
    for (const double& x : table) sum += x;
#pragma omp parallel for reduction(+ : sum)
    for (const float* level = levels.data(); level < levels.data() + levels.size(); ++level) sum += *level;
#pragma omp parallel for reduction(+ : sum)
    for (auto it = levels.begin(); it != levels.end(); ++it) sum += *it * u[it - levels.begin()];
    return sum;
  }
};

template <class T>
class Series {
 public:
  explicit Series(int n) : values_(n, T(2)) {}
  void scale(T by) {
#pragma omp parallel for
    for (T& x : values_) x *= by;
  }
  T sum() const {
    T result = 0;
#pragma omp parallel for reduction(+ : result)
    for (auto it = values_.begin(); it != values_.end(); ++it) result += *it;
    return result;
  }

 private:
#pragma ompx managed(values_)
  std::vector<T> values_;
};

struct Holder {
  Grid* grid;
  void clear() {
#pragma omp parallel for
    for (double& x : grid->rho) x = 0.25;
  }
};

static void show(const char* what, const Grid& grid) {
  double s = 0;
  for (int i = 0; i < grid.n; ++i) s += (i % 13 + 1) * (grid.rho[i] + 2 * grid.u[i] + 3 * grid.levels[i]);
  printf("%s %.17g\n", what, s);
}

int main() {
  Grid grid(1013);
  for (int t = 0; t < 3; ++t) grid.step();
  show("step", grid);
  grid.shadowed();
  show("shadowed", grid);
  printf("total %.17g\n", grid.total());
  Series<double> doubles(517);
  Series<int> ints(31);
  doubles.scale(1.5);
  ints.scale(3);
  printf("series %.17g %d\n", doubles.sum(), ints.sum());
  Holder{&grid}.clear();
  show("clear", grid);
}
