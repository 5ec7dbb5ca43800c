// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that allocate for their callers, compiled without the plugin.
#include <cstdlib>
double *makeElsewhere(int n) { return static_cast<double *>(std::malloc(n * sizeof(double))); }
double *makeWithNew(int n) { return new double[n]; }
void make2d(double **out, int n, int m) { *out = static_cast<double *>(std::calloc(static_cast<std::size_t>(n) * m, sizeof(double))); }
