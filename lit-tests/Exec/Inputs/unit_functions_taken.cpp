// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>
int taken() { return omp_get_thread_num(); }
