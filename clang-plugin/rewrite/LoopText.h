// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that an outlined loop becomes. Names that it introduces start with muster_; the user's names keep
// their meaning inside the body.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "plan/Plan.h"

namespace muster::plugin {

// Declarators and literals in the source language.
class Spelling {
 public:
  explicit Spelling(const clang::ASTContext& context) : context_(context) {}

  // "const double *u", "double (&a)[4][8]": a declaration of `name`.
  std::string declare(clang::QualType type, const std::string& name) const;
  std::string type(clang::QualType type) const { return declare(type, ""); }
  // The type of a scalar variable, as text that is right in its scope.
  std::string scalarType(const clang::VarDecl* var) const;
  // MUSTER_TYPE_F64.
  std::string typeCode(clang::QualType type) const;
  std::string literal(const std::string& text) const;  // "..." with escapes
  std::string constant(const clang::VarDecl* var) const;

  const clang::ASTContext& context() const { return context_; }

 private:
  const clang::ASTContext& context_;
};

// `static void run(const muster_chunk *)` and the functions that combine results: members of the local struct.
std::string nativeMembers(const Spelling& spelling, const KernelPlan& kernel);

// Descriptors and the call of muster_launch_loop; `structName` holds the native members.
std::string launchText(const Spelling& spelling, const KernelPlan& kernel, const std::string& structName);

// What a reduction starts with.
std::string identityOf(const Spelling& spelling, const ResultFact& result);

}  // namespace muster::plugin
