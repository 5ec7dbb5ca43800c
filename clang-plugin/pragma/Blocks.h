// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation blocks: alloc_start and alloc_end come in pairs, between statements.
#pragma once

#include "pragma/Collector.h"
#include "pragma/Directives.h"

namespace muster::plugin {

// Reports errors.
void checkBlocks(const clang::ASTContext& context, const DirectiveTable& table, const Collector& collected);

}  // namespace muster::plugin
