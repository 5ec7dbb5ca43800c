// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run code of the program, with as much room for locals as its main thread has, and without signals that
// are not for it.
#pragma once

#include <pthread.h>

#include "muster/cdm/status.h"

namespace muster::rt {

// name: at most 15 bytes. what: it is for, in errors.
[[nodiscard]] Result<pthread_t> startProgramThread(const char* name, const char* what, void* (*enter)(void*),
                                                   void* argument);

}  // namespace muster::rt
