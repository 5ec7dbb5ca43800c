// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every canonical loop: types, relations, steps, both directions, empty ones; the plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-33: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/loop_report.h"

const int n = 200;

void relations(double* a, int lo, int hi) {
#pragma omp parallel for
  for (int i = lo; i < hi; i++) a[i] += i;
  report("<", a, n);
#pragma omp parallel for
  for (int i = lo; i <= hi; ++i) a[i] += i;
  report("<=", a, n);
#pragma omp parallel for
  for (int i = hi; i > lo; i--) a[i] += 2 * i;
  report(">", a, n);
#pragma omp parallel for
  for (int i = hi; i >= lo; --i) a[i] += 3 * i;
  report(">=", a, n);
#pragma omp parallel for
  for (int i = lo; i != hi; i++) a[i] += 4 * i;
  report("!= up", a, n);
#pragma omp parallel for
  for (int i = hi; i != lo; --i) a[i] += 5 * i;
  report("!= down", a, n);
#pragma omp parallel for
  for (int i = lo; hi > i; ++i) a[i] += i;
  report("bound first", a, n);
#pragma omp parallel for
  for (int i = hi; i < lo; ++i) a[i] += i;
  report("empty", a, n);
#pragma omp parallel for
  for (int i = lo; i < lo + 1; ++i) a[i] += i;
  report("one", a, n);
}

void steps(double* a, int lo, int hi, int st) {
#pragma omp parallel for
  for (int i = lo; i < hi; i += 4) a[i] += i;
  report("+= 4", a, n);
#pragma omp parallel for
  for (int i = lo; i < hi; i += st) a[i] += i;
  report("+= st", a, n);
#pragma omp parallel for
  for (int i = hi; i > lo; i -= st) a[i] += i;
  report("-= st", a, n);
#pragma omp parallel for
  for (int i = hi; i >= 0; i += -7) a[i] += i;
  report("+= -7", a, n);
#pragma omp parallel for
  for (int i = lo; i < hi; i = i + 3) a[i] += i;
  report("i = i + 3", a, n);
#pragma omp parallel for
  for (int i = lo; i < hi; i = 3 + i) a[i] += i;
  report("i = 3 + i", a, n);
#pragma omp parallel for
  for (int i = hi; i > lo; i = i - 3) a[i] += i;
  report("i = i - 3", a, n);
#pragma omp parallel for
  for (int i = lo; i <= hi; i += st * 2 - 1) a[i] -= i;
  report("+= expression", a, n);
}

void variables(double* a, int lo, int hi) {
  int i;
#pragma omp parallel for
  for (i = lo; i < hi; ++i) a[i] += i;
  report("outside", a, n);
#pragma omp parallel for
  for (int k = -lo; k < hi; ++k) a[k + 3] += k;
  report("negative", a, n);
#pragma omp parallel for
  for (auto k = lo; k < hi; ++k) a[k] -= k;
  report("auto", a, n);
#pragma omp parallel for
  for (int k(lo); k < hi; ++k) a[k] -= 2 * k;
  report("parentheses", a, n);
#pragma omp parallel for
  for (int k = lo; k < hi; ++k) {
    const int i = k;  // hides the outer one
    a[i] *= 2;
  }
  report("hidden", a, n);
}

void types(double* a) {
  const unsigned char uc = 100;
  short sh = 90;
  unsigned un = 80;
  long lg = 120;
  std::size_t sz = 130;
#pragma omp parallel for
  for (unsigned char i = 3; i < uc; i++) a[i] += i;
  report("unsigned char", a, n);
#pragma omp parallel for
  for (short i = sh; i >= 0; i -= 2) a[i] += i;
  report("short", a, n);
#pragma omp parallel for
  for (unsigned i = un; i > 2; i -= 3) a[i] += i;
  report("unsigned", a, n);
#pragma omp parallel for
  for (unsigned i = 0; i < un; ++i) a[i + 1] += i;
  report("unsigned + 1", a, n);
#pragma omp parallel for
  for (unsigned i = 1; i < un; ++i) a[i - 1] += i;
  report("unsigned - 1", a, n);
#pragma omp parallel for
  for (long i = 5; i < lg; ++i) a[i] += i;
  report("long", a, n);
#pragma omp parallel for
  for (long long i = lg; i > 5; i -= 5) a[i - 1] += i;
  report("long long", a, n);
#pragma omp parallel for
  for (std::size_t i = 1; i < sz; ++i) a[i - 1] += i;
  report("size_t", a, n);
#pragma omp parallel for
  for (int i = 0; i < sz; ++i) a[i] += 1;
  report("int < size_t", a, n);
#pragma omp parallel for
  for (std::size_t i = 2; i < un; i += 2) a[i] += i;
  report("size_t < unsigned", a, n);
#pragma omp parallel for
  for (int i = 0; i < lg; i++) a[i] += i;
  report("int < long", a, n);
}

int main() {
#pragma ompx managed(a)
  double* a = new double[n];
  fill(a, n);
  relations(a, 3, 90);
  steps(a, 3, 90, 4);
  variables(a, 3, 90);
  types(a);
  delete[] a;
}
