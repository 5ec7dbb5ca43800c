// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of shared variables that have no name of their own: bit-fields, halves of complex numbers. Whoever writes them
// writes the variable, so that these loops stay plain; one iteration does, which is no race.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.muster | diff %t.expected -
#include <complex>
#include <cstdio>
#include <vector>

constexpr int n = 50;
struct Flags {
  unsigned seen : 1 = 0, count : 6 = 0;
};
struct Counted : Flags {
  int more = 0;
};
static void add(Flags &flags, int i) { flags.count += i; }

int main() {
#pragma ompx managed(a)
  std::vector<int> a(n);
  Flags s;
  Counted d;
  Flags &r = s;
  std::complex<double> c = 0;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'r' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] == 0 && i == 20) r.seen = 1;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 's' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] == 0 && i == 20) {
      auto &own = s;
      own.count |= 9;
    }
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'd' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] == 0 && i == 20) static_cast<Flags &>(d).count = i;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 's' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] == 0 && i == 20) add(s, i);
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'real' of 'std::complex<double>'
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] == 0 && i == 20) c.real(4.0);
  printf("%d %d %d %g\n", s.seen, s.count, d.count, c.real());
}
