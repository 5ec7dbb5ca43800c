// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in headers that two units include become launches there too; a header that is entered several times keeps its
// loops. Lines stay what they are. The plain program is the oracle.
//
// RUN: %plain -w %s %S/Inputs/headers_other.cpp -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -fplugin-arg-muster-remarks=none %s %S/Inputs/headers_other.cpp -o %t.muster 2>&1 | count 0
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster > %t.pocl
// RUN: diff %t.expected %t.pocl
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=none -c %S/Inputs/headers_other.cpp -o %t.other.o
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=none %t.other.o %s -o %t.turned && %run %t.turned > %t.turned.actual
// RUN: diff %t.expected %t.turned.actual
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | %filecheck %s
// RUN: %muster++ -MD -MF %t.d -c -o %t.o -w -fplugin-arg-muster-remarks=none %s && FileCheck --check-prefix=DEPENDS %s < %t.d
// DEPENDS: headers_loops.h
#include "Inputs/headers_loops.h"
// Again, behind the guards.
#include "Inputs/headers_nested.h"
#include "Inputs/headers_loops.h"
#include "Inputs/wild_report.h"

#define NAME add
#define OPERATION +
#include "Inputs/headers_repeated.h"
#undef NAME
#undef OPERATION
#define NAME times
#define OPERATION *
#include "Inputs/headers_repeated.h"

// CHECK-DAG: headers_nested.h:6:1: remark: loop is outlined as 'muster_ramp_6' for all devices
// CHECK-DAG: headers_loops.h:11:1: remark: loop is outlined as 'muster_axpy_11' for all devices
// CHECK-DAG: headers_loops.h:21:1: remark: loop is outlined as 'muster_shift_21' in 'static void lib::Field<double>::shift(T *, const T *, int) [T = double]' for all devices
// CHECK-DAG: headers_repeated.h:5:1: remark: loop stays plain OpenMP on rank 0: is in a header that is entered more than once; '#pragma once' or a guard around all of it makes it served
// CHECK-DAG: headers_repeated.h:5:1: remark: loop stays plain OpenMP on rank 0: is in a header that is entered more than once
// CHECK-DAG: [[@LINE+4]]:22: remark: array 'x' is partitioned
// CHECK-DAG: [[@LINE+3]]:25: remark: array 'y' is partitioned
double other(double *y, const double *x, int n);
int main() {
#pragma ompx managed(x, y)
  double *x = new double[1003], *y = new double[1003];
  lib::ramp(x, 1003);
  lib::ramp(y, 1003);
  std::printf("%.17g %d\n", lib::axpy(y, x, 1003, 3), lib::line());
  report("axpy", y, 1003);
  lib::Field<double>::shift(y, x, 1003);
  report("shift", y, 1003);
  add(y, 1003);
  times(y, 1003);
  report("repeated", y, 1003);
  std::printf("%.17g\n", other(x, y, 1003));
  report("other", x, 1003);
  delete[] x;
  delete[] y;
}
