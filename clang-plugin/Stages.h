// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the plugin, in order; Pipeline.cpp calls them. Each is a function from values to a value.
//
//   tokens -> directives (pragma/) -> facts (analysis/) -> plan (plan/, opencl/) -> edits (rewrite/)
#pragma once

#include <string>
#include <vector>

#include "analysis/UnitFunctions.h"
#include "analysis/facts/Facts.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/raw_ostream.h"
#include "plan/Plan.h"
#include "pragma/Directives.h"

namespace muster::plugin {

class EditList;  // rewrite/text/Edits.h

// pragma/: the declarations that managed operands name; reports unknown names and unmanageable types as errors.
void bindDirectives(clang::ASTContext& context, DirectiveTable& table);
void printDirectives(const DirectiveTable& table, const clang::SourceManager& sources, llvm::raw_ostream& out);

// analysis/: every OpenMP worksharing loop of the main file that touches pointers, arrays or vectors, and the parallel
// regions around them.
FileFacts analyseLoops(clang::ASTContext& context, const DirectiveTable& table);
void printFacts(const std::vector<LoopFacts>& loops, const clang::SourceManager& sources, llvm::raw_ostream& out);
void printRegions(const FileFacts& file, const clang::SourceManager& sources, llvm::raw_ostream& out);

// opencl/: OpenCL C 1.2 text of a loop's kernel (signature: docs/architecture.md), or why there is none.
struct KernelText {
  std::string text;
  std::string refusal;  // empty if text is there
  bool needsFp64 = false;
};
KernelText printKernel(const clang::ASTContext& context, const LoopFacts& facts, const std::string& name);

// The same of a function that kernels of other units may call, by its deviceName; it must be one that has `facts`.
KernelText printFunction(const clang::ASTContext& context, const UnitFunction& function);

// plan/: `facts` must outlive the plan.
// The functions of the unit, with their texts.
std::vector<UnitFunction> planFunctions(clang::ASTContext& context,
                                        const std::set<const clang::FunctionDecl*>& launchedOrphans, bool anyDenormals);
TranslationUnitPlan makePlan(clang::ASTContext& context, const DirectiveTable& table, const FileFacts& facts);
void printPlan(const TranslationUnitPlan& plan, const clang::SourceManager& sources, llvm::raw_ostream& out);

// rewrite/: storage (allocations, vectors, arrays, free, main, blocks) and loops (launches, step backs).
void rewriteStorage(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan,
                    EditList& edits);
// Regions of one thread, and loops in them that become regions of their own.
void rewriteRegions(clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);
// Behind all edits of the loops, which may end with the same token.
void closeRegions(const clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);
void rewriteLoops(clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);

}  // namespace muster::plugin
