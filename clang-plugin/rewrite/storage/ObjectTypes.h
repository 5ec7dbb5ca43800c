// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// decltype(a) of an object or array: its storage, if it is managed, and native code declare `a` as a reference, which
// has no members and no extent.
#pragma once

#include <string>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/TypeLoc.h"

namespace muster::plugin {

// What stands for the text of such a type; empty where it stays.
inline std::string objectType(clang::DecltypeTypeLoc type) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(type.getUnderlyingExpr());
  const auto* var = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (!var || reference->hasQualifier() || !(var->getType()->isRecordType() || var->getType()->isArrayType()))
    return "";
  return "::muster::ObjectType<decltype(" + var->getNameAsString() + ")>";
}

}  // namespace muster::plugin
