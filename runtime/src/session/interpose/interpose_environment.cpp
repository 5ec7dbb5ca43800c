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
  static constinit muster::rt::NextSymbol<int(const char*, const char*, int)> next("setenv");
  muster::rt::beforeChange();
  return next.get()(name, value, overwrites);
}
int unsetenv(const char* name) noexcept {
  static constinit muster::rt::NextSymbol<int(const char*)> next("unsetenv");
  muster::rt::beforeChange();
  return next.get()(name);
}
int putenv(char* text) noexcept {
  static constinit muster::rt::NextSymbol<int(char*)> next("putenv");
  muster::rt::beforeChange();
  return next.get()(text);
}
int clearenv() noexcept {
  static constinit muster::rt::NextSymbol<int()> next("clearenv");
  muster::rt::beforeChange();
  return next.get()();
}

#pragma GCC visibility pop

}  // extern "C"
