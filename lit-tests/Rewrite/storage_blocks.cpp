// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alloc_start and alloc_end, in a function and at file scope.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
// CHECK: static const muster_loc muster_block_[[@LINE+4]] = {"{{.*}}storage_blocks.cpp", [[@LINE+4]], 1};
// CHECK: static const muster_loc muster_block_[[@LINE+8]] =
// CHECK: static const muster_loc muster_block_[[@LINE+11]] =
// CHECK: static const muster_loc muster_block_[[@LINE+16]] =
#pragma omp alloc_start
// CHECK: static const bool muster_block_call_[[@LINE-1]] = (muster_block_begin(&muster_block_[[@LINE-1]]), true);
#pragma omp managed(u)
double *u = new double[100];
// CHECK: double *u = ::muster::
#pragma ompx alloc_end
// CHECK: static const bool muster_block_call_[[@LINE-1]] = (muster_block_end(&muster_block_[[@LINE-1]]), true);

void f(int n) {
#pragma omp alloc_start
  // CHECK: {{^}}muster_block_begin(&muster_block_[[@LINE-1]]);
#pragma omp managed(v)
  double *v = new double[n];
#pragma omp managed(w)
  double *w = new double[n];
#pragma omp alloc_end
  // CHECK: {{^}}muster_block_end(&muster_block_[[@LINE-1]]);
  delete[] v;
  delete[] w;
}
