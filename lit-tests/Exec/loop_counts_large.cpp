// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More than 2^30 iterations that an int counts, with chunks that do not divide that number, or by one thread: what an
// iteration leaves for the next one of its chunk is there. The plain program is the oracle.
//
// RUN: %plain -O2 -w %s -o %t.plain && env OMP_NUM_THREADS=2 %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fplugin-arg-muster-strict %s -o %t
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2> %t.report | diff %t.expected -
// RUN: FileCheck %s < %t.report
#include <omp.h>

#include "Inputs/loop_report.h"

static const unsigned chunk = 3 << 20, parts = 1000;

// What each chunk adds up in a variable of its thread. The loop starts at a number that is known only when it runs.
static void chunks(unsigned* ends, int first, int last) {
  unsigned sum;
// CHECK-DAG: loop_counts_large.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other
#pragma omp parallel for schedule(static, chunk) private(sum)
  for (int i = first; i < last; ++i) {
    const unsigned k = unsigned(i) - unsigned(first);
    if (k % chunk == 0) sum = 0;
    sum += k & 15;
    if (k % chunk == chunk - 1) ends[k / chunk] = sum;
  }
}

// One thread's own variable goes on through all iterations.
static void alone(unsigned* ends, int first, int last) {
  unsigned sum = 1;
// CHECK-DAG: loop_counts_large.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its num_threads clause
#pragma omp parallel for num_threads(1) firstprivate(sum)
  for (int i = first; i < last; ++i) {
    sum += i & 15;
    if (i % int(chunk) == 0) ends[(i - first) / chunk] = sum;
  }
}

// The same, in blocks: there is no clause.
static void told(unsigned* ends, int first, int last) {
  unsigned sum = 2;
// CHECK-DAG: loop_counts_large.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: omp_set_num_threads
#pragma omp parallel for firstprivate(sum)
  for (int i = first; i < last; ++i) {
    sum += i & 15;
    if (i % int(chunk) == 0) ends[(i - first) / chunk] = sum;
  }
}

int main(int argc, char**) {
#pragma ompx managed(ends)
  unsigned* ends = new unsigned[parts];
  for (unsigned i = 0; i < parts; ++i) ends[i] = 0;
  chunks(ends, -argc - 1, (1 << 30) + (9 << 20));
  report("chunks", ends, parts);
  for (unsigned i = 0; i < parts; ++i) ends[i] = 0;
  alone(ends, -argc - 1, (1 << 30) + (9 << 20));
  report("alone", ends, parts);
  omp_set_num_threads(1);
  told(ends, -argc - 1, (1 << 30) + (9 << 20));
  report("told", ends, parts);
  delete[] ends;
}
