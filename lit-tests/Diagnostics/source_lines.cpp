// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines, files and dependences stay those of the user's file, with every kind of output.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/prog.cpp && cp %S/Inputs/relative.h %t && cd %t
// RUN: %muster++ -O3 -g -S -emit-llvm -MD -MF prog.d prog.cpp -o prog.ll
// RUN: FileCheck --check-prefix=LINES %s < prog.ll
// RUN: FileCheck --check-prefix=DEPENDS %s < prog.d
// RUN: %muster++ -O1 -S prog.cpp -o prog.s && %muster++ -O2 -c prog.cpp && %muster++ -O0 -fsyntax-only prog.cpp
// RUN: %muster++ -x c++ -c - -o stdin.o < prog.cpp
// RUN: %muster++ -M prog.cpp | FileCheck --check-prefix=DEPENDS %s
// RUN: %muster++ -E prog.cpp | FileCheck --check-prefix=PREPROCESSED %s
// RUN: cp prog.cpp second.cpp && %muster++ -c prog.cpp second.cpp -DSECOND
// RUN: %muster++ -save-temps -c prog.cpp -o temps.o 2>&1 | FileCheck --check-prefix=TEMPS %s
// RUN: %muster++ -x c++-header -DHEADER relative.h -o relative.pch && %muster++ -include-pch relative.pch -c prog.cpp
// RUN: %muster-link prog.cpp -o prog && %run ./prog | FileCheck --check-prefix=RUNS %s
// DEPENDS: prog.cpp
// DEPENDS: relative.h
// PREPROCESSED: #pragma omp managed(u)
// TEMPS: warning: muster: preprocessed sources (-save-temps) cannot be rewritten
#define _FILE_OFFSET_BITS 64
#include "relative.h"

#include <cstdio>
#include <vector>

#ifdef __MUSTER__
static_assert(__MUSTER__ == 24, "the version of the ABI");
#endif

#pragma omp managed(table)
static double table[3][3],
    other = 2;
static_assert(sizeof table == 72 && __LINE__ == 32, "the lines of a declaration that was taken apart stay");

int main() {
#pragma omp managed(u)
  double *u = new double[10]();
  // RUNS: prog.cpp 38 3
  std::printf("%s %d %g\n", __FILE__, __LINE__, relative() + u[3] + table[0][0] + other - 2);
  delete[] u;
}
// LINES: !DIFile(filename: "prog.cpp"
// LINES: distinct !DISubprogram(name: "main", {{.*}} line: 34,
// LINES: !DILocalVariable(name: "u", {{.*}} line: 36,
