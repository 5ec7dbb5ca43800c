// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives in headers are served like those of the source file; not where a header is entered again.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: %clang -fplugin=%plugin -fsyntax-only %s 2>&1 | %filecheck --check-prefix=OPENMP %s
// CHECK: managed_again.h:3:21: remark: 'b' stays a plain array: its directive is in a header that is entered more than once; '#pragma once' or a guard around all of it makes it served
// CHECK: managed_again.h:3:21: remark: 'b' stays a plain array: its directive is in a header that is entered more than once; '#pragma once' or a guard around all of it makes it served
// CHECK: managed_in_header.h:4:21: remark: array 'a' stays a plain array: it is an inline or constexpr variable
// OPENMP: managed_in_header.h:4:1: warning: muster: -fopenmp is missing; directives are ignored
#include "Inputs/managed_in_header.h"
static void first() {
#include "Inputs/managed_again.h"
}
static void second() {
#include "Inputs/managed_again.h"
}
int main() { first(), second(); }
