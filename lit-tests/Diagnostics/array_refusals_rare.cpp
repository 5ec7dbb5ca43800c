// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that cannot be managed, or stay plain: the rarer reasons.
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: not %muster++ -w -DERRORS -fsyntax-only %s 2>&1 | %filecheck --check-prefix=ERRORS %s
// CHECK-DAG: Inputs/block.h:3:1: remark: the allocation block is ignored: it is in a header that is entered more than once
// CHECK-DAG: Inputs/block.h:3:1: remark: the allocation block is ignored: it is in a header that is entered more than once
// CHECK-DAG: Inputs/block.h:4:1: remark: the allocation block is ignored: it is in a header that is entered more than once
// CHECK-DAG: Inputs/block.h:4:1: remark: the allocation block is ignored: it is in a header that is entered more than once
#ifndef ERRORS
#include "Inputs/block.h"
#include "Inputs/block.h"
// CHECK-DAG: Inputs/system.h:4:21: remark: 'systemArray' stays a plain array: its directive is in a system header
#include "Inputs/system.h"
#include <new>
#include <vector>
#define GROW(v) v.resize(9)
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'shared' stays a plain array: it is an inline or constexpr variable
#pragma omp managed(shared)
inline double shared[4];
struct Static {
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'member' stays a plain array: it is a static member of a class
#pragma omp managed(member)
  static inline double member[4];
  static double other[4];
};
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'other' stays a plain array: it is a static member of a class
#pragma omp managed(other)
double Static::other[4];
template <class T> void dependent(int n) {
// CHECK-DAG: :[[@LINE+1]]:21: remark: 't' stays a plain array: its type 'std::vector<std::vector<T>>' depends on a template parameter
#pragma omp managed(t)
  std::vector<std::vector<T>> t(n);
}
template <class T> void rows(int n) {
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 't' stays a plain array: it is declared in a template
#pragma omp managed(t)
  double t[8];
  t[0] = 1;
}
struct Data {
  double *values;
};
template <class D> void member(int n) {
  D d, *p = &d;
// CHECK-DAG: :[[@LINE+1]]:21: remark: 'd.values' stays a plain array: its type depends on a template parameter
#pragma omp managed(d.values)
  d.values = new double[n];
// CHECK-DAG: :[[@LINE+1]]:21: remark: 'p->values' stays a plain array: its type depends on a template parameter
#pragma omp managed(p->values)
  p->values = new double[n];
}
template void member<Data>(int);
template void dependent<double>(int);
template void rows<double>(int);
void grow() {
#pragma omp managed(v)
  std::vector<double> v(3);
// CHECK-DAG: :[[@LINE+1]]:8: remark: 'v' may get memory that is not managed here: the call is written in a macro, or in a file that cannot be rewritten
  GROW(v);
}
void tables(int n, double *row) {
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'quiet' stays a plain array: it is a nothrow new
#pragma omp managed(quiet)
  double **quiet = new (std::nothrow) double *[n];
  for (int i = 0; i < n; ++i) quiet[i] = new double[n];
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'listed' stays a plain array: new with an initializer list
#pragma omp managed(listed)
  double **listed = new double *[2]{row};
  for (int i = 0; i < n; ++i) listed[i] = new double[n];
}
#define THREE {1, 2, 3}
struct Listed {
#pragma omp managed(threes)
// CHECK-DAG: :[[@LINE+1]]:30: remark: 'threes' gets memory that is not managed here: it is initialized in a macro, or in a file that cannot be rewritten
  std::vector<double> threes = THREE;
};
#else
#include <vector>
struct Ended {
  int n;
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'rest' cannot be managed: the number of its elements is not known here
#pragma omp managed(rest)
  int rest[];
};
struct Copied { double x; Copied(); Copied(const Copied &); ~Copied(); };
struct Incomplete;
template <class T> struct Allocator { using value_type = T; T *allocate(std::size_t); void deallocate(T *, std::size_t); };
struct Bits {
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'field' cannot be managed: it is a bit-field
#pragma omp managed(field)
  unsigned field : 3;
};
// ERRORS-DAG: :[[@LINE+1]]:1: error: 'managed' must stand before the declaration of its arrays, or before an assignment that allocates one
#pragma omp managed(open)
double *open();
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'noalloc' cannot be managed: it has an allocator of its own, which decides where its elements are
#pragma omp managed(noalloc)
std::vector<double, Allocator<double>> noalloc;
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'fixed' cannot be managed: it is constant; loops read constants without a directive
#pragma omp managed(fixed)
const std::vector<double> fixed(8);
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'copied' cannot be managed: its element type 'Copied' cannot be copied byte by byte (it has a copy constructor, a destructor or virtual functions)
#pragma omp managed(copied)
Copied *copied = new Copied[3];
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'incomplete' cannot be managed: its element type 'Incomplete' is incomplete
#pragma omp managed(incomplete)
Incomplete *incomplete;
// ERRORS-DAG: :[[@LINE+1]]:21: error: 'null' cannot be managed: its element type 'decltype(nullptr)' is not arithmetic; what can be managed are pointers, arrays and std::vector of arithmetic types or plain structs
#pragma omp managed(null)
decltype(nullptr) *null;
void blocks(int n) {
  if (n)
// ERRORS-DAG: :[[@LINE+1]]:1: error: 'alloc_start' must stand between statements of a block
#pragma omp alloc_start
  {}
#pragma omp alloc_end
}
void cases(int n) {
#pragma omp alloc_start
  switch (n) case 3:
// ERRORS-DAG: :[[@LINE+1]]:1: error: 'alloc_end' must stand between statements of a block
#pragma omp alloc_end
    n = 3;
}
#endif
