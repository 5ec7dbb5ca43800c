// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives that Muster adds to OpenMP, as the pragma handler saw them, and bound to declarations.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"

namespace muster::plugin {

struct Operand {
  std::string name;
  clang::SourceLocation loc;
};

enum class DirectiveKind { Managed, AllocStart, AllocEnd };

struct Directive {
  DirectiveKind kind = DirectiveKind::Managed;
  clang::SourceLocation loc;  // of the '#'
  clang::SourceLocation end;  // behind the last token
  std::vector<Operand> operands;
};

// A managed operand and the declaration that it names.
struct ManagedVar {
  const clang::VarDecl *var = nullptr;
  clang::SourceLocation loc;                     // of the operand
  const clang::Expr *assignedAllocation = nullptr;  // `#pragma omp managed(u)` before `u = new T[n];`
};

struct DirectiveTable {
  std::vector<Directive> directives;
  std::vector<ManagedVar> managed;
};

}  // namespace muster::plugin
