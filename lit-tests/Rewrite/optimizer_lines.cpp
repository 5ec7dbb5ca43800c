// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser's remarks and warnings name the user's lines, with and without -g.
// RUN: %muster++ -O2 -w -c %s -o %t.o -Rpass=loop-vectorize -fplugin-arg-muster-remarks=none 2>&1 | FileCheck %s
// RUN: %muster++ -O2 -g -w -c %s -o %t.o -Rpass=loop-vectorize -fplugin-arg-muster-remarks=none 2>&1 | FileCheck %s
// RUN: %muster++ -O2 -g -c %s -o %t.o -fplugin-arg-muster-remarks=none 2>&1 | FileCheck --check-prefix=FAILED %s
// RUN: not %muster++ -O2 -g -c %s -o %t.o -Werror=pass-failed -fplugin-arg-muster-remarks=none 2>&1 | FileCheck --check-prefix=ERROR %s
// CHECK-DAG: optimizer_lines.cpp:14:{{[0-9]+}}: remark: vectorized loop {{.*}}[-Rpass=loop-vectorize]
// CHECK-DAG: optimizer_lines.cpp:23:{{[0-9]+}}: remark: vectorized loop {{.*}}[-Rpass=loop-vectorize]
// FAILED: optimizer_lines.cpp:21:3: warning: loop not vectorized{{.*}}[-Wpass-failed=transform-warning]
// FAILED: 1 warning generated
// ERROR: optimizer_lines.cpp:21:3: error: loop not vectorized{{.*}}[-Werror,-Wpass-failed=transform-warning]
void step(double *u, const double *v, double *w, int n, double (*f)(double)) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = v[i] * 0.5;




#pragma clang loop vectorize(enable)
  for (int i = 1; i < n; ++i) w[i] = f(w[i - 1]);

#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    w[i] +=
        u[i];
}
