// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_get_wtime() waits for the launches before it: a program that times its loops means their work, not their
// queueing.
#include "host/system/next_symbol.h"
#include "session/program/session.h"

extern "C" {

#pragma GCC visibility push(default)

double omp_get_wtime(void) noexcept {
  muster::rt::Session::finishLaunches();
  return MUSTER_NEXT(omp_get_wtime)();
}

#pragma GCC visibility pop

}  // extern "C"
