// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which global numbers native code has to read under their own names. The others are variables of the native code, with
// the values of the launch: so the program may change them while it goes on.
#pragma once

#include "analysis/facts/Facts.h"

namespace muster::plugin {

// A function that the body calls reads it, or the body names it by more than its name, or might from a lambda.
bool keepsGlobalName(const LoopFacts& facts, const ScalarFact& scalar);

}  // namespace muster::plugin
