// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of the calling thread's state.
#include "host/system/runtime_section.h"

namespace muster::rt {

constinit thread_local ThreadState threadState __attribute__((tls_model("initial-exec")));

}  // namespace muster::rt
