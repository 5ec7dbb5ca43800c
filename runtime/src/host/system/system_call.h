// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's syscall(), for calls of the runtime's own: the one that programs reach (interpose_calls.cpp) makes
// managed memory valid.
#pragma once

#include <unistd.h>

#include "host/system/next_symbol.h"

namespace muster::rt {

inline constinit NextSymbol<decltype(syscall)> systemCall("syscall");

}  // namespace muster::rt
