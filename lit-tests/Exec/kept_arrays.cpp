// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are freed are kept for the next ones of their size, with what was in them: on devices, in pages
// that the host may use or not. What a round wrote is right all the same, whoever wrote it, and zeroed memory is zero.
// Parts that a round did not write are never read.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_ASYNC=off %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=2,3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_CHECK=races %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1\;40:3,1\;90:1,5 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_LIMIT_MEM=256K %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_KEEP_ARRAYS=off %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_WEIGHTS=1,2,3 \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,2,3,1,1,2 \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
//
// All that are made a second time are kept ones; in blocks none is, nor where the devices' memory is small, nor where
// the program asks for that.
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 2 %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 MUSTER_KEEP_ARRAYS=off %t 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 MUSTER_LIMIT_MEM=256K %t 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: sh -c 'ulimit -v 100000000; OMP_NUM_THREADS=3 MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1' \
// RUN:   | FileCheck --check-prefix=OFF %s
// CHECK: arrays
// CHECK-DAG: {{^}}    t ({{.*}}): {{.*}} in 24 allocations, 22 of them in freed arrays
// CHECK-DAG: {{^}}    u ({{.*}}): {{.*}} in 24 allocations, 22 of them in freed arrays
// CHECK-DAG: {{^}}    w ({{.*}}): {{.*}} in 24 allocations, 22 of them in freed arrays
// CHECK-DAG: {{^}}    zero ({{.*}}): {{.*}} in 24 allocations, 24 of them in freed arrays
// CHECK-DAG: {{^}}    v ({{.*}}): {{.*}} in 24 allocations, 24 of them in freed arrays
// CHECK-DAG: {{^}}    rows{{.j. }}({{.*}}): {{.*}} in 24 allocations, 24 of them in freed arrays
// CHECK-DAG: {{^}}    placed ({{.*}}): {{.*}} in 24 allocations, placed with block
// CHECK-DAG: {{^}}    aligned ({{.*}}): {{.*}} in 24 allocations, {{2[0-2]}} of them in freed arrays
// CHECK: plans made
// OFF: arrays
// OFF-NOT: in freed arrays
#include <cstdint>
#include <thread>

#include "Inputs/wild_report.h"

static const int most = 20000;
static double *base;
static double *out;

// Loops write parts, elements here and there, and all of what the host wrote in part.
static double parts(int n, int round) {
#pragma ompx managed(t, u, w)
  double *t = new double[n], *u = new double[n];
  double *w = (double *)std::malloc(n * sizeof(double));
  const int lo = round * 37 % (n / 2), hi = lo + n / 2, kind = round % 3;
#pragma omp parallel for
  for (int i = lo; i < hi; ++i) t[i] = base[i] + 3 * round;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 3 == kind) u[i] = base[i] * round;
  // The first page may be the host's from the round before, or a device's.
  for (int i = round % 2 ? lo : 0; i < hi; ++i) w[i] = i ^ round;
#pragma omp parallel for
  for (int i = lo; i < hi; ++i) w[i] += t[i];
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    if (i % 3 == kind) sum += u[i];
#pragma omp parallel for
  for (int i = lo; i < hi; ++i) out[i] += w[i] - 2 * t[i];
  sum += t[lo] + t[hi - 1] + w[lo + 1] + u[n / 3 * 3 - 3 + kind];
  // Whatever the order, the next round's arrays are the same ones.
  if (kind == 0) delete[] t, delete[] u, std::free(w);
  if (kind == 1) std::free(w), delete[] t, delete[] u;
  if (kind == 2) delete[] u, std::free(w), delete[] t;
  return sum;
}

// Full of ones when it is freed; and a vector, whose memory the host fills.
static double wholes(int n, int round) {
#pragma ompx managed(zero)
  double *zero = (double *)std::calloc(n, sizeof(double));
#pragma ompx managed(v)
  std::vector<double> v(n, round);
  double sum = 0;
  if (round % 2) sum += zero[n / 2] + zero[n - 1];
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 7 == round % 7) zero[i] += v[i] + 1;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += zero[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) zero[i] = 1, v[i] += zero[i];
  sum += v[n - 1] + v[0];
  std::free(zero);
  return sum;
}

static double tables(int n, int round) {
  const int m = 50;
#pragma ompx managed(rows)
  double **rows = new double *[m];
  for (int j = 0; j < m; ++j) rows[j] = new double[n / m];
#pragma omp parallel for
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n / m; ++i)
      if (round % 2 || i > 2) rows[j][i] = i * j + round;
  double sum = 0;
  for (int j = 0; j < m; ++j) sum += rows[j][3] * j;
#pragma omp parallel for
  for (int j = 0; j < m; ++j) out[j] += rows[j][4];
  for (int j = 0; j < m; ++j) delete[] rows[j];
  delete[] rows;
  return sum;
}

static double places(int n, int round) {
#pragma ompx alloc_start
#pragma ompx managed(placed)
  double *placed = new double[n];
#pragma ompx alloc_end
#pragma ompx managed(aligned)
  double *aligned = (double *)std::aligned_alloc(round % 4 < 2 ? 64 : 8192, (n * 8 + 8191) / 8192 * 8192);
  if ((std::uintptr_t)aligned % (round % 4 < 2 ? 64 : 8192) != 0) std::printf("not aligned\n");
#pragma omp parallel for
  for (int i = 0; i < n; ++i) placed[i] = i - round, aligned[i] = 2 * i;
  double sum = placed[n - 1] + aligned[n - 1];
  delete[] placed;
  // By another thread.
  std::thread([&] { std::free(aligned); }).join();
  return sum;
}

int main() {
#pragma ompx managed(base)
  base = new double[most];
#pragma ompx managed(out)
  out = new double[most]();
  for (int i = 0; i < most; ++i) base[i] = i % 1009;
  for (int round = 0; round < 12; ++round) {
    for (int n : {1000, most})
      std::printf("%.17g %.17g %.17g %.17g\n", parts(n, round), wholes(n, round), tables(n, round), places(n, round));
  }
  report("out", out, most);
}
