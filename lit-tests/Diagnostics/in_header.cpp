// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive in a header is known, but storage is managed in source files only.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: %clang -fplugin=%plugin -fsyntax-only %s 2>&1 | %filecheck --check-prefix=OPENMP %s
// CHECK: managed_in_header.h:4:21: remark: 'a' stays a plain array: its directive is in a header; manage it where a source file allocates it
// OPENMP: managed_in_header.h:4:1: warning: muster: -fopenmp is missing; directives are ignored
#include "Inputs/managed_in_header.h"
int main() {}
