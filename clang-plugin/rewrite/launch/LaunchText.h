// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a launch site. Shared by the sources that write it.
#pragma once

#include "analysis/objects/Objects.h"
#include "analysis/references/ProgramEnds.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

// Names of muster_result_kind.
inline constexpr const char* resultKinds[] = {"MUSTER_REDUCE_ADD",  "MUSTER_REDUCE_MUL",  "MUSTER_REDUCE_AND",
                                              "MUSTER_REDUCE_OR",   "MUSTER_REDUCE_XOR",  "MUSTER_REDUCE_LAND",
                                              "MUSTER_REDUCE_LOR",  "MUSTER_REDUCE_MIN",  "MUSTER_REDUCE_MAX",
                                              "MUSTER_LASTPRIVATE", "MUSTER_REDUCE_OTHER"};

// Results of the launch, with one that says how it ended the program, and has that wait for all chunks.
inline std::size_t resultCount(const LoopFacts& facts) {
  return facts.results.size() + facts.records.size() + (mayReport(facts) ? 1 : 0);
}
// What denotes the variable at the launch site.
std::string siteText(const LoopFacts& facts, const clang::VarDecl* var);
// The user's expression as an operand.
std::string argumentText(const clang::ASTContext& context, const clang::Expr* expr);
// An array with these initialisers; nothing if there are none.
void writeTable(CodeText& code, const std::string& type, const std::string& name,
                const std::vector<std::string>& entries);

// Static: parameters, accesses, the kernel.
void writeDescriptors(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code);

// Arrays that a reduction clause names: muster_section_NAME is what the launch reduces into, which is combined into the
// user's array after it.
void declareSections(const Spelling& spelling, const LoopFacts& facts, CodeText& code);
void combineSections(const Spelling& spelling, const LoopFacts& facts, CodeText& code);

}  // namespace muster::plugin
