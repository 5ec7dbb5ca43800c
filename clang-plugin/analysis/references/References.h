// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Roles of the variables that the directive's clauses name. False: refused.
bool readClauses(LoopContext& context);

// Roles of all other variables that the body, its callees or the clauses use; finds what native code on another
// rank could not do (I/O, goto, statics, ...). False: refused.
bool readReferences(LoopContext& context);

// C: refuses what native code at file scope could not name. False: refused.
bool readFileScope(LoopContext& context);

// Makes small arrays that are only read part of the launch: scalars instead of arrays.
void passSmallArrays(LoopContext& context);

}  // namespace muster::plugin
