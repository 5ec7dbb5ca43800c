// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a library in headers: inline functions, templates, methods, by way of another header.
#ifndef HEADERS_LOOPS_H
#define HEADERS_LOOPS_H
#include "headers_nested.h"
namespace lib {
#define AXPY(k) y[k] += factor * x[k]
inline double axpy(double *y, const double *x, int n, double factor) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    AXPY(i);
    sum += i % 2 ? y[i] : -1;
  }
  return sum;
}
template <class T>
struct Field {
  static void shift(T *out, const T *in, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) out[i] = in[(i + 1) % n] + known(i);
  }
};
inline int line() { return __LINE__; }
}  // namespace lib
#endif
