// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++20 modules: a unit of a module is compiled as plain OpenMP and says so; a source file that imports one is served.
// Clang's own modules (-fmodules, -gmodules) do not disturb. In other places `module` is a name like others.
// RUN: rm -rf %t && mkdir -p %t/map && cp %S/Inputs/ahead.h %t/map && cp %S/Inputs/unit.cppm %t && cp %s %t/main.cpp && cd %t
// RUN: %muster++ --precompile unit.cppm -o unit.pcm 2>&1 | %filecheck --check-prefix=UNIT %s
// RUN: %muster++ -c unit.pcm -o unit.o 2>&1 | %filecheck --allow-empty --check-prefix=QUIET %s
// RUN: %muster++ -fmodule-output=unit2.pcm -c unit.cppm -o unit2.o 2>&1 | %filecheck --check-prefix=UNIT %s
// RUN: %muster-link -DIMPORT -fmodule-file=unit=unit.pcm -fplugin-arg-muster-remarks main.cpp unit.o -o imports 2>&1 | %filecheck --check-prefix=LOOP %s
// RUN: %run ./imports | FileCheck --check-prefix=IMPORTS %s
// RUN: sed '/^module;/d;/include/d' unit.cppm > interface.cppm
// RUN: %muster++ --precompile interface.cppm -o interface.pcm 2>&1 | FileCheck --check-prefix=INTERFACE %s
// RUN: %muster++ -fmodule-header map/ahead.h -o header.pcm 2>&1 | %filecheck --check-prefix=HEADER %s
// RUN: echo 'module ahead { header "ahead.h" export * }' > map/module.modulemap
// RUN: %muster-link -fmodules -fmodules-cache-path=cache -DMAP -Imap main.cpp -o map.out 2>&1 | %filecheck --check-prefix=MAP %s
// RUN: %run ./map.out | FileCheck --check-prefix=RUNS %s
// RUN: %muster-link -gmodules -g -fmodules -fmodules-cache-path=cache-g -fplugin-arg-muster-remarks=none -DMAP -Imap main.cpp -o map.out
// RUN: %run ./map.out | FileCheck --check-prefix=RUNS %s
// QUIET-NOT: {{.}}
// UNIT: unit.cppm:6:1: warning: muster: C++20 module units cannot be rewritten; directives are ignored, loops stay plain OpenMP: move them to a source file that imports the module
// INTERFACE: interface.cppm:4:1: warning: muster: C++20 module units cannot be rewritten
// HEADER: ahead.h:7:1: warning: muster: what is compiled ahead
// LOOP-DAG: unit.cppm:9:1: remark: loop stays plain OpenMP on rank 0: is in a module or in a header that is compiled ahead
// LOOP-DAG: unit.cppm:11:1: remark: loop stays plain OpenMP on rank 0: is in a module or in a header that is compiled ahead
// LOOP-DAG: remark: array 'a' is partitioned
// LOOP-DAG: remark: loop is outlined as 'muster_main_{{[0-9]+}}' for all devices
// MAP-DAG: ahead.h:9:1: remark: loop stays plain OpenMP on rank 0: is in a module
// MAP-DAG: ahead.h:7:1: remark: directives in headers of modules are ignored
// IMPORTS: 18 9900
// RUNS: 18 9
#include <cstdio>
#ifdef IMPORT
import unit;
static double other() { return sum(100); }
#else
#include "ahead.h"
static double other() { return last(10); }
#endif
int main() {
#pragma omp managed(a)
  double *a = new double[10];
  int
  module = 2;
#pragma omp parallel for
  for (int i = 0; i < 10; ++i) a[i] = i * module;
  std::printf("%g %g\n", a[9], other());
  delete[] a;
}
