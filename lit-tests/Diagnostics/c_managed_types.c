// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be managed, as C says it.
//
// RUN: not %cc -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: :[[@LINE+2]]:21: error: 'any' cannot be managed: a pointer to void has no element type
// CHECK: :[[@LINE+2]]:7: note: declared here
#pragma omp managed(any)
void *any;

int f(int n) {
  // CHECK: :[[@LINE+2]]:21: error: 'w' cannot be managed: it is a variable-length array; allocate it with malloc{{$}}
  // CHECK: :[[@LINE+2]]:10: note: declared here
#pragma omp managed(w)
  double w[n];
  // CHECK: :[[@LINE+2]]:21: error: 'n' cannot be managed: its type 'int' is a single value; what can be managed are pointers and arrays of arithmetic types or plain structs
  // CHECK: :11:11: note: declared here
#pragma omp managed(n)
  n = 4;
  return n;
}

// CHECK: :[[@LINE+1]]:1: error: 'managed' must stand before the declaration of its arrays, or before an assignment that allocates one
#pragma omp managed(any)
