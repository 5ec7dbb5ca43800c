// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session of a program whose main() the plugin did not see or cannot edit: in a file without directives, in a file
// that another compiler compiled, written in a macro, a function try block. The C library's start function is given a
// main() that begins the session first, so that ranks other than 0 never run the program's own.
#include <cstdio>
#include <cstdlib>

#include "host/system/next_symbol.h"
#include "registry/registry.h"
#include "session/job/stacks.h"
#include "session/program/session.h"

namespace {

using Main = int(int, char**, char**);
Main* programMain = nullptr;

// Runs after the constructors of all translation units, which register their kernels, or only themselves if their loops
// stay plain. Tools that only link the runtime have no need of a session.
int mainInSession(int argc, char** argv, char** environment) {
  if (!muster::rt::registry().hasUnits()) return programMain(argc, argv, environment);
  const auto distributed = [](int count, char** arguments, char** variables) {
    muster::rt::Session::begin(&count, &arguments);
    const int code = programMain(count, arguments, variables);
    muster::rt::Session::end();
    return code;
  };
  return muster::rt::runOnLargeStack(distributed, argc, argv, environment);
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

// glibc's signature; since 2.34 `init` and `finish` are null. It does not return.
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*finish)(), void (*linkerFinish)(),
                      void* stackEnd) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static constinit muster::rt::NextSymbol<Start> next("__libc_start_main");
  programMain = main;
  Start* const start = next.get();
  if (start == nullptr) {
    std::fputs("muster: error: the C library has no __libc_start_main; Muster needs glibc\n", stderr);
    std::abort();
  }
  return start(mainInSession, argc, argv, init, finish, linkerFinish, stackEnd);
}

#pragma GCC visibility pop

}  // extern "C"
