// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and critical regions that stay plain OpenMP, and why.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <cmath>

struct Pair {
  int first, second;
};
#pragma omp declare reduction(merge : int : omp_out += omp_in) initializer(omp_priv = 0)

void reductions(const int *key, int *h, double *d, int n) {
  int table[8] = {}, x = 0, own = 0;
// CHECK: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: uses 'table' for something else than updates by the operator of its reduction [-Rmuster-missed]
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: here
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) h[i] = table[key[i]]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'table' for something else than updates by the operator of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] = key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: updates 'table' by another operator than that of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] *= 2;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'table' for something else than updates by the operator of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] += 0.5;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own
#pragma omp parallel for reduction(merge : table)
  for (int i = 0; i < n; ++i) table[key[i]]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' over several sections of one array, which OpenMP does not allow
#pragma omp parallel for reduction(+ : h[0 : 4]) reduction(max : h[4 : 4])
  for (int i = 0; i < n; ++i) h[key[i] % 4]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    {
      h[key[i]]++;
      x++;
    }
  }
// CHECK: :[[#@LINE+2]]:1: remark: {{.*}}: 'reduction' over elements of type 'long double'
  long double wide[4] = {};
#pragma omp parallel for reduction(+ : wide)
  for (int i = 0; i < n; ++i) wide[i % 4]++;
  using Row = double[n];
  Row *rows = (Row *)d;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' names something other than a variable, an array or a simple section of one
#pragma omp parallel for reduction(+ : rows[0 : 2][0 : n])
  for (int i = 0; i < n; ++i) rows[i % 2][key[i]]++;
// A NaN would show that the device compares the other way round.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    d[key[i]] = std::fmax(d[key[i]], i);
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'x' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic capture
    h[i] = x++;
  }
}
