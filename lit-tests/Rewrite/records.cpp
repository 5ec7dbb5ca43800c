// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimum with its place in native code, at the launch, and in the kernel.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s

// CHECK:      {{^ *}}int64_t muster_order;
// CHECK:      {{^ *}}} muster_type_record0;
// CHECK:      {{^ *}}if (muster_b->muster_order == 0) return;
// CHECK:      {{^ *}}if (muster_a->muster_order == 0 || muster_b->muster_0 < muster_a->muster_0 || (muster_b->muster_0 == muster_a->muster_0 && muster_b->muster_order < muster_a->muster_order)) *muster_a = *muster_b;
// CHECK:      {{^ *}}muster_type_record0 muster_record0 = {best, at, 0};
// CHECK:      {{^ *}}#pragma omp declare reduction(muster_record0_best : muster_type_record0 : muster_combine_muster_record0(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)
// CHECK:      {{^ *}}#pragma omp parallel for firstprivate(a, best, at) reduction(muster_record0_best : muster_record0)
// CHECK:      {{^ *}}const int64_t muster_iteration = muster_c->lo + muster_k0 + 1;
// CHECK-NOT:  {{^ *}}#pragma omp critical
// CHECK:      {{^ *}}; muster_record0.muster_0 = best; muster_record0.muster_1 = at; muster_record0.muster_order = muster_iteration; }
// CHECK:      {{^ *}}*static_cast<muster_type_record0 *>(muster_c->results[0]) = muster_record0;
// CHECK:      {{^ *}}{"best, at", sizeof(muster_loop_{{[0-9]+}}::muster_type_record0), MUSTER_TYPE_OTHER, MUSTER_REDUCE_OTHER, 0, &muster_loop_{{[0-9]+}}::muster_combine_muster_record0},
// CHECK:      {{^ *}}muster_loop_{{[0-9]+}}::muster_type_record0 muster_record0 = {best, at, 0};
// CHECK:      {{^ *}}muster_launch_loop(&muster_this_launch);
// CHECK:      {{^ *}}if (muster_record0.muster_order > 0) {
// CHECK:      {{^ *}}at = muster_record0.muster_1;

// KERNEL:      __global muster_type_record0 *muster_record0_out) {
// KERNEL:      double best = best_value;
// KERNEL:      const long muster_iteration = muster_k_0 + 1;
// KERNEL:      muster_record0.muster_order = muster_iteration;
// KERNEL:      muster_record0_slots[muster_lane] = muster_better0(muster_record0_slots[muster_lane], muster_record0_slots[muster_lane + muster_half]);
void records(const double *a, int n) {
  double best = 1e30;
  int at = -1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(name)
    if (a[i] < best) {
      best = a[i];
      at = i;
    }
  }
}
