// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second unit: it knows a function that the first does not, so it finds out other things about the same loop.
#include "headers_loops.h"
namespace lib {
int known(int i) { return i % 5; }
}  // namespace lib
double other(double *y, const double *x, int n) {
  lib::ramp(y, n);
  lib::Field<double>::shift(y, x, n);
  return lib::axpy(y, x, n, 2.5);
}
