// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of the plugin.
// RUN: not %muster++ -fsyntax-only -fplugin-arg-muster-colour=red %s 2>&1 | %filecheck --check-prefix=UNKNOWN %s
// RUN: not %muster++ -fsyntax-only -fplugin-arg-muster-print=plan,plans %s 2>&1 | %filecheck --check-prefix=STAGE %s
// RUN: not %muster++ -fsyntax-only -fplugin-arg-muster-remarks=some %s 2>&1 | %filecheck --check-prefix=REMARKS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks %s 2>&1 | %filecheck --check-prefix=ALL %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | %filecheck --check-prefix=ALL %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck --check-prefix=MISSED %s
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck --check-prefix=MISSED %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none %s 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
// UNKNOWN: error: muster: unknown plugin argument 'colour=red'; the arguments are: remarks, remarks=all|missed|none, strict, summary, print=directives|facts|plan|schedule|ir|kernels|rewrite
// STAGE: error: muster: unknown plugin argument 'print=plan,plans'
// REMARKS: error: muster: unknown plugin argument 'remarks=some'
#include <new>
void f(int n) {
  // ALL: :[[@LINE+2]]:21: remark: array 'u' is {{.*}} [-Rmuster]
  // MISSED-NOT: array 'u'
#pragma omp managed(u)
  double *u = new double[n];
  // ALL: :[[@LINE+3]]:21: remark: array 'v' stays a plain array: it is allocated by a placement new [-Rmuster-missed]
  // MISSED: :[[@LINE+2]]:21: remark: array 'v' stays a plain array: it is allocated by a placement new [-Rmuster-missed]
  // NONE-NOT: array 'v'
#pragma omp managed(v)
  double *v = new (u) double[2];
  delete[] u;
}
