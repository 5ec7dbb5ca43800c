// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
// The line is that of a loop in the file that includes this.
#line 54
static void lastLine(double *a, int n) { _Pragma("omp parallel for") for (int i = 0; i < n; ++i) a[i] += i; }
