// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks around updates in native code, which cannot name those of rank 0.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/facts/Facts.h"
#include "clang/AST/ASTContext.h"

namespace muster::plugin {

// Characters of the body, and what stands in their place: the calls go, and the updates become those of `omp atomic`,
// or of one `omp critical`.
std::vector<std::pair<clang::CharSourceRange, std::string>> lockEdits(const clang::ASTContext& context,
                                                                      const LoopFacts& facts);

}  // namespace muster::plugin
