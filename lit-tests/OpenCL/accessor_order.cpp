// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors that return references change nothing, so that updates through them have no order to depend on. What is
// changed through one is a part of its object.
//
// RUN: %muster++ -O1 -w -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -fplugin-arg-muster-remarks=none -o %t.muster
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

struct Field {
  int m;
  std::vector<double> values;
  double *more;
  double &at(int i) { return values[i]; }
  double &operator()(int i, int j) { return more[i * m + j]; }
  double *row(int i) { return more + i * m; }
};

struct Cursor {
  int position = 0, reads = 0;
  int &here() { return position; }
  int counted() { return ++reads, position; }
  int countedDeeply() { return counted(); }
};

const int n = 120;

int main() {
  Field f{4, std::vector<double>(), nullptr};
#pragma ompx managed(f.values)
  f.values.resize(n);
#pragma ompx managed(f.more)
  f.more = new double[4 * n];
  for (int i = 0; i < n; ++i) f.values[i] = i;
  for (int i = 0; i < 4 * n; ++i) f.more[i] = i % 7;
#pragma ompx managed(a)
  int *a = new int[3 * n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f.at(i) += f(i, 1) * 2;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    f(i, 2) = f.at(i) - f(i, 3);
    f.row(i)[0] -= f.row(i)[1] + f(i, 2);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += f.at(i) + f(i, 0) * 3 + f(i, 2) * 7;
  std::printf("%.17g\n", sum);
// CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Cursor c;
    a[3 * i + c.here()] = c.here()++;
    a[3 * i + c.here()] = 5;
    a[3 * i + 2] = i;
  }
// CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Cursor c;
    a[3 * i + c.position] += c.position++ + 1;
  }
// CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Cursor c;
    a[3 * i + c.reads] += c.countedDeeply() + 1;
  }
// CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int steps[2] = {0, 0};
    a[3 * i + steps[0]] -= steps[0]++ + 7;
  }
  for (int i = 0; i < 3 * n; i += 11) std::printf("%d ", a[i]);
  std::printf("\n");
}
