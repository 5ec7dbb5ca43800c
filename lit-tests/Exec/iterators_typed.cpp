// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators of vectors in a body that are declared by their type, which are pointers in native code and kernels. The
// plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks && %run %t.muster | diff %t.expected -
// RUN: FileCheck --implicit-check-not=remark: %s < %t.remarks
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.err | diff %t.expected -
// RUN: not grep -i "does not build" %t.err
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <vector>

#include "Inputs/wild_report.h"

using Constant = std::vector<double>::const_iterator;

template <class T>
static void rows(std::vector<T>& v, const std::vector<T>& w, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    typename std::vector<T>::iterator row = v.begin() + i * m, end;
    typename std::vector<T>::const_iterator other = w.begin() + i * m;
    for (end = row + m; row != end; ++row) *row += 2 * *other++;
  }
}

static double first(const std::vector<double>& v, int i) {
  std::vector<double>::const_iterator it = v.begin() + i;
  return *it;
}

#define ITERATOR std::vector<double>::iterator

int main() {
  const int n = 61, m = 7;
#pragma ompx managed(v)
  std::vector<double> v(n * m);
#pragma ompx managed(w)
  std::vector<double> w(n * m);
  fill(v.data(), v.size()), fill(w.data(), w.size(), 3);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<double>::const_iterator it = v.begin() + i;
    const std::vector<double>::iterator to = w.begin() + i;
    Constant same = it, next = it + 1;
    *to = *it * 2 + same[1] - *next + (next - same);
  }
  report("elements", w.data(), w.size());
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (std::vector<double>::const_iterator it = v.cbegin() + i * m; it != v.begin() + (i + 1) * m; ++it) sum += *it;
    auto last = [&](int j) {
      std::vector<double>::iterator end = v.begin() + (i + 1) * m;
      return end[-j];
    };
    w[i] = sum + last(1);
  }
  report("rows", w.data(), w.size());
  rows(v, w, n, m);
  std::vector<float> f(n * m, 1.5f), g(n * m, 2.5f);
  rows(f, g, n, m);
  report("templates", v.data(), v.size());
  report("templates", f.data(), f.size());
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} declares 'it' by the type of an iterator
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ITERATOR it = v.begin() + i;
    w[i] = *it;
  }
  report("macro", w.data(), w.size());
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP
#pragma omp parallel for
  for (int i = 0; i < n; ++i) w[i] = first(v, i);
  report("function", w.data(), w.size());
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} makes 'it' point to another array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<double>::iterator it = v.begin() + i;
    for (int j = 0; j < 2; ++j, it = w.begin() + i) *it += j;
  }
  report("two vectors", w.data(), w.size());
}
