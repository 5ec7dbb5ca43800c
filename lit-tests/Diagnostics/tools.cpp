// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools that look at code and emit none see the user's own, without directives: clang-tidy, the static analyzer, -ast-dump.
// REQUIRES: clang-tidy
// RUN: clang-tidy -load=%plugin -checks='-*,bugprone-*,clang-analyzer-*,modernize-use-auto' %s -- -std=c++20 -fopenmp -fplugin=%plugin 2>&1 | FileCheck --check-prefix=TIDY --implicit-check-not='warning: ' --implicit-check-not='error: ' %s
// RUN: not clang-tidy -checks='-*,modernize-use-auto' %s -- -std=c++20 -fopenmp -fplugin=%plugin 2>&1 | FileCheck --check-prefix=WITHOUT %s
// RUN: %muster++ --analyze -Xclang -analyzer-output=text %s 2>&1 | %filecheck --check-prefix=ANALYZE %s
// RUN: %muster++ -fsyntax-only -Xclang -ast-dump %s | FileCheck --check-prefix=AST --implicit-check-not=muster_ %s
// RUN: %muster++ -fsyntax-only -Wall -Wunused-variable %s 2>&1 | %filecheck --check-prefix=SYNTAX %s
// WITHOUT: error: expected an OpenMP directive [clang-diagnostic-error]
// AST: OMPParallelForDirective
static int zeroth(int n) {
  int *zero = nullptr;
  // TIDY: :[[@LINE+2]]:{{[0-9]+}}: warning: Dereference of null pointer
  // ANALYZE: :[[@LINE+1]]:{{[0-9]+}}: warning: Dereference of null pointer
  return n == 17 ? *zero : 0;
}
double sum(int n) {
#pragma omp managed(u)
  // TIDY: :[[@LINE+1]]:3: warning: use auto when initializing with new
  double *u = new double[n];
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2.0 * i;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  // SYNTAX: :[[@LINE+1]]:7: warning: unused variable 'nobody'
  int nobody;
  return total + zeroth(n);
}
