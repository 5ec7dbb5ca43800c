// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directive for the vector of each of several objects of one class. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster -fplugin-arg-muster-remarks=missed 2>&1 | %filecheck --allow-empty %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

template <class T>
struct Field {
  std::vector<T> values;
};

int main() {
  const int n = 150;
  Field<double> a, b;
  Field<float> c;
#pragma ompx managed(a.values)
  a.values.resize(n, 0.5);
#pragma ompx managed(b.values)
  b.values.assign(n, 2.0);
#pragma ompx managed(c.values)
  c.values.resize(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a.values[i] += b.values[i] * i;
    c.values[i] = i;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a.values[i] * (i % 3) + c.values[i];
  std::printf("%.17g\n", sum);
}
