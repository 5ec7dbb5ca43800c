// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the name of a header is not spelled out, clang sees the directive in it; Muster says why.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: managed_in_header.h:4:13: warning: muster: 'managed' is served in lines that start with #pragma, of the compiled file and of headers whose #include spells their name
// CHECK: managed_in_header.h:4:13: error: expected an OpenMP directive
#define HEADER "Inputs/managed_in_header.h"
#include HEADER
int main() {}
