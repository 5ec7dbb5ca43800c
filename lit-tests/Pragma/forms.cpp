// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every spelling that the preprocessor allows is a directive; text that only looks like one is not.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=directives %s 2>&1 | %filecheck %s

// #pragma omp managed(comment)
/*
#pragma omp managed(comment)
*/
const char *text = "#pragma omp managed(string)";
const char *raw = R"(
#pragma omp managed(raw)
)";
#if 0
#pragma omp managed(inactive)
#endif
// CHECK-NOT: comment
// CHECK-NOT: string
// CHECK-NOT: raw
// CHECK-NOT: inactive

// CHECK: directive managed at [[@LINE+1]]:1 a@[[@LINE+1]]:21 b@[[@LINE+1]]:24
#pragma omp managed(a, b)
double a[8], b[8];
// CHECK: directive managed at [[@LINE+1]]:1 c@[[@LINE+1]]:22
#pragma ompx managed(c)
double c[8];
// CHECK: directive managed at [[@LINE+1]]:3 d@[[@LINE+1]]:45
  #  /* x */ pragma   omp /* y */ managed ( d ) // z
double d[8];
// CHECK: directive managed at [[@LINE+1]]:1 e@[[@LINE+4]]:10
%: pragma \
   om\
p \
 managed(e)
double e[8];
// CHECK: directive alloc_start at [[@LINE+1]]:1
#pragma omp alloc_start
// CHECK: directive alloc_end at [[@LINE+1]]:1
#pragma omp alloc_end
// CHECK: directive alloc_start at [[@LINE+1]]:1
#pragma ompx alloc_start
// CHECK: directive alloc_end at [[@LINE+1]]:1
#pragma ompx alloc_end

// CHECK: managed 'a' : 'double[8]' declared at 23:8
// CHECK: managed 'b' : 'double[8]' declared at 23:14
// CHECK: managed 'c' : 'double[8]' declared at 26:8
// CHECK: managed 'd' : 'double[8]' declared at 29:8
// CHECK: managed 'e' : 'double[8]' declared at 35:8
