// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit that has no launches, or is compiled as the user wrote it, asks for the session all the same, so that main is
// run once: the runtime begins it in front of main then.
#pragma once

#include <string>

#include "rewrite/text/Dialect.h"

namespace muster::plugin {

// Needs no header of ours, and may stand at the end of any text.
std::string registrationOfUnit(const Dialect& dialect);

}  // namespace muster::plugin
