// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// The function around the directive, its loops and their bounds, and the text of the body. False: refused.
bool readFunction(LoopContext& context);
bool readDims(LoopContext& context);
bool readText(LoopContext& context);

}  // namespace muster::plugin
