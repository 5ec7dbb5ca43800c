// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Malformed directives.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s

// CHECK: :[[@LINE+1]]:20: error: expected '(' after 'managed': managed(array, ...)
#pragma omp managed
double a[4];
// CHECK: :[[@LINE+1]]:21: error: expected '(' after 'managed': managed(array, ...)
#pragma omp managed a
double b[4];
// CHECK: :[[@LINE+1]]:21: error: expected the name of an array: 'managed()' names none
#pragma omp managed()
double c[4];
// CHECK: :[[@LINE+1]]:23: error: expected the name of an array, found ')'
#pragma omp managed(d,)
double d[4];
// CHECK: :[[@LINE+1]]:22: error: expected ',' or ')', found the end of the line
#pragma omp managed(e
double e[4];
// CHECK: :[[@LINE+1]]:24: error: expected the end of the line after 'managed(...)', found 'schedule'
#pragma omp managed(f) schedule(static)
double f[4];
// CHECK: :[[@LINE+1]]:21: error: expected the name of an array, found '42'
#pragma omp managed(42)
double g[4];
// CHECK: :[[@LINE+1]]:21: error: expected the name of an array, found 'int'
#pragma omp managed(int)
double h[4];
// CHECK: :[[@LINE+1]]:24: error: 'i' is named twice in this directive
#pragma omp managed(i, i)
double i[4];
// CHECK: :[[@LINE+1]]:23: error: expected ',' or ')', found 'k'
#pragma omp managed(j k)
double j[4], k[4];
// CHECK: :[[@LINE+1]]:24: error: expected the name of a member, found '4'
#pragma omp managed(l->4)
double l[4];
// CHECK: :[[@LINE+1]]:26: error: expected ']', found the end of the line
#pragma ompx managed(m[3)
double m[4];
// CHECK: :[[@LINE+1]]:25: error: expected '->' after 'this'
#pragma omp managed(this)
double o[4];
// CHECK: :[[@LINE+1]]:22: error: expected the name of an array, found ')'
#pragma omp managed(*)
double q[4];
// CHECK: :[[@LINE+1]]:24: error: expected ')', found the end of the line
#pragma omp managed((*r
double r[4];
// CHECK: :[[@LINE+1]]:22: error: expected the name of an array, found '&'
#pragma omp managed((&s)->x)
double s[4];
// CHECK: :[[@LINE+1]]:24: error: expected the end of the line after 'alloc_start', found '('
#pragma omp alloc_start(a)
// CHECK: :[[@LINE+1]]:23: error: expected the end of the line after 'alloc_end', found 'now'
#pragma omp alloc_end now
