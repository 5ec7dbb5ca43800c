// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that an iteration makes and that hold pointers: into a table of rows, and into an array. They are copied,
// returned, changed in loops, and pointed to.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARKS --implicit-check-not="stays plain" %s < %t.remarks
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs on rank 0
#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>
#include "Inputs/wild_report.h"

template <class T>
class Graph {
  class Row {
    int n_;
    T **index_;
    long start_;

   public:
    Row(int n, T **index, long start) : n_(n), index_(index), start_(0) {
      const long length = end() - begin();
      start_ = std::min(start, length);
    }
    T *begin() { return index_[n_] + start_; }
    T *end() { return index_[n_ + 1]; }
  };
  int n_;
  T **index_;
  T *elements_;

 public:
  Graph(int n, int total) : n_(n) {
#pragma ompx managed(index_)
    index_ = new T *[n + 1];
#pragma ompx managed(elements_)
    elements_ = new T[total];
    for (int i = 0, at = 0; i <= n; ++i) {
      index_[i] = elements_ + at;
      if (i < n) at += i * 7 % 5;
    }
    fill(elements_, total, 3);
  }
  ~Graph() { delete[] index_, delete[] elements_; }
  int size() const { return n_; }
  T **table() const { return index_; }
  long degree(int i) const { return index_[i + 1] - index_[i]; }
  Row row(int i, long start = 0) const { return Row(i, index_, start); }
};

struct Span {
  int *first, *last;
  Span(int *first, int *last) : first(first), last(last) {}
  Span(int *all, int n) : Span(all, all + n) {}
  int size() const { return last - first; }
  void drop() { ++first; }
};

struct Place {
  const int *at;
  int number;
};

static void sums(const Graph<int> &g, long *out) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only: uses 'Row', which holds a pointer
  for (int i = 0; i < g.size(); ++i) {
    long sum = g.degree(i);
    for (int v : g.row(i)) {
      sum += v;
      for (int w : g.row(v % g.size(), 1)) sum += 2 * w;
    }
    auto row = g.row(i, 2);
    auto other = row;
    if (i % 3 == 0) other = g.row(i, 1);
    out[i] = sum + (other.end() - other.begin()) * 1000;
  }
}

static void change(Graph<int> &g) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only: uses 'Row', which holds a pointer
  for (int i = 0; i < g.size(); ++i) {
    for (int &v : g.row(i)) v = 3 * v + 1;
    std::reverse(g.row(i).begin(), g.row(i).end());
  }
}

static void spans(int *a, int *b, int n) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only: uses 'Span', which holds a pointer
  for (int i = 0; i < n / 10; ++i) {
    Span span(a + 10 * i, 10);
    int sum = 0;
    while (span.size() > i % 7) sum += *span.first, span.drop();
    Span *one = &span;
    one->last = one->first + i % 3;
    b[i] = sum + span.size();
  }
}

static void places(const int *a, const int *b, int *out, int n) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only: uses 'Place', which holds a pointer
  for (int i = 0; i < n; ++i) {
    Place place = {a, 2};
    if (i % 2) place.at = b;
    place.number += i % 5;
    out[i] = place.at[i] * place.number;
  }
}

// What a loop leaves in an object is one of many.
static void remade(int *a, const int *b, int *out, int n) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only: uses 'Place', which holds a pointer
  for (int i = 0; i < n / 10; ++i) {
    Place place = {a + 10 * i, 0};
    for (int k = 0; k < 10; ++k)
      if (k <= i % 10) place = {a + 10 * i + k, k};
    Place other = {b, i};
    std::swap(place, other);
    out[i] = *other.at + place.at[i] * place.number;
    const_cast<int *>(other.at)[0] = -i;
  }
}

static void entries(int **table, long *out, int n) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only
  for (int i = 0; i < n; ++i) {
    int **row = table + i;
    out[i] = row[1] - *row + (table ? 1 : 0);
    for (int *p = *row; p != row[1]; ++p) out[i] += *p;
  }
}

static void library(const int *a, int *out, int n) {
#pragma omp parallel for
  // REMARKS: [[#@LINE-1]]:1: remark: {{.*}} runs on CPUs only
  for (int i = 0; i < n / 8; ++i) {
    const std::span<const int> part(&a[8 * i], 8);
    int sum = part[3] * (int)part.size();
    for (const int value : part) sum += value;
    out[i] = sum + part.back();
  }
}

int main() {
  const int n = 1000;
  Graph<int> g(n, 5 * n);
#pragma ompx managed(out)
  long *out = new long[n];
#pragma ompx managed(a)
  int *a = new int[n];
#pragma ompx managed(b)
  int *b = new int[n];
#pragma ompx managed(c)
  int *c = new int[n];
  fill(a, n, 1), fill(b, n, 2), fill(c, n, 3);
  sums(g, out);
  report("out", out, n);
  change(g);
  sums(g, out);
  report("out", out, n);
  spans(a, b, n);
  report("b", b, n);
  places(a, b, c, n);
  report("c", c, n);
  remade(a, b, c, n);
  report("c", c, n);
  report("a", a, n);
  entries(g.table(), out, n);
  report("out", out, n);
  library(a, c, n);
  report("c", c, n);
  delete[] out, delete[] a, delete[] b, delete[] c;
}
