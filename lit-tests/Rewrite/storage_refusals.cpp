// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be managed stays as the user wrote it, with the reason.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s > %t.text 2> %t.remarks
// RUN: %filecheck --input-file=%t.remarks %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t.text %s
#include <cstdlib>
#include <new>
#include <vector>
#define IDENTITY(x) x
#define INT_AND_DOUBLE int one; double
#define DECLARE(name) double name[4]
struct Own { static void *operator new[](std::size_t); static void operator delete[](void *); int x; };

void f(int n) {
  std::vector<double> notes(n);
  // CHECK: :[[@LINE+1]]:21: remark: 'a' stays a plain array: this file assigns no allocation to it that can be managed (new T[n], malloc, calloc, aligned_alloc, or a function that returns memory) [-Rmuster-missed]
#pragma omp managed(a)
  double *a = notes.data();
  // CHECK: :[[@LINE+1]]:21: remark: array 'c' stays a plain array: the allocation is written in a macro [-Rmuster-missed]
#pragma omp managed(c)
  double *c = IDENTITY(new double[n]);
  // CHECK: :[[@LINE+1]]:21: remark: array 'e' stays a plain array: it is allocated by a placement new [-Rmuster-missed]
#pragma omp managed(e)
  double *e = new (c) double[n];
  // CHECK: :[[@LINE+1]]:21: remark: array 'own' stays a plain array: its class has an operator new of its own [-Rmuster-missed]
#pragma omp managed(own)
  Own *own = new Own[n];
#pragma omp managed(g)
  DECLARE(g);  // is replaced by its text
  // CHECK: :[[@LINE+1]]:21: remark: array 'second' stays a plain array: its declaration involves a macro, or defines a class [-Rmuster-missed]
#pragma omp managed(second)
  INT_AND_DOUBLE second[3];
  // CHECK: :[[@LINE+1]]:21: remark: array 'h' stays a plain array: it has an attribute [-Rmuster-missed]
#pragma omp managed(h)
  alignas(64) double h[4], still[2];
  // CHECK: :[[@LINE+1]]:21: remark: array 's' stays a plain array: its declaration involves a macro, or defines a class [-Rmuster-missed]
#pragma omp managed(s)
  struct Local { int x; } s[4];
}

void jumps(int n) {
  switch (n) {
    case 1:
      n = 2;
      // CHECK: :[[@LINE+1]]:21: remark: array 'one' stays a plain array: it is declared in the head of a statement, or between the labels of a switch [-Rmuster-missed]
#pragma omp managed(one)
      double one[4];
      one[0] = n;
      break;
    case 2:
      break;
  }
}

void further(int n) {
  if (n) goto end;
  // CHECK: :[[@LINE+1]]:21: remark: array 'two' stays a plain array: a goto may jump over its declaration [-Rmuster-missed]
#pragma omp managed(two)
  double two[4];
  two[0] = n;
end:
  n = 1;
}
// TEXT: double *a = notes.data();
// TEXT: double *c = IDENTITY(new double[n]);
// TEXT: double *e = new (c) double[n];
// TEXT: Own *own = new Own[n];
// TEXT: alignas(64) double h[4], still[2];
// TEXT: struct Local { int x; } s[4];
// TEXT: {{^ *}}double one[4];
// TEXT: {{^ *}}double two[4];
