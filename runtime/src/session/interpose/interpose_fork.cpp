// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork(): the child has its own copy of all arrays, and no session: its loops run natively, and its end is not that of
// the job. What starts another program at once (system, popen, posix_spawn, vfork) copies nothing and is not here.
#include <pty.h>
#include <unistd.h>

#include <optional>

#include "host/system/next_symbol.h"
#include "host/system/runtime_section.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

template <class Fork>
pid_t forkWithArrays(const void* caller, const Fork& fork) {
  // Drivers start compilers and linkers in threads that the program would wait for.
  Session* const session = Session::current();
  if (session == nullptr || session->startedObject(caller) || session->insideChunk() ||
      threadState.runtimeSections > 0 || threadState.isFaultService) {
    return fork();
  }
  session->beforeFork();
  std::optional<ForkOfArrays> arrays(std::in_place);
  const pid_t child = fork();
  if (child == 0) {
    Session::forget();
    arrays->inChild();
  } else {
    arrays->inParent();
  }
  return child;
}

}  // namespace
}  // namespace muster::rt

extern "C" {

#pragma GCC visibility push(default)

pid_t fork() noexcept {
  return muster::rt::forkWithArrays(__builtin_return_address(0), [] { return MUSTER_NEXT(fork)(); });
}
pid_t __fork() noexcept;
pid_t __fork() noexcept {
  return muster::rt::forkWithArrays(__builtin_return_address(0), [] { return MUSTER_NEXT(fork)(); });
}
pid_t _Fork() noexcept {
  return muster::rt::forkWithArrays(__builtin_return_address(0), [] { return MUSTER_NEXT(_Fork)(); });
}
int forkpty(int* master, char* name, const termios* terminal, const winsize* size) noexcept {
  return muster::rt::forkWithArrays(__builtin_return_address(0),
                                    [&] { return MUSTER_NEXT(forkpty)(master, name, terminal, size); });
}

// The process goes on as another one, whose end the launcher does not wait for: the job ends here.
int daemon(int keepsFolder, int keepsFiles) noexcept {
  muster::rt::Session::end();
  return MUSTER_NEXT(daemon)(keepsFolder, keepsFiles);
}

#pragma GCC visibility pop

}  // extern "C"
