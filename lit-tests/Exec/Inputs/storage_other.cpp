// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other unit, which knows the arrays by their plain declarations.
#include "storage_other.h"
extern double shared[16][32];
extern double filled[4];
double sumOfShared() {
  double sum = 0;
  for (auto &row : shared)
    for (double value : row) sum += value;
  return sum;
}
double filledOf(int i) { return filled[i]; }
