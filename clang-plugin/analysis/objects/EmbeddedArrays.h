// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// How native code reaches the elements of arrays inside of objects. False: refused.
bool placeEmbeddedArrays(LoopContext& context);

}  // namespace muster::plugin
