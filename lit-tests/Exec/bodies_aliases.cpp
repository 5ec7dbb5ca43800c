// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a loop of the body changes under another name, and by which it chooses elements: through pointers and
// references, of the body, of functions, of lambdas and of objects.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARKS --allow-empty %s < %t.remarks
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// REMARKS-NOT: stays plain
#include <cstdio>

constexpr int n = 900;
static double sum(const double *a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7);
  return s;
}

struct Counter {
  int *at;
  explicit Counter(int *p) : at(p) {}
  void go() { ++*at; }
  void run(double *a, const double *b, int i) {
    for (int j = 0; j < 5; ++j, ++*at) a[i] += b[*at];
  }
};
struct Reference {
  int &at;
  explicit Reference(int &p) : at(p) {}
  void go() { ++at; }
};
static void move(double *a, const double *b, int i, int &x) {
  for (int j = 0; j < 5; ++j) {
    a[i] += b[x];
    ++x;
  }
}
static void next(int &x) { ++x; }
static void pass(double *a, const double *b, int i, int &x) {
  for (int j = 0; j < 5; ++j) {
    a[i] += b[x];
    next(x);
  }
}

int main() {
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(b)
  double *b = new double[n + 10];
#pragma omp parallel for
  for (int i = 0; i < n + 10; ++i) b[i] = i * 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, *p = &z;
    for (int j = 0; j < 5; ++j, ++*p) a[i] += b[z];
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, y = 0, *p = i % 2 ? &z : &y;
    for (int j = 0; j < 5; ++j) {
      a[i] += b[z] + b[y];
      ++*p;
    }
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, &r = z, j = 0;
    while (j++ < 5) a[i] += b[z], ++r;
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i;
    move(a, b, i, z);
    pass(a, b, i, --z);
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, y = i;
    Counter counter(&z);
    Reference reference(y);
    for (int j = 0; j < 5; ++j) {
      a[i] += b[z] + b[y];
      counter.go();
      reference.go();
    }
    counter.run(a, b, i);
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, y = i, *p = &y;
    auto go = [&z, p] { ++z, ++*p; };
    for (int j = 0; j < 5; ++j) {
      a[i] += b[z] + b[y];
      go();
    }
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int z = i, *p = &z, j = 0;
  again:
    a[i] += b[z];
    ++*p;
    if (++j < 5) goto again;
  }
  std::printf("%g\n", sum(a));
// By both names: no steps of one length.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = i, *p = &k, m = i, &r = m;
    for (int j = 0; j < 4; ++j) {
      a[i] += b[k] + b[m];
      k++, ++*p;
      m++, r += 1;
    }
  }
  std::printf("%g\n", sum(a));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = i, *p = &k, j = 0;
    while (j++ < 5 && k < n && k >= 0) {
      a[i] += b[k];
      k++;
      *p -= 3;
    }
  }
  std::printf("%g\n", sum(a));
  delete[] a;
  delete[] b;
}
