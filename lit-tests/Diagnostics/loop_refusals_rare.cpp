// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rarer reasons why a loop stays plain OpenMP.
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK-DAG: Inputs/system.h:4:21: remark: 'systemArray' stays a plain array: its directive is in a system header
#include "Inputs/system.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#include <array>
#include <typeinfo>
#include <regex.h>

struct Cell { int x, y; };
struct Box { double *p; int n; Cell cell; double at(int i) const { return p[i]; } virtual double get(int i) const { return p[i]; } int part[3]; std::unique_ptr<double[]> own;
#define SELF this
  void macro() {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'this' in a macro
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) SELF->p[i] = 1;
  }
  void release() {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'release' of a smart pointer
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) own.release()[i] = 1;
  }
  void copies(const Box &other) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: assigns to an object outside of the loop
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) { p[i] = 1; cell = other.cell; }
  }
  void binding() {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: writes the shared variable 'this->cell.x' without a reduction
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) { auto &[x, y] = cell; p[i] = ++x; }
  }
  std::vector<int> made() const;
  void ranged() {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains a range-based 'for' over a vector without a name
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) for (int k : made()) p[i] += k;
  }
};
struct Changing { volatile int x; };
struct Linked { int value; Linked *next; };
struct Open { int n; int rest[]; };
union Either { int x; void (*run)(); };
typedef struct { int x, y; } *Unnamed;
static struct { int x; } unnamed[8];
void opening() {
}
static double table(double *a) {
  return 0;
}
template <class T> struct Static { static inline int value = 3; };
template <class T> int variable = 4;
namespace space { double *global; int step; }
static int &ref = space::step;
auto outside = [](double *a) {
  return 0;
};
static int counter;
static double useGlobal(int i) { return space::global[i]; }
static int usesCounter(int i) { return counter + i; }
static double &choose(bool b, double &x, double &y) { if (b) return x; return y; }
struct Method { double f(int i) const { return i; } };
struct Later { Later(int); double d; };
typedef double Rows[];
extern double unknown[];
struct Scratch {
  double t;
  void run(double *a, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains an 'omp simd' with a member of an object in the clause 'private'
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
#pragma omp simd private(t)
      for (int k = 0; k < 4; ++k) { t = k; a[4 * i + k] = t; }
  }
};
void loops(double *a, int n, Box *box, Box &other, std::vector<double> &v, double (*vla)[8], Cell *cells, std::vector<int> &iv, const std::vector<double> *const pv, double (Method::*pm)(int) const, std::unique_ptr<double[]> &up) {
  int m = 3;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: has a bound with side effects
#pragma omp parallel for
  for (int i = 0; i < n; i += m++) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: collapses more than three loops
#pragma omp parallel for simd collapse(4)
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k) for (m = 0; m < n; ++m) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls a function through a pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Method f; a[i] = (f.*pm)(i); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: declares 'w' of type 'std::vector<double>'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { std::vector<double> w; a[i] = w[0]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'Linked', which holds a pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Linked l; l.value = i; a[i] = l.value; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: captures a copy of what 'x' refers to; capture it by reference
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double &x = a[i]; auto f = [=] { return x; }; a[i] = 2; a[i] += f(); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: changes the pointer 'p' in a lambda expression
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double *p = a + i; auto f = [&] { return *p++; }; f(); *--p = 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: makes 'x', which is no number, in a lambda that is used at once
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = [&x = a[i]] { return x; }();
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: constructs an object of type 'Later'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { Later l(i); a[i] = l.d; }
  double sum = 0;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'lastprivate' with the modifier 'conditional'
#pragma omp parallel for lastprivate(conditional : sum)
  for (int i = 0; i < n; ++i) if (a[i] > 0) sum = a[i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'map' names something other than a variable, a member or a section of one
#pragma omp target teams distribute parallel for map(*a)
  for (int i = 0; i < n; ++i) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'if' for a part of the construct
#pragma omp target teams distribute parallel for if (target : n > 3)
  for (int i = 0; i < n; ++i) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: clause 'depend'
#pragma omp target teams distribute parallel for nowait depend(inout : a)
  for (int i = 0; i < n; ++i) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains an 'omp simd' with the clause 'reduction' and a modifier
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double s = 0;
#pragma omp simd reduction(inscan, + : s)
    for (int k = 0; k < 4; ++k) { s += k;
#pragma omp scan inclusive(s)
      a[4 * i + k] = s; } }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains an 'omp simd' with the clause 'lastprivate' and a modifier
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double s = 0;
#pragma omp simd lastprivate(conditional : s)
    for (int k = 0; k < 4; ++k) if (a[4 * i + k] > 0) s = k;
    a[4 * i] = s; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains an 'omp flush' in a loop that may wait for another iteration
#pragma omp parallel for
  for (int i = 0; i < n; ++i) while (a[i] == 0) {
#pragma omp flush
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: loop variable 'i' has type 'unsigned _BitInt(40)', which OpenCL does not have
#pragma omp parallel for
  for (unsigned _BitInt(40) i = 0; i < 7; ++i) a[(int)i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'rand', whose state all iterations share; fill an array with random numbers before the loop, or make a generator in the body ('minstd_rand') from the iteration's number
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = std::rand();
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'getchar', which reads a file; read it into an array before the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = std::getchar();
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: refers to one of several variables
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double x = 1, y = 2; (i > 3 ? x : y) = 3; a[i] = x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: reinterprets a variable as one of another type
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double x = 1; (long &)x = 3; a[i] = x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls a function that returns one of several references
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double x = 1, y = 2; choose(i, x, y) = 4; a[i] = x; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: changes its loop variable 'i'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = 1; ++i; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: declares the managed array 'w'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp managed(w)
    double *w = new double[3]; w[0] = 1; a[i] = w[0]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: contains a block or a statement expression with jumps
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = ({ int t = i; if (t == 3) continue; t; });
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses run-time type information
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = typeid(*box).hash_code();
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls the virtual method 'get'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = box->get(i);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'mblen', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = std::abs(a[i]) + std::mblen("3", 1);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'unknown', an array of unknown or variable length
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = unknown[i];
  double local[n];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: changes 'local', an array of variable length; allocate it with new
#pragma omp parallel for
  for (int i = 0; i < n; ++i) local[i] = a[i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: asks for 'sizeof local', the size of an array whose length is variable
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = local[i] + sizeof local;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: names 'global' with a qualifier
#pragma omp parallel for
  for (int i = 0; i < n; ++i) space::global[i] = 2;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'value', a reference or a member of a template of static storage
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = Static<int>::value + variable<int> + ref;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'useGlobal', which uses the global 'global'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = useGlobal(i);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'usesCounter', which uses 'counter', private in the loop
#pragma omp parallel for private(counter)
  for (int i = 0; i < n; ++i) { counter = 3; a[i] = usesCounter(i); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'reduction' names something other than a variable, an array or a simple section of one
#pragma omp parallel for reduction(+ : a[0 : iv[2]])
  for (int i = 0; i < n; ++i) a[i] += 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses '*r' through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double *r = (double *)(long)i; a[i] = *r; }
  double big[40][40]; int s0[2000];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'firstprivate' of 's0', which is no number, and no struct or array of numbers of up to 4096 bytes
#pragma omp parallel for firstprivate(s0)
  for (int i = 0; i < n; ++i) a[i] = s0[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = up[i];
  std::unique_ptr<double[]> *ups = &up;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'ups', whose elements of type 'std::unique_ptr<double[]>' cannot be copied byte by byte
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = ups[0][i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'regexec', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { regex_t *t = nullptr; a[i] = regexec(t, "", 0, nullptr, 0); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: converts 'void (void *, size_t, size_t, __compar_d_fn_t, void *)' to 'void (*)(void *, size_t, size_t, __compar_d_fn_t, void *)' (FunctionToPointerDecay)
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = qsort_r == nullptr;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls '__builtin_trap', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { __builtin_trap(); a[i] = 3; }
}
void elements(Changing *changing, Open *open, Either *either, int Method::**members, std::vector<bool> *bits, double *a, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'changing', whose elements of type 'Changing' have a volatile or atomic member ('x')
#pragma omp parallel for
  for (int i = 0; i < n; ++i) changing[i].x = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'Open', which has a member without size
#pragma omp parallel for
  for (int i = 0; i < n; ++i) open[i].n = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'either', whose elements of type 'Either' hold a pointer ('run'), which no other device can follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) either[i].x = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'members', whose elements of type 'int {{.*}}Method::*' are no numbers or structs
#pragma omp parallel for
  for (int i = 0; i < n; ++i) members[i] = nullptr;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'unnamed', whose elements of type {{.*}} have no name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) unnamed[i].x = 1;
  decltype(nullptr) *nulls = nullptr;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'nulls', whose elements of type 'decltype(nullptr)' are no numbers or structs
#pragma omp parallel for
  for (int i = 0; i < n; ++i) nulls[i] = nullptr;
  long table[600];
}
#define STATIC_CHUNKS schedule(static, chunk)
void behind(std::vector<double> *pointer, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses 'pointer', whose elements of type 'std::vector<double>' are vectors; let a reference name the one that the loop uses, in front of it
#pragma omp parallel for
  for (int i = 0; i < n; ++i) (*pointer)[i] = 1;
}
struct Chunked {
  int chunk;
  double *u;
  void fill(int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: has a clause whose value is not a simple expression
#pragma omp parallel for STATIC_CHUNKS
    for (int i = 0; i < n; ++i) u[i] = 1;
  }
};
void system(std::vector<double> &vector, double *h, double *a, int *sizes, int n, ...) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls the library function 'ofSystem'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = ofSystem(a[i]);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'reduction' over a section with bounds that are no scalars
#pragma omp parallel for reduction(+ : h[0:sizes[0]])
  for (int i = 0; i < n; ++i) h[i % 3] += a[i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls the method 'operator[]'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { std::vector<double> *v = &vector; (*v)[i] = 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses one variable for two loops
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) for (int i = 0; i < 3; ++i) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: may give values from one iteration to the next within the chunks of its schedule, which native code cannot have
#pragma omp parallel for schedule(static, sizes[0])
  for (int i = 1; i < n; ++i) if (i % sizes[0]) a[i] += a[i - 1];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: may give values from one iteration to the next within the chunks of its schedule, which native code cannot have
#pragma omp target teams distribute parallel for dist_schedule(static, 8) thread_limit(1)
  for (int i = 1; i < n; ++i) if (i % 8) a[i] += a[i - 1];
  va_list rest;
  va_start(rest, n);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: uses variable arguments or a coroutine
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = va_arg(rest, double);
  va_end(rest);
}
