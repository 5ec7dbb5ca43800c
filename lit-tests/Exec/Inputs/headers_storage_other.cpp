// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "headers_storage.h"

double otherUnit(int n) {
  Plain plain(n);
  plain.step();
  Field<double> field(n, 0.5);
  field.step(1);
  double total = plain.sum() + field.sum() + sumOfMade(n) + fixedTable(5) + Tables::sum() + countUp();
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += shared[i];
  return total;
}
