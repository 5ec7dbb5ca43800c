// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_set_num_threads(1) by the program makes its loops serial; OMP_NUM_THREADS=1 only says how many threads native
// code has (docs/decisions/0017-loops-that-openmp-makes-serial.md).
#include "engine/openmp.h"
#include "host/next_symbol.h"

extern "C" {

#pragma GCC visibility push(default)

void omp_set_num_threads(int threads) noexcept {
  static constinit muster::rt::NextSymbol<void(int)> next("omp_set_num_threads");
  muster::rt::noteThreadsOfProgram();
  next.get()(threads);
}

#pragma GCC visibility pop

}  // extern "C"
