// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a parallel region that one thread runs: its directive, its launches, and the loops that become regions.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>/dev/null | grep -v '// *CHECK' | FileCheck %s
#include <cstdio>

void regions(double *a, int n, int threads) {
  double last;
// CHECK: const ::muster::Team muster_team((threads), (n > 3) ? 1 : 0, 0);
// CHECK: #pragma omp parallel num_threads(1), if(1) default(shared) private(last)
// CHECK-NEXT: {
#pragma omp parallel num_threads(threads), if (n > 3) default(shared) private(last)
  {
    int j, count = 0;
// CHECK: struct muster_loop_[[#@LINE+4]] {
// CHECK: #pragma omp parallel for firstprivate(a) private(j)
// CHECK: muster_launch_loop(&muster_this_launch);
// CHECK: #line [[#@LINE+3]]
#pragma omp for nowait
    for (int i = 0; i < n; ++i)
      for (j = 0; j < 4; ++j) a[4 * i + j] = i;
// CHECK: #pragma omp parallel for num_threads(muster_team_threads()) lastprivate(last) reduction(+ : count) schedule(static), default(shared)
#pragma omp for schedule(dynamic, 2), nowait
    for (int i = 0; i < n; ++i) {
      last = a[i];
      count++;
      std::printf("%g", last);
    }
#pragma omp single
    std::printf("%g %d", last, count);
  }
}

void orphaned(double *a, int n) {
// CHECK: if (muster_team_size() == 1)
// CHECK: struct muster_loop_[[#@LINE+5]] {
// CHECK: muster_launch_loop(&muster_this_launch);
// CHECK: else
// CHECK-NEXT: #line [[#@LINE+2]]
// CHECK-NEXT: #pragma omp for
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] = i;
}

void timerStart(int n);
double elsewhere(double x);

void asked(double *a, int n) {
// CHECK: static const char *const muster_calls_0_{{[0-9a-f]+}}_names[] = {"_Z10timerStarti"};
// CHECK: const ::muster::Team muster_team(0, 1, &muster_calls_0_{{[0-9a-f]+}});
// CHECK: #pragma omp parallel num_threads(muster_region_threads())
#pragma omp parallel
  {
#pragma omp master
    timerStart(1);
// CHECK: if (muster_region_alone())
// CHECK: muster_launch_loop(&muster_this_launch);
// CHECK: else
// CHECK-NEXT: #line [[#@LINE+2]]
// CHECK-NEXT: #pragma omp for nowait
#pragma omp for nowait
    for (int i = 0; i < n; ++i) a[i] = i;
  }
}

void calling(double *a, int n) {
// CHECK: static const char *const muster_calls_0_{{[0-9a-f]+}}_names[] = {"_Z9elsewhered"};
// CHECK: a[i] = muster_unit_{{[0-9a-f]+}}((a[i]));
// CHECK: if (muster_can_launch(&muster_this_kernel)) {
// CHECK: muster_launch_loop(&muster_this_launch);
// CHECK: if (!muster_loop_[[#@LINE+3]]_launched)
// CHECK-NEXT: #line [[#@LINE+2]]
// CHECK-NEXT: #pragma omp parallel for
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = elsewhere(a[i]);
}
