// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that call functions of other files: one thread runs those whose functions turn out to be harmless, with their
// loops launched; the others keep their teams. Both are the plain program.
//
// RUN: %plain-c -w -O1 -c %S/Inputs/unit_functions_third.c -o %t.third.plain.o
// RUN: %plain -O1 -w %s %S/Inputs/unit_functions_other.cpp %t.third.plain.o %S/Inputs/unit_functions_plain.cpp \
// RUN:   -o %t.plain && %run %t.plain > %t.expected
// RUN: %plain -O1 -w -c %S/Inputs/unit_functions_plain.cpp -o %t.plain.o
// RUN: %cc -O1 -w -c %S/Inputs/unit_functions_third.c -o %t.third.o
// RUN: %muster-link -O1 -w %s %S/Inputs/unit_functions_other.cpp %t.third.o %t.plain.o -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
//
// What was launched, and why not.
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
//
// Without optimisation, and in libraries.
// RUN: %muster-link -O0 -w %s %S/Inputs/unit_functions_other.cpp %t.third.o %t.plain.o -o %t.muster0
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster0 2>&1 | FileCheck %s
// RUN: %muster-link -O1 -w -fPIC -shared %S/Inputs/unit_functions_other.cpp -o %t.other.so
// RUN: %muster-link -O1 -w %s %t.other.so %t.third.o %t.plain.o -rdynamic -o %t.mustershared
// RUN: %run timeout 60 %t.mustershared | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.mustershared 2>&1 | FileCheck %s
#include <omp.h>

#include <cstdio>

void otherStart(int n);
void otherStop(int n);
double otherRead(int n);
int otherOfThird();
void otherWait(int threads);
void otherFill(double *a, int n);
void otherFillInTurn(double *a, int n);
int otherOfPlain();
int otherOfPointer();
int otherNever(int n);
extern "C" int thirdNumber(void);
int plainNumber();
__attribute__((weak)) int replaced() { return 0; }
__attribute__((weak)) int kept() { return 0; }
int otherReplaced();

struct Other {
  int number() const;
  int twice(int x) const;
};

static double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}

static void part(double *a, int n, int thread, int threads) {
  for (int i = thread * n / threads; i < (thread + 1) * n / threads; ++i) a[i] = i;
}

const int n = 1200, threads = 3;

// The scratch array is filled by thread numbers, so that a thread that is not there leaves it empty.
#define BY_NUMBER(number)                               \
  for (int i = 0; i < n; ++i) a[i] = 0;                 \
  _Pragma("omp parallel num_threads(threads)") {        \
    part(a, n, number, threads);                        \
    _Pragma("omp barrier")                              \
    _Pragma("omp for") for (int i = 0; i < n; ++i) b[i] = 2 * a[i]; \
  }                                                     \
  std::printf("%g\n", sum(b, n));

int main() {
  omp_set_dynamic(0);
#pragma ompx managed(a, b)
  double *a = new double[n](), *b = new double[n]();

  // CHECK-DAG: unit_functions.cpp:[[@LINE+5]] ({{.*}}): 1 launch,
#pragma omp parallel
  {
#pragma omp master
    otherStart(1);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = i;
#pragma omp single
    otherStop(1);
  }
  std::printf("%g %d\n", sum(b, n), otherRead(1) >= 0);

  // A function of a function of C, one that is never called, and methods.
  // CHECK-DAG: unit_functions.cpp:[[@LINE+6]] ({{.*}}): 5 launches,
  for (int round = 0; round < 5; ++round) {
    Other other;
#pragma omp parallel num_threads(threads) if (n > 3)
    {
      const int factor = round < 9 ? other.twice(otherOfThird()) : otherNever(round);
#pragma omp for nowait
      for (int i = 0; i < n; ++i) b[i] += factor * i;
    }
    std::printf("%g\n", sum(b, n));
  }

  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, on rank 0's CPU: it calls 'thirdNumber', which calls 'omp_get_thread_num'
  BY_NUMBER(thirdNumber())
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, on rank 0's CPU: it calls 'Other::number() const', which calls 'omp_get_thread_num'
  BY_NUMBER(Other().number())
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'plainNumber()', which is in no file that muster++ compiled
  BY_NUMBER(plainNumber())
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'plainNumber()', which is in no file that muster++ compiled
  BY_NUMBER(otherOfPlain())
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'otherOfPointer()', which calls a function through a pointer
  BY_NUMBER(otherOfPointer())
  // The plain file's definitions take the place of weak ones, here and in the other file.
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'replaced()', which is in no file that muster++ compiled
  BY_NUMBER(replaced())
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'otherReplaced()', which is in no file that muster++ compiled
  BY_NUMBER(otherReplaced())

  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'otherWait(int)', which
#pragma omp parallel num_threads(threads)
  {
    otherWait(threads);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 3 * a[i] + kept();
  }
  std::printf("%g\n", sum(b, n));

  // Loops of functions of the other file are launched there, or run by all threads here.
  // CHECK-DAG: unit_functions_other.cpp:{{.*}}: 1 launch,
  // CHECK-DAG: unit_functions.cpp:[[@LINE+4]] ({{.*}}): 1 launch,
#pragma omp parallel num_threads(threads)
  {
    otherFill(a, n);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 4 * a[i];
  }
  std::printf("%g\n", sum(b, n));
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'otherFillInTurn(double*, int)', which has an 'omp for' that stays plain
#pragma omp parallel num_threads(threads)
  {
    otherFillInTurn(a, n);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 5 * a[i];
  }
  std::printf("%g\n", sum(b, n));
  // How many threads, where the team is kept and where it is not.
  int number = 0;
  // CHECK-DAG: unit_functions.cpp:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'thirdNumber', which
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    number = omp_get_num_threads();
    thirdNumber();
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 6 * a[i];
  }
  std::printf("%g %d\n", sum(b, n), number);
  // CHECK-DAG: unit_functions.cpp:[[@LINE+6]] ({{.*}}): 1 launch,
#pragma omp parallel num_threads(threads)
  {
    otherStart(2);
#pragma omp master
    number = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 7 * a[i];
  }
  std::printf("%g %d\n", sum(b, n), number);
  delete[] a;
  delete[] b;
}
