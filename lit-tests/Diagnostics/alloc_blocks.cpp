// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alloc_start and alloc_end come in pairs, in one block.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s

void f(int n) {
  // CHECK: :[[@LINE+1]]:1: error: 'alloc_end' without an 'alloc_start'
#pragma omp alloc_end
#pragma omp alloc_start
  {
    // CHECK: :[[@LINE+2]]:1: error: 'alloc_end' must stand in the same block as its 'alloc_start'
    // CHECK: :[[@LINE-3]]:1: note: the 'alloc_start'
#pragma omp alloc_end
  }
  // CHECK: :[[@LINE+3]]:1: error: 'alloc_start' inside another allocation block; blocks do not nest
  // CHECK: :[[@LINE+1]]:1: note: the block starts here
#pragma omp alloc_start
#pragma omp alloc_start
#pragma omp alloc_end
  // CHECK: :[[@LINE+2]]:1: error: 'alloc_start' must stand between statements of a block
  if (n)
#pragma omp alloc_start
    n = 0;
#pragma omp alloc_end
}
// CHECK: :[[@LINE+1]]:1: error: 'alloc_start' without an 'alloc_end'
#pragma omp alloc_start
