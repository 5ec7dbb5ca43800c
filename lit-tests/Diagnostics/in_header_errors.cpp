// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is an error in a source file is one in a header.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: managed_wrong.h:4:21: error: 'd' is not declared here
// CHECK: managed_wrong.h:8:21: error: 'e' cannot be managed: this only declares it; put the directive before its definition
#include "Inputs/managed_wrong.h"
int main() {}
