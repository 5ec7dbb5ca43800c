// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and storage that cannot be managed: each error says why.
// RUN: not %muster++ -fsyntax-only -ferror-limit=0 -Wno-vla-cxx-extension %s 2>&1 | %filecheck %s
#include <atomic>
#include <array>
#include <memory>
#include <string>
#include <vector>

struct WithPointer { int n; struct { double *p; } inner; };
struct WithCopy { WithCopy(const WithCopy &); double x; };
struct Plain { double x, y; enum { red } colour; };
struct Incomplete;
template <class T> struct Mine { T *data; };
template <class T> struct Arena : std::allocator<T> {};

// CHECK: :[[@LINE+2]]:21: error: 'scalar' cannot be managed: its type 'int' is a single value; what can be managed are pointers, arrays and std::vector of arithmetic types or plain structs
// CHECK: :[[@LINE+2]]:5: note: declared here
#pragma omp managed(scalar)
int scalar;
// CHECK: :[[@LINE+1]]:21: error: 'deep' cannot be managed: its elements of type 'double ****' are pointers; a device cannot follow the host's pointers
#pragma omp managed(deep)
double *****deep;
// CHECK: :[[@LINE+1]]:21: remark: 'rows' stays a plain array: this file does not allocate its table of rows with new, malloc or calloc; 'managed' stands where that is done
#pragma omp managed(rows)
double **rows;
// CHECK: :[[@LINE+1]]:21: remark: 'pointers' stays a plain array: it is an array of pointers; 'managed' before the allocation of the rows (managed(rows[0])) manages them
#pragma omp managed(pointers)
double *pointers[4];
// CHECK: :[[@LINE+1]]:21: error: 'structs' cannot be managed: its element type 'WithPointer' holds a pointer ('p')
#pragma omp managed(structs)
WithPointer *structs;
// CHECK: :[[@LINE+1]]:21: error: 'copies' cannot be managed: its element type 'WithCopy' cannot be copied byte by byte
#pragma omp managed(copies)
WithCopy *copies;
// CHECK: :[[@LINE+1]]:21: error: 'strings' cannot be managed: its element type 'std::basic_string<char>' cannot be copied byte by byte
#pragma omp managed(strings)
std::vector<std::string> strings;
// CHECK: :[[@LINE+1]]:21: error: 'bits' cannot be managed: the elements of std::vector<bool> are bits; use std::vector<char> or an array of bool
#pragma omp managed(bits)
std::vector<bool> bits;
// CHECK: :[[@LINE+1]]:21: error: 'arena' cannot be managed: it has an allocator of its own
#pragma omp managed(arena)
std::vector<double, Arena<double>> arena;
// CHECK: :[[@LINE+1]]:21: error: 'mine' cannot be managed: its type 'Mine<double>' is a class
#pragma omp managed(mine)
Mine<double> mine;
// CHECK: :[[@LINE+1]]:21: error: 'untyped' cannot be managed: a pointer to void has no element type
#pragma omp managed(untyped)
void *untyped;
// CHECK: :[[@LINE+1]]:21: error: 'call' cannot be managed: it points to a function
#pragma omp managed(call)
void (*call)(int);
// CHECK: :[[@LINE+1]]:21: error: 'hidden' cannot be managed: its element type 'Incomplete' is incomplete
#pragma omp managed(hidden)
Incomplete *hidden;
// CHECK: :[[@LINE+1]]:21: error: 'flags' cannot be managed: its elements of type 'std::atomic<int>' are volatile or atomic
#pragma omp managed(flags)
std::atomic<int> flags[4];
// CHECK: :[[@LINE+1]]:21: error: 'unstable' cannot be managed: its elements of type 'int' are volatile or atomic
#pragma omp managed(unstable)
volatile int unstable[4];
// CHECK: :[[@LINE+1]]:21: error: 'elsewhere' cannot be managed: this only declares it; put the directive before its definition
#pragma omp managed(elsewhere)
extern double elsewhere[];
// CHECK: :[[@LINE+1]]:21: error: 'perThread' cannot be managed: it is thread_local
#pragma omp managed(perThread)
thread_local double perThread[4];
// CHECK: :[[@LINE+1]]:21: error: 'ofThread' cannot be managed: it is threadprivate; the devices see one array, not one for each thread
#pragma omp managed(ofThread)
double ofThread[4];
#pragma omp threadprivate(ofThread)
// CHECK: :[[@LINE+1]]:21: error: 'fixed' cannot be managed: its elements are constant
#pragma omp managed(fixed)
const double fixed[2] = {1, 2};

void f(int n, double *p) {
  // CHECK: :[[@LINE+1]]:21: error: 'alias' cannot be managed: it is a reference; name the array that it refers to
#pragma omp managed(alias)
  double *&alias = p;
  // CHECK: :[[@LINE+1]]:21: error: 'variable' cannot be managed: it is a variable-length array; allocate it with new, malloc or std::vector
#pragma omp managed(variable)
  double variable[n];
#pragma omp managed(fixed)
  std::array<double, 4> fixed;
  // CHECK: :[[@LINE+1]]:21: error: 'none' cannot be managed: it has no elements
#pragma omp managed(none)
  std::array<double, 0> none;
  // CHECK: :[[@LINE+1]]:21: error: 'never' cannot be managed: its elements are constant
#pragma omp managed(never)
  const std::array<double, 2> never = {1, 2};
  // CHECK: :[[@LINE+1]]:21: error: 'single' cannot be managed: it is no std::unique_ptr to an array with the library's deleter; use std::unique_ptr<T[]>
#pragma omp managed(single)
  std::unique_ptr<double> single(new double);
  struct Holder {
#pragma omp managed(inside)
    double inside[4];
  };
#pragma omp managed(plain)
  Plain *plain = new Plain[n];
  delete[] plain;
}

template <class T> void g(int n) {
#pragma omp managed(any)
  T *any = new T[n];
#pragma omp managed(list)
  std::vector<T> list(n);
  // CHECK: :[[@LINE+1]]:21: remark: 'lists' stays a plain array: its type 'std::vector<std::vector<T>>' depends on a template parameter
#pragma omp managed(lists)
  std::vector<std::vector<T>> lists(n);
  delete[] any;
}

// CHECK: :[[@LINE+1]]:21: remark: 'grid' stays a plain array: its rows are vectors of their own; one std::vector with index i * m + j can be managed [-Rmuster-missed]
#pragma omp managed(grid)
std::vector<std::vector<std::vector<int>>> grid;
