// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that call functions of other files: on all devices by the texts that these files bring, natively where there is
// no text, and plainly where the other file does not know them to be free of state.
//
// RUN: %plain-c -w -O1 -c %S/Inputs/unit_functions_third.c -o %t.third.plain.o
// RUN: %plain -O1 -w -ffp-contract=off %s %S/Inputs/unit_calls_other.cpp %t.third.plain.o %S/Inputs/unit_functions_plain.cpp \
// RUN:   -o %t.plain && %run %t.plain > %t.expected
// RUN: %plain -O1 -w -c %S/Inputs/unit_functions_plain.cpp -o %t.plain.o
// RUN: %cc -O1 -w -c %S/Inputs/unit_functions_third.c -o %t.third.o
// RUN: %muster-link -O1 -w -ffp-contract=off %s %S/Inputs/unit_calls_other.cpp %t.third.o %t.plain.o -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | grep -c 'this loop runs' | grep -x 9
#include <cstdio>

double otherSquare(double x);
int otherMix(int x, unsigned char by);
double otherEntry(int i);
double otherOfSecond(double unused, double x);
bool otherIsEven(long n);
enum Colour { Red, Green = 7 };
Colour otherColour(int i);
int otherInTurn(int n);
int turnedHere(int n) { return n <= 0 ? 1 : otherInTurn(n - 1) + 1; }
double otherLong(double x);
double otherGlobal(double x);
double otherCounted(double x);
double otherAsserted(double x);
double otherLengthy(double x);
int plainHalf(int x);
int otherOfPlainHalf(int x);
extern "C" int thirdFactor(void);
extern double factor;

const int n = 1000;

static void print(const double *a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7 + 1);
  std::printf("%.17g\n", s);
}

int main() {
#pragma ompx managed(a)
  double *a = new double[n]();
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherSquare(i + 0.5f) + otherSquare(i) + otherMix(i, 300 + i);
  print(a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += otherEntry(i) + otherOfSecond(1, a[i]) + otherIsEven(i) + otherColour(i) + thirdFactor();
  print(a);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += otherMix(i, 3);
  std::printf("%g\n", sum);

  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on CPU devices only: it calls 'otherInTurn(int)', which calls itself
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherInTurn(i % 20);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on CPU devices only: it calls 'otherLong(double)', which
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherLong(i);
  print(a);

  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherGlobal(double)', which uses variables of its file
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherGlobal(i);
  print(a);
  factor = 3;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherGlobal(i);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherCounted(double)', which
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherCounted(i);
  print(a);
  std::printf("%g\n", otherCounted(-1));
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'plainHalf(int)', which is in no file that muster++ compiled
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = plainHalf(i);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'plainHalf(int)', which is in no file that muster++ compiled
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherOfPlainHalf(i);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherAsserted(double)', which may print a message
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherAsserted(i);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]]: this loop runs on CPU devices only: it calls 'otherLengthy(double)', which is too long for kernels
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = otherLengthy(i);
  print(a);
  // CHECK-DAG: unit_calls.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int j = i;
    a[i] = otherSquare(j++);
    a[i] += j + otherSquare(otherSquare(j));
  }
  print(a);
  delete[] a;
}
