// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without a guard.
#pragma omp alloc_start
#pragma omp alloc_end
