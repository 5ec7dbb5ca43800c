// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments in a row, to members and elements of one object: their order says nothing, unless a place depends on what
// another of them writes.
//
// RUN: %plain -O1 -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --implicit-check-not=remark: %s
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>

struct Triple {
  int x, y, z;
};

int main() {
  const int n = 50;
#pragma ompx managed(a)
  int *a = new int[2 * n]();
#pragma ompx managed(t)
  Triple *t = new Triple[n]();

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Triple c;
    int m[3], *p = m;
    c.x = c.y = c.z = i;
    m[0] = m[1] = m[2] = c.x + 1;
    p[i % 3] = p[0] = 7;
    a[i] = a[i + n] = c.x + m[1];
    t[i].x = t[i].z = m[i % 3] + c.z;
    t[i].y = (t[i].x -= 2) + c.y;
  }

  // CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int m[3] = {0, 1, 2};
    m[m[0]] = m[0] = 2;
    a[i] += m[2] * 3 + m[0];
  }

  // CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int m[3] = {0, 1, 2}, *p = m;
    *(p + m[1]) = m[1] = 2;
    a[i] += m[2] * 3 + m[1];
  }

  // CHECK: :[[@LINE+1]]:1: remark: loop {{.*}}runs on CPUs only: depends on the order in which C++17 evaluates an assignment (line [[@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Triple c[2] = {{0, 0, 0}, {1, 1, 1}};
    c[c[0].y].z = c[0].y = 1;
    a[i] += c[0].z * 5 + c[1].z;
  }

  long sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 7 + 1) + a[i + n] + t[i].x * 3 + t[i].y * 5 + t[i].z;
  std::printf("%ld\n", sum);
  delete[] a;
  delete[] t;
  return 0;
}
