// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives that Muster adds to OpenMP, as the pragma handler saw them, and bound to declarations.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"
#include "source/UserFiles.h"

namespace muster::plugin {

struct Operand {
  std::string name;  // as written, without blanks: "u", "grid->u", "this->rho", "*out", "(*A)->x"
  clang::SourceLocation loc;
};

enum class DirectiveKind { Managed, AllocStart, AllocEnd };

struct Directive {
  DirectiveKind kind = DirectiveKind::Managed;
  clang::SourceLocation loc;  // of the '#'
  clang::SourceLocation end;  // behind the last token
  std::vector<Operand> operands;
};

// What an allocation gives: the array's elements, a table of pointers to rows, or one row of the array (of a table).
enum class ArrayPart { Elements, Table, Row };

// A managed operand and the variable or member that it names. A pointer has one entry for each allocation that the file
// assigns to it, also if the directive stands before its declaration.
struct ManagedVar {
  const clang::VarDecl* var = nullptr;              // nullptr for a member
  clang::SourceLocation loc;                        // of the operand
  const clang::Expr* assignedAllocation = nullptr;  // for pointers: what gives the memory (pragma/Allocation.h)
  const clang::FieldDecl* field = nullptr;          // nullptr for a variable
  const clang::Expr* assignedValue = nullptr;       // of the allocation: all of what is assigned, as it was written
  std::string name;  // for people: of the variable or member, or "*p", "p[0]" if it only leads to the array's pointer
  clang::QualType type;  // of what the operand names
  ArrayPart part = ArrayPart::Elements;
  const clang::Expr* rowPlace = nullptr;  // of a row: what its pointer is assigned to

  const clang::DeclaratorDecl* decl() const {
    return var ? static_cast<const clang::DeclaratorDecl*>(var) : static_cast<const clang::DeclaratorDecl*>(field);
  }
};

struct DirectiveTable {
  std::vector<Directive> directives;
  std::vector<ManagedVar> managed;
  // Directives and operands whose rewritten text did not compile, in a run of the stages before this one.
  std::set<TextPlace> leftOut;
  SkippedText skipped;

  bool isLeftOut(const clang::SourceManager& sources, clang::SourceLocation loc) const {
    const auto place = leftOut.empty() ? std::nullopt : textPlace(sources, loc);
    return place && leftOut.count(*place) != 0;
  }
};

// The declarations that managed operands name; reports unknown names and unmanageable types as errors.
void bindDirectives(clang::ASTContext& context, DirectiveTable& table);
void printDirectives(const DirectiveTable& table, const clang::SourceManager& sources, llvm::raw_ostream& out);

}  // namespace muster::plugin
