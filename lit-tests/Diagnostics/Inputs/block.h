// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#pragma omp alloc_start
#pragma omp alloc_end
