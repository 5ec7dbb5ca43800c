// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rand_r, whose state is the seed that it gets: an iteration's own, an element, or a member. Such loops run on the CPUs
// of all ranks.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster 2> %t.remarks
// RUN: %filecheck --check-prefix=REMARKS --input-file %t.remarks %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.report | diff %t.expected -
// RUN: FileCheck --input-file %t.report %s
// REMARKS-COUNT-4: remark: loop {{.*}} runs on CPUs only: calls 'rand_r', which OpenCL does not have
// CHECK-COUNT-4: (muster_main_{{.*}}): 1 launch
#include <stdlib.h>

#include <cstdio>

struct Walker {
  unsigned seed;
  int at;
};
static int step(unsigned *seed) { return rand_r(seed) % 3 - 1; }
static double uniform(unsigned &seed) { return rand_r(&seed) / (RAND_MAX + 1.0); }

int main() {
  const int n = 5000;
#pragma ompx managed(a, seeds, walkers)
  double *a = new double[n];
  unsigned *seeds = new unsigned[n];
  Walker *walkers = new Walker[n];
  for (int i = 0; i < n; ++i) seeds[i] = i * 3 + 1, walkers[i] = {unsigned(i), 0};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    unsigned seed = i;
    double s = 0;
    for (int k = 0; k < 5; ++k) s += uniform(seed);
    a[i] = s;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += rand_r(&seeds[i]) % 10;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) walkers[i].at += step(&walkers[i].seed) + step(&walkers[i].seed);
  long inside = 0;
#pragma omp parallel for reduction(+ : inside)
  for (int i = 0; i < n; ++i) {
    unsigned seed = 7 * i;
    const double x = uniform(seed), y = uniform(seed);
    inside += x * x + y * y < 1 && a[i] >= 0;
  }
  double s = 0;
  long k = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 3), k += walkers[i].at * (i % 5) + seeds[i] % 11;
  printf("%.12g %ld %ld\n", s, k, inside);
  delete[] a;
  delete[] seeds;
  delete[] walkers;
}
