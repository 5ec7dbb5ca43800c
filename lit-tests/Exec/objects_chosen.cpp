// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that are copies of one of several, `x < y ? a : b`: results of functions, elements, and operands of a
// reduction. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include "Inputs/loop_report.h"

struct Found {
  double value;
  int place;
};
static Found better(Found a, Found b) { return a.value < b.value || (a.value == b.value && a.place < b.place) ? a : b; }
static Found worse(const Found& a, const Found& b) { return a.value < b.value ? b : a; }
#pragma omp declare reduction(best : Found : omp_out = better(omp_out, omp_in)) initializer(omp_priv = Found{1e300, -1})

int main() {
  const int n = 999;
#pragma ompx managed(all)
  Found* all = new Found[n];
#pragma ompx managed(o)
  double* o = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) all[i] = Found{double(i * 37 % 101), i};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) o[i] = i ? better(all[i], all[i - 1]).place : 0;
  report("elements", o, n);
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    Found x = better(all[i], Found{5, 3}), y = all[i];
    Found z = x.value < y.value ? x : y;
    x = z.place > 50 ? z : all[i - 1];
    o[i] += x.place + worse(x, y).value;
  }
  report("variables", o, n);
  Found found{1e300, -1}, again{1e300, -1};
#pragma omp parallel for reduction(best : found)
  for (int i = 0; i < n; ++i) found = better(found, all[i]);
#pragma omp parallel for reduction(best : again)
  for (int i = 0; i < n; ++i) {
    const Found own{all[i].value + 1, i};
    again = own.value < again.value ? own : again;
  }
  report("value", found.value);
  report("place", found.place);
  report("again", again.value);
  delete[] all;
  delete[] o;
}
