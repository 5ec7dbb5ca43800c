// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variable that a loop refers to is for its launch: an array, a value, or a constant that every rank has.
#pragma once

#include "analysis/facts/Context.h"
#include "analysis/objects/Objects.h"

namespace muster::plugin {

// Adds variables to the facts of a loop. False: refused.
class Parameters {
 public:
  explicit Parameters(LoopContext& context) : context_(context) {}

  bool addFromBody(const clang::DeclRefExpr* reference, const clang::VarDecl* var);
  bool addFromCallee(const clang::DeclRefExpr* reference, const clang::VarDecl* var, const clang::FunctionDecl* callee);
  // A table of rows, of which elements of its rows are used. `byPointers`: the user's text, or a function that it
  // calls, reads the rows' pointers.
  bool addTable(clang::SourceLocation loc, const clang::VarDecl* var, bool byPointers);
  // A table that is used for something else than its rows.
  bool useAsTable(clang::SourceLocation loc, const clang::VarDecl* var);
  // A member of an object outside of the loop.
  bool addMember(clang::SourceLocation loc, const clang::VarDecl* var);
  // An object that is used as a whole: copied, or given to a function by value. A copy of it travels with the launch.
  bool addObject(clang::SourceLocation loc, const clang::VarDecl* var);
  // Tables and constants, which are no parameters. nullopt: something else.
  std::optional<Role> constantRole(const clang::VarDecl* var) const;

 private:
  bool addArray(clang::SourceLocation loc, const clang::VarDecl* var);
  bool addAddresses(const clang::VarDecl* var);
  void addRowLength(ArrayFact& fact);
  void addRowPointers(ArrayFact& fact);
  bool refuseTable(clang::SourceLocation loc, const clang::VarDecl* var);
  bool addStarts(clang::SourceLocation loc, ArrayFact table);
  bool isTable(const clang::VarDecl* var) const;
  void addIndexes(const ObjectPath& path);
  bool checkMember(clang::SourceLocation loc, const clang::VarDecl* var);
  bool addWholeFromCallee(clang::SourceLocation loc, const clang::VarDecl* var);
  void addConstant(const clang::VarDecl* var, Role role);

  LoopContext& context_;
};

}  // namespace muster::plugin
