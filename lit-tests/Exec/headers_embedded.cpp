// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays inside of objects whose class, directives included, is in a header.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t > %t.actual 2> %t.report
// RUN: diff %t.expected %t.actual
// RUN: FileCheck %s < %t.report
// CHECK-DAG: embedded_field.h:7: this loop runs with copies of arrays inside of objects (this->next_, this->u_)
#include "Inputs/embedded_field.h"

#include <cstdio>
#include <memory>

static Field fixed;

int main() {
  Field local;
  auto heap = std::make_unique<Field>();
  for (int t = 0; t < 3; ++t) fixed.step(53), local.step(31), heap->step(9);
  std::printf("%g %g %g\n", fixed.sum(), local.sum(), heap->sum());
}
