// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive in a header is an error of clang's; Muster says why.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: managed_in_header.h:4:13: warning: muster: 'managed' is served in lines of the compiled file that start with #pragma, not in headers
// CHECK: managed_in_header.h:4:13: error: expected an OpenMP directive
#include "Inputs/managed_in_header.h"
int main() {}
