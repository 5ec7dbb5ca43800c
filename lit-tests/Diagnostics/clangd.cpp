// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .clangd fragment of docs/editors.md: clangd loads no plugins, and takes our directives for errors without it.
// REQUIRES: clangd
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/main.cpp && cd %t
// RUN: printf '%%s\n' -fopenmp -fplugin=%plugin -fplugin-arg-muster-strict > compile_flags.txt
// RUN: not clangd --enable-config --check=main.cpp 2>&1 | FileCheck --check-prefix=WITHOUT %s
// RUN: sed -n '/^```yaml/,/^```/p' %S/../../docs/editors.md | sed '/^```/d' > .clangd
// RUN: clangd --enable-config --check=main.cpp 2>&1 | FileCheck --check-prefix=WITH --implicit-check-not='E[' %s
// WITHOUT: [omp_unknown_directive] Line 13: expected an OpenMP directive
// WITH: All checks completed, 0 errors
#include <vector>
double *allocate(int n) {
#pragma omp managed(u)
  double *u = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2.0 * i;
  return u;
}
