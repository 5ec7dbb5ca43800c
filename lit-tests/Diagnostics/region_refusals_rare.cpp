// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rarer reasons why a region, or a loop of one, stays plain OpenMP.
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <vector>
typedef int four __attribute__((ext_vector_type(4)));
static int perThread;
#pragma omp threadprivate(perThread)
static void noArray(int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) ;
}
auto lambdaFor = [](double *a, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: is in a lambda expression, but in no region there
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] = 1;
};
template <class T> void inLambda(T *a, int n) {
  auto run = [=] {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: is in a lambda expression of a template (in '{{.*}}inLambda{{.*}}')
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] = 1;
    }
  };
  run();
}
template <class T> void some(T *a, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: throws or catches exceptions; set a flag in the loop, and test it behind the loop (in 'void some(T *, int) [T = double]' and 1 other instantiation)
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) { if constexpr (sizeof(T) == 4) throw 3; a[i] = 1; }
  }
}
template void inLambda(double *, int);
template void some(double *, int);
template void some(float *, int);
void regions(double *a, int n, int *flag) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'noArray', whose 'omp for' stays plain: it uses no array
#pragma omp parallel
  {
    noArray(n);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 1;
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: holds an 'omp for' in a lambda expression
#pragma omp parallel
  {
    auto f = [&] {
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] = 1;
    };
    f();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 1;
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: holds an 'omp atomic' read, by which threads may wait for each other
#pragma omp parallel
  {
    int seen;
#pragma omp atomic read
    seen = *flag;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = seen;
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: copies variables of which each thread has its own
#pragma omp parallel copyin(perThread)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = 1;
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: adds up 'sums', an array of several dimensions
#pragma omp parallel
  {
    double sums[2][2] = {};
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 2; ++k) sums[k][1] += a[i];
#pragma omp critical
    for (int k = 0; k < 2; ++k) for (int l = 0; l < 2; ++l) a[k] += sums[k][l];
  }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: gives 'scratch', of which each thread has its own, from one iteration to the next; declare it in the loop's body if each iteration sets it first
#pragma omp parallel
  {
    double *scratch = new double[8];
#pragma omp for
    for (int i = 0; i < n; ++i) { for (int k = 0; k < 8; ++k) scratch[k] = i; a[i] = scratch[3]; }
    delete[] scratch;
  }
}
static void oneOwn(double *a, double *own, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: may write the same elements of 'own' in several iterations, and that may be storage of one thread's own; put the loop into the parallel region itself
#pragma omp for
    for (int i = 0; i < n; ++i) { own[0] = i; a[i] = own[0]; }
}
void caller(double *a, int n) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls 'oneOwn', whose 'omp for' stays plain: it may write the same elements of 'own' in several iterations, and that may be storage of one thread's own; put the loop into the parallel region itself
#pragma omp parallel
  { double own[3]; oneOwn(a, own, n); }
}
#define STEP(k) a[i] = a[i] * 3 + k;
#define STEPS STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8)
#define MORE STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
static inline void l0(double *a, int i) { a[i] += 1; a[i] += 2; a[i] += 3; a[i] += 4; }
#define TENFOLD(f, g) static inline void g(double *a, int i) { f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); f(a, i); }
TENFOLD(l0, l1) TENFOLD(l1, l2) TENFOLD(l2, l3) TENFOLD(l3, l4) TENFOLD(l4, l5)
void more(double *a, int n, four *v) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: is too large to analyse
#pragma omp parallel for
  for (int i = 0; i < n; ++i) l5(a, i);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: declares 'x' of type 'four'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { four x = {1,2,3,4}; four y = __builtin_shufflevector(x, x, 0, 1, 2, 3); a[i] = y.x; }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = __builtin_choose_expr(1, i, 2) + noexcept(i) + __is_same(int, long) + alignof(int); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: calls '__atomic_fetch_add', which orders what the threads of one process do; write 'omp atomic' (update, read, write or capture)
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { long one = 1; a[i] = __atomic_fetch_add(&one, 1L, __ATOMIC_RELAXED); }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses a SourceLocExpr, which has no OpenCL counterpart
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = __builtin_LINE() + __builtin_FUNCTION()[0]; }
// CHECK-DAG: :[[@LINE+1]]:3: remark: {{.*}}on rank 0: contains a mutable lambda expression with a copy of 'p'
  #pragma omp parallel for
  for (int i = 0; i < n; ++i) { a[i] = [p = &a[i]]() mutable { return *p++; }(); }
  int k = 0, i2;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'reduction' with a modifier
#pragma omp parallel for reduction(inscan, + : k)
  for (int i = 0; i < n; ++i) { k += a[i];
#pragma omp scan inclusive(k)
 a[i] = k; }
}
