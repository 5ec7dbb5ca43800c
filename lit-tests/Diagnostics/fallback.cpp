// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewritten text that does not compile (here: a namespace hides Muster's) is never given to the compile: the file stays
// plain OpenMP, with one warning, and works.
// RUN: %muster++ -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %muster++ -Werror -c %s -o %t.o 2>&1 | %filecheck --check-prefix=ERROR %s
// RUN: %muster-link -w %s -o %t && %run %t | FileCheck --check-prefix=RUNS %s
#include <cstdio>
// CHECK: warning: muster: internal error, please report it: the rewritten source does not compile (line 15: {{.*}}'user::muster'{{.*}}); this file stays plain OpenMP
// ERROR: error: muster: internal error
namespace user {
namespace muster {}
double sum(int n) {
#pragma omp managed(u)
  double *u = nullptr;
  u = new double[n];
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  return total;
}
}  // namespace user
// RUNS: 4950
int main() { std::printf("%g\n", user::sum(100)); }
