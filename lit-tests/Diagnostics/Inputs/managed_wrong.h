// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
inline int between() { return 1; }
#pragma omp managed(d)
extern double *c;
// An array that another file defines.

#pragma omp managed(e)
extern double e[4];
