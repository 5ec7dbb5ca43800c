// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of error codes, and panic().
#include "muster/cdm/status.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace muster {

namespace {
std::atomic<bool> panicsThrow{false};
}  // namespace

const char* toString(Errc code) {
  switch (code) {
    case Errc::ok:
      return "ok";
    case Errc::invalidArgument:
      return "invalid argument";
    case Errc::outOfMemory:
      return "out of memory";
    case Errc::deviceLost:
      return "device lost";
    case Errc::buildFailed:
      return "build failed";
    case Errc::notFound:
      return "not found";
    case Errc::unsupported:
      return "unsupported";
    case Errc::protocol:
      return "protocol error";
    case Errc::io:
      return "input/output error";
    case Errc::internal:
      return "internal error";
  }
  return "unknown error";
}

void panic(const std::string& what) {
  if (panicsThrow.load()) throw PanicError(what);
  std::fprintf(stderr, "muster: internal error: %s\nmuster: this is a bug in Muster; please report it\n", what.c_str());
  std::abort();
}

void panicThrows(bool yes) { panicsThrow.store(yes); }

}  // namespace muster
