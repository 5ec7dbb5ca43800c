// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's own errors and warnings appear once, at the user's lines, and rewritten code adds none.
// RUN: %muster++ -c -o %t.o -Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-unsafe-buffer-usage %s 2>&1 | %filecheck --check-prefix=WARN %s
// RUN: %muster++ -c -o %t.o -Werror %s
// RUN: not %muster++ -c -o %t.o -Wall -Werror=unused-variable %s 2>&1 | %filecheck --check-prefix=WERROR %s
// RUN: not %muster++ -fsyntax-only -DBROKEN %s 2>&1 | %filecheck --check-prefix=BROKEN %s
#include <vector>

#pragma omp managed(g)
static double g[4][4];

int main() {
#pragma omp managed(v)
  std::vector<double> v(8);
#pragma omp managed(a, b)
  double a[4] = {1, 2, 3, 4}, b[4];
  v.resize(9);
  // WARN: :[[@LINE+1]]:40: warning: implicit conversion loses floating-point precision
  float narrow = a[0] + b[0] + g[0][0] + v[0];
  // WARN: :[[@LINE+2]]:7: warning: unused variable 'nobody'
  // WERROR: :[[@LINE+1]]:7: error: unused variable 'nobody'
  int nobody;
#ifdef BROKEN
  // BROKEN: :[[@LINE+1]]:7: error: cannot initialize a variable of type 'int'
  int broken = "text";
  // BROKEN: :[[@LINE+1]]:10: error: use of undeclared identifier 'undeclared'
  return undeclared;
#else
  return narrow > 0.0f;
#endif
}
