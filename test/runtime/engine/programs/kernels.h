// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as the plugin emits them, written by hand: what the test programs launch. Each launch function has the
// effect of the plain loop in its comment.
#pragma once

#include "muster/abi.h"

namespace programs {

// for (i = 1; i < n - 1; ++i) for (j = 1; j < m - 1; ++j)
//   v[i*m + j] = 0.25 * (u[(i-1)*m + j] + u[(i+1)*m + j] + u[i*m + j-1] + u[i*m + j+1]);
void jacobi(double* u, double* v, long n, long m);

// for (i = 0; i < n; ++i) x[i] = x[i] + i * a;
void axpy(int* x, long n, int a, unsigned flags = 0);

// The same for i = 1 .. n.
void axpyFromOne(int* x, long n, int a);

// sum and largest of x[0 .. n), and the last index
struct Summary {
  long sum = 0;
  int largest = -2147483647;
  long last = -1;
};
void summarise(int* x, long n, Summary& summary);

// for (i = 0; i < n; ++i) y[i] = x[index[i]]: reads of x cannot be bounded
void gatherThrough(int* index, int* x, int* y, long n);

// x[n - 1 - i] += y[i], over a global scale that the native code reads under its own name
extern int scale;
void addReversed(int* x, int* y, long n);

extern const muster_array_site siteU, siteV, siteX, siteY, siteIndex;

}  // namespace programs
