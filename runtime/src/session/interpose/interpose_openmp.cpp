// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_set_num_threads(1) by the program makes its loops serial, as does omp_get_max_threads() where it gives 1, or
// omp_get_num_threads() in a region: programs update elements without atomics then. OMP_NUM_THREADS=1 alone only says
// how many threads native code has (docs/decisions/0017-loops-that-openmp-makes-serial.md). Code that the plugin wrote
// calls the functions by their Fortran names.
#include "host/system/next_symbol.h"
#include "native/openmp.h"

extern "C" {

#pragma GCC visibility push(default)

void omp_set_num_threads(int threads) noexcept {
  muster::rt::noteThreadsOfProgram();
  MUSTER_NEXT(omp_set_num_threads)(threads);
}

int omp_get_max_threads() noexcept {
  const int threads = MUSTER_NEXT(omp_get_max_threads)();
  if (threads == 1) muster::rt::noteOneThreadTold();
  return threads;
}

// A region of one thread in a program that has more says nothing about others.
int omp_get_num_threads() noexcept {
  const int threads = MUSTER_NEXT(omp_get_num_threads)();
  if (threads == 1 && muster::rt::insideOpenMpRegion() && muster::rt::openMpThreads() == 1)
    muster::rt::noteOneThreadTold();
  return threads;
}

#pragma GCC visibility pop

}  // extern "C"
