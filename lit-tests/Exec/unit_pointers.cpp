// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that give pointers, references and structs to functions and methods of other files: to elements of managed
// arrays, and to what each iteration has for itself.
//
// RUN: %plain-c -w -O1 -ffp-contract=off -c %S/Inputs/unit_pointers_third.c -o %t.third.plain.o
// RUN: %plain -O1 -w -ffp-contract=off %s %S/Inputs/unit_pointers_other.cpp %t.third.plain.o -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc -O1 -w -ffp-contract=off -c %S/Inputs/unit_pointers_third.c -o %t.third.o
// RUN: %muster-link -O1 -w -ffp-contract=off %s %S/Inputs/unit_pointers_other.cpp %t.third.o -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | grep -c 'this loop runs' | grep -x 6
#include "Inputs/unit_pointers.h"

#include <cstdio>

const int n = 1200;

static void print(const double *a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7 + 1);
  std::printf("%.17g\n", s);
}

static void print(const Particle *p) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += p[i].at.x + 2 * p[i].at.y + p[i].mass + p[i].steps[i % 3] * (i % 5);
  std::printf("%.17g\n", s);
}

int main() {
#pragma ompx managed(a, b)
  double *a = new double[n](), *b = new double[n]();
#pragma ompx managed(p)
  Particle *p = new Particle[n]();
  double matrices[4][3][3];
  for (int i = 0; i < 36; ++i) matrices[i / 9][i / 3 % 3][i % 3] = i * i;

  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double seed = i, own[2] = {1.0 * i, 2};
    otherPair(own);
    a[i] = otherNext(&seed) + otherNext(&seed) + own[0] - own[1] + otherTrace(matrices[i % 4]);
  }
  print(a);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) otherPair(&a[2 * i]);
  print(a);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n / 4; ++i) otherFill(b + 4 * i, 4, a[i]);
  print(b);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double weights[] = {0.5, i / 8.0, -1};
    a[i] = otherDot(i < 3 ? b : b + i - 3, weights, 3);
  }
  print(a);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    otherExchange(a[i], b[i]);
    double c = i;
    otherExchange(a[i], c);
    b[i] += c;
  }
  print(a);
  print(b);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; i += 2) otherThrough(b + i);
  print(b);

  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    p[i] = otherMade(i);
    otherAdvance(p + i, 0.25);
    Particle own = p[i];
    otherAdvance(&own, a[i]);
    b[i] = otherEnergy(own) + otherMass(p[i]) + otherMass(own) + otherMade(i).at.y;
  }
  print(b);
  print(p);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) {
    int k = i;
    b[i] = otherAllThree(&k, a + i, &p[i]);
    b[i] += k;
  }
  print(b);
  print(p);

  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    p[i].at.move(i);
    Place here = p[i].at + p[i].at;
    here.move(1, 2);
    a[i] = (here - p[i].at).length() + Place::between(here, p[i].at);
  }
  print(a);
  print(p);

  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on CPU devices only: it calls 'otherMany(double*, double*, double*, double*, double const*)', which has more than 4 pointers as parameters
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double c = i, d = 1;
    otherMany(a + i, &b[i], &c, &d, &d);
  }
  print(a);
  static const double weights[] = {1, -0.5, 2};
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on CPU devices only: gives 'otherDot' of another translation unit a pointer to constants, or to one of several kinds of memory
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = otherDot(weights, &a[i / 2], 3);
  print(b);

  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherConstant(double const*)', which writes through a pointer to constants
#pragma omp parallel for
  for (int i = 0; i < n; ++i) otherConstant(&a[i]);
  print(a);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherKept(double*)', which declares the static variable 'kept'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = otherKept(&a[i]);
  print(b);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherAtomic(double*)', which updates atomically what it is given
#pragma omp parallel for
  for (int i = 0; i < n; ++i) otherAtomic(&a[i % 10]);
  print(a);
  // CHECK-DAG: unit_pointers.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU: it calls 'otherSame(double const*, double const*)', which compares pointers that it is given
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = otherSame(&a[i], &a[n / 2]);
  print(b);
  delete[] a;
  delete[] b;
  delete[] p;
}
