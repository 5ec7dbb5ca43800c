// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that something else names, too: what a function keeps that gets a reference, members that are references,
// arrays of an object as pointers. Iterations may not have such a variable for themselves. One thread, so that nothing
// races.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all -fplugin-arg-muster-summary %s -o %t.muster 2>&1 \
// RUN:   | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include <cstdio>

constexpr int n = 60;
static const int *kept;
static void keep(const int &x) { kept = &x; }
static void hand(int &x) { keep(x); }
template <class T>
void keepAny(T &&x) {
  kept = &x;
}
static int &same(int &x) { return x; }
static void twice(int &x) { x *= 2; }
struct Own {
  int v;
  void tell() { kept = &v; }
  void grow() { v += v; }
};
struct Three {
  int v[3];
};
struct View {
  const int &of;
  View(const int &x) : of(x) {}
};

static int named, given;
static int &alias = named;
static struct {
  const int &of;
} bound{given};

static void report(const char *what, const int *a) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i + 1);
  std::printf("%s %ld\n", what, sum);
}

int main() {
#pragma ompx managed(a)
  int *a = new int[n];
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    int t = 5;
    hand(t);
#pragma omp for
    for (int i = 0; i < n; i++) t = i, a[i] = *kept;
  }
  report("hand", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    int t = 5;
    keepAny(same(t));
#pragma omp for
    for (int i = 0; i < n; i++) t = i, a[i] = *kept;
  }
  report("keepAny", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    int t = 5;
    struct {
      int &of;
    } z{t};
#pragma omp for
    for (int i = 0; i < n; i++) t = i, a[i] = z.of;
  }
  report("member", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    Own t{5};
    t.tell();
#pragma omp for
    for (int i = 0; i < n; i++) t = Own{i}, a[i] = *kept;
  }
  report("this", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    Three t{{5, 6, 7}};
    int *p = t.v + 1;
#pragma omp for
    for (int i = 0; i < n; i++) t = Three{{1, i, 2}}, a[i] = *p;
  }
  report("array", a);
  {
    int t = 5;
    View view(t);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 't' without a reduction
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < n; i++) t = i, a[i] = view.of;
  }
  report("view", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'alias', a reference
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) named = i, a[i] = alias;
  report("alias", a);
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'given' without a reduction
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) given = i, a[i] = bound.of;
  report("bound", a);
// Functions that only use what they get.
#pragma omp parallel
  {
    int t = 5;
    Own own{4};
    twice(t);
    own.grow();
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for
    for (int i = 0; i < n; i++) {
      t = i;
      twice(t);
      own = Own{i};
      own.grow();
      a[i] = t + own.v + std::max(t, 7);
    }
  }
  report("harmless", a);
  delete[] a;
}
// CHECK: loops: 1 for all devices, 0 for CPUs only, 8 plain OpenMP
