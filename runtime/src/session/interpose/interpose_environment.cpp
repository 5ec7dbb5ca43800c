// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A change of the environment waits for the launches before it: drivers read it while they build kernels, in threads
// that the plain program does not have. A driver that changes it itself does so in a thread that a launch may wait for.
#include <cstdlib>

#include "host/system/next_symbol.h"
#include "host/system/runtime_section.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

void beforeChange() {
  if (threadState.launches && threadState.runtimeSections == 0) Session::finishLaunches();
}

}  // namespace
}  // namespace muster::rt

extern "C" {

#pragma GCC visibility push(default)

int setenv(const char* name, const char* value, int overwrites) noexcept {
  muster::rt::beforeChange();
  return MUSTER_NEXT(setenv)(name, value, overwrites);
}
int unsetenv(const char* name) noexcept {
  muster::rt::beforeChange();
  return MUSTER_NEXT(unsetenv)(name);
}
int putenv(char* text) noexcept {
  muster::rt::beforeChange();
  return MUSTER_NEXT(putenv)(text);
}
int clearenv() noexcept {
  muster::rt::beforeChange();
  return MUSTER_NEXT(clearenv)();
}

#pragma GCC visibility pop

}  // extern "C"
