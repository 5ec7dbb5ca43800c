// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Walks the body: accesses with their affine forms, inner loops, symbols. False: refused.
bool walkBody(LoopContext& context);

// An arithmetic value that is the same in every iteration and may be computed at the launch site.
bool isInvariant(const LoopContext& context, const clang::Expr* expr);

}  // namespace muster::plugin
