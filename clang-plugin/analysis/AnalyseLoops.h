// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Facts.h"
#include "pragma/Directives.h"

namespace muster::plugin {

// Every OpenMP worksharing loop of the main file that touches pointers, arrays or vectors, and the parallel regions
// around them.
FileFacts analyseLoops(clang::ASTContext& context, const DirectiveTable& table);
void printFacts(const std::vector<LoopFacts>& loops, const clang::SourceManager& sources, llvm::raw_ostream& out);
void printRegions(const FileFacts& file, const clang::SourceManager& sources, llvm::raw_ostream& out);

}  // namespace muster::plugin
