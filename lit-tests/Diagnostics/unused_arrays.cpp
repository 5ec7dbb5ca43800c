// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive that names the wrong array: the remark names those that the loops use.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: %muster++ -fsyntax-only -DPASSED %s 2>&1 | %filecheck --check-prefix=PASSED --allow-empty %s
// PASSED-NOT: no loop of this file uses
#include <vector>
void elsewhere(double *);
#ifdef PASSED
void here(double *p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = 1;
}
#endif
int main() {
  const int n = 100;
// CHECK: unused_arrays.cpp:[[@LINE+1]]:21: remark: no loop of this file uses 'input'; the loops use 'data', 'values', which no directive names [-Rmuster-missed]
#pragma omp managed(input)
  double *input = new double[n];
#pragma omp managed(used)
  double *used = new double[n];
  double *data = new double[n];
  std::vector<double> values(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) data[i] = values[i] + used[i];
  elsewhere(input);
}
