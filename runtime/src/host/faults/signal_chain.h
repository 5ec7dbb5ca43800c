// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our place in the handling of SIGSEGV: our handler stands in front of what the program has or installs later, and
// passes on what is not ours with the meaning that it would have had without us.
#pragma once

#include <signal.h>

#include "muster/cdm/status.h"

namespace muster::rt {

using SignalAction = void (*)(int signal, siginfo_t* info, void* context);

Status installSegvHandler(SignalAction handler);
// Puts the program's action back.
void removeSegvHandler(SignalAction handler);
// sigaction(SIGSEGV, action, old) of the program: the action behind ours is read and changed. False: our handler is not
// installed. Async-signal-safe.
bool exchangeProgramSegvAction(const struct sigaction* action, struct sigaction* old);
// In our handler: the program's handler, or the default action (the process ends by SIGSEGV, with its core dump) once
// our handler has returned.
void passOnSegv(int signal, siginfo_t* info, void* context);
// Nobody but the default action would see a fault that we pass on.
bool segvWouldEndProcess();

}  // namespace muster::rt
