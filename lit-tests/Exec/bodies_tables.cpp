// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables outside of the loop that are read through std::array's operator[]: no kernel may take the address of what is
// no array there (it printed a pointer to a pointer once, and the device read nonsense). A plain table is printed.
// RUN: %plain %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-remarks %s -o %t 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: env MUSTER_DEVICES=cpu %run %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=opencl %run %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=cpu,opencl %run %t | diff %t.expected -
#include <array>
#include <cstdio>

constexpr std::array<double, 3> fixed = {1.5, -2.25, 4.125};
static const double plain[3] = {0.5, 8, -3};

struct Filter {
  std::array<double, 3> weights;
};

int main() {
  const int n = 1003;
  Filter filter = {{0.25, 0.5, 7}};
#pragma ompx managed(x)
  double *x = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = plain[i % 3];
// CHECK: :[[@LINE+1]]:{{.*}}for all devices
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] += fixed[i % 3] * i;
// CHECK: :[[@LINE+1]]:{{.*}}for all devices
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] -= filter.weights[(i + 1) % 3];
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * (i % 7);
  printf("%.17g %.17g %.17g\n", sum, x[0], x[n - 1]);
  delete[] x;
}
