// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of classes without a name, as a whole: decltype names a variable's class. A member's class has no name at all.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

constexpr int n = 70;
struct Table {
  int size;
  struct {
    int offset;
    double scale[2];
  } form;
};
template <class T>
struct Holder {
  struct {
    T x;
  } inner;
  std::vector<int> &a;
  void add() {
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'this->inner', whose type has no name in front of the loop; declare the type before
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      auto copy = inner;
      a[i] += copy.x;
    }
  }
};

int main() {
#pragma ompx managed(a)
  std::vector<int> a(n);
  Table table = {4, {5, {6, 7}}};
  struct {
    int x, y[2];
  } local = {1, {2, 3}};
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    auto copy = local;
    copy.x = i;
    a[i] = copy.x + copy.y[i % 2] + local.x;
  }
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'table.form', whose type has no name in front of the loop; declare the type before
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    auto copy = table.form;
    a[i] += copy.offset + copy.scale[i % 2];
  }
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += table.form.offset + table.form.scale[i % 2];
  Holder<int>{{3}, a}.add();
  long sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i + 1);
  std::printf("%ld\n", sum);
}
