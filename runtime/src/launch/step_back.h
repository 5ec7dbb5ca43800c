// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do not run on all devices, and why: for the report, and, once for each reason, on stderr.
#pragma once

#include <string>

#include "muster/abi.h"

namespace muster::rt {

class Session;

// `reason` completes "this loop runs".
void noteStepBack(Session& session, const muster_kernel& kernel, const std::string& reason);

}  // namespace muster::rt
