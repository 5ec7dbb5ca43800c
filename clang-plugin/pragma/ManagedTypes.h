// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables and members can be managed arrays, and in which form.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

// Embedded: a member that is an array or a std::array, among what else its object holds.
enum class ManagedForm { Pointer, Array, Vector, UniquePointer, Rows, Embedded };

struct Manageability {
  enum Verdict {
    Yes,
    NotYet,  // a right directive on something that stays a plain array: a remark
    No       // a wrong directive: an error
  };
  Verdict verdict = Yes;
  ManagedForm form = ManagedForm::Pointer;
  std::string reason;  // for NotYet and No: "its type 'int' is ..."
};

// Where a directive stands, and what its operand names.
enum class OperandPlace {
  Declaration,  // of `decl`
  Assignment,   // to `decl`
  Behind        // an assignment to what `decl` only leads to, `*decl` or `decl[i]`, of type `type`
};
Manageability manageability(const clang::ASTContext& context, const clang::DeclaratorDecl& decl, clang::QualType type,
                            OperandPlace place);

}  // namespace muster::plugin
