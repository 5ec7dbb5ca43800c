// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plan/Plan.h"
#include "rewrite/text/Edits.h"

namespace muster::plugin {

// Storage: allocations, vectors, arrays, free, main, blocks.
void rewriteStorage(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan,
                    EditList& edits);
// Regions of one thread, and loops in them that become regions of their own.
void rewriteRegions(clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);
// Behind all edits of the loops, which may end with the same token.
void closeRegions(const clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);
// Launches, and step backs.
void rewriteLoops(clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);

}  // namespace muster::plugin
