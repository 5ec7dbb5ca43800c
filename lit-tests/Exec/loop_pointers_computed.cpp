// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over pointers that start from what an expression without effects gives.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

template <class T>
class List {
 public:
  explicit List(std::vector<T> &values) : start_(values.data()) {}
  T &operator[](size_t i) { return start_[i]; }

 private:
  T *start_;
};
struct Level {
  double *first, *last;
};

template <class T>
static double scaled(List<T *> &starts, int level, double by) {
  double sum = 0;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp parallel for reduction(+ : sum)
  for (auto it = starts[level]; it < starts[level + 1]; it++) {
    *it *= by;
    sum += *it;
  }
  return sum;
}

static int calls = 0;
static double *counted(double *first) {
  ++calls;
  return first;
}

int main() {
  const int n = 1003;
#pragma ompx managed(a)
  double *a = new double[n];
  std::vector<double *> starts{a, a + 100, a + 650, a + n};
  std::vector<Level> levels{{a + 3, a + 50}, {a + 400, a + 977}};
  List<double *> list(starts);
  for (int i = 0; i < n; i++) a[i] = i % 17;
  for (int level = 0; level < 3; level++) printf("%g\n", scaled(list, level, level + 2));
  for (int k = 0; k < 2; k++) {
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp parallel for
    for (double *p = levels[k].first; p != levels[k].last; p++) *p += k + 5;
  }
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp parallel for
  for (double *p = starts[2] - 1; p >= starts[1] + 2; p -= 3) *p = -*p;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: {{.*}}: counts with a pointer that starts from no plain name
#pragma omp parallel for
  for (double *p = counted(a); p < a + n; p++) *p += 1;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i % 13);
  printf("%g %d\n", sum, calls > 0);
  delete[] a;
}
