// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our place in the handling of SIGSEGV: installs our handler in front of what the program had, and passes on what is
// not ours with the meaning that it would have had without us.
#pragma once

#include <signal.h>

#include "muster/cdm/status.h"

namespace muster::rt {

using SignalAction = void (*)(int signal, siginfo_t* info, void* context);

Status installSegvHandler(SignalAction handler);
// Puts the previous action back, unless the program has installed another one since.
void removeSegvHandler(SignalAction handler);
// In our handler: the previous handler, or the default action (the process ends by SIGSEGV, with its core dump) once
// our handler has returned.
void passOnSegv(int signal, siginfo_t* info, void* context);
// Nobody but the default action would see a fault that we pass on.
bool segvWouldEndProcess();

}  // namespace muster::rt
