// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit() ends the session before any exit handler runs. The session's own handler would come too late: a driver that
// compiles a kernel on first use registers handlers then, which run earlier and take away what its threads still use.
#include <cstdlib>

#include "host/system/next_symbol.h"
#include "session/program/session.h"

extern "C" {

#pragma GCC visibility push(default)

void exit(int code) noexcept {
  muster::rt::Session::exitInsideChunk(code);
  muster::rt::Session::end();
  MUSTER_NEXT(exit)(code);
  __builtin_unreachable();
}

#pragma GCC visibility pop

}  // extern "C"
