// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
inline int before() { return 1; }
#pragma omp managed(a)
inline double a[4];
