// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native code that ends the program in an iteration's own text leaves that iteration; the launch site ends the program.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
#include <cstdlib>

void loop(int n) {
#pragma omp managed(a)
  double *a = new double[n];
// CHECK: static void muster_run(const muster_chunk *muster_c) {
// CHECK: if (a[i] < 0) __extension__({ muster_end_iteration(muster_c->results[0], 1, 2 + i); goto muster_left; });
// CHECK-NEXT: if (a[i] > 9) __extension__({ muster_end_iteration(muster_c->results[0], 4, 0); goto muster_left; });
// CHECK-NEXT: [&] { if (a[i] > 8) exit(3); }();
// CHECK: muster_left:;
// CHECK: {"", sizeof(muster_program_end), MUSTER_TYPE_OTHER, MUSTER_PROGRAM_END, 0, &muster_combine_ends},
// CHECK: muster_program_end muster_ended = {0, 0, {0}};
// CHECK: &muster_ended,
// CHECK: muster_launch_loop(&muster_this_launch);
// CHECK-NEXT: muster_end_program(&muster_ended);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0) std::exit(2 + i);
    if (a[i] > 9) abort();
    [&] { if (a[i] > 8) exit(3); }();
    a[i] = 1;
  }
}
