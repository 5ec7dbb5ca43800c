// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code outside of worksharing loops, which each thread of a team runs, writes to variables of the thread's
// own.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/teams/TeamVariables.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

// Members on the way to a part of an object, from the outermost one.
using MemberPath = std::vector<const clang::FieldDecl*>;

// A variable, or what it points to, or *this, or a part of one of them. Elements are not told apart.
struct OwnPlace {
  const clang::VarDecl* var = nullptr;
  bool isObject = false;  // *this
  MemberPath path = {};
  bool leadsOn = false;  // to where a pointer or a reference leads that is a part of it: that may be anywhere
  bool isKnown() const { return var || isObject; }
};

struct OwnWrite {
  enum Kind {
    Assigned,
    Updated,  // by `opcode`
    Given,    // to a function that may write it
    SameAs,   // what writes `other`, a pointer, writes it, too
    Unknown
  };
  Kind kind = Unknown;
  clang::SourceLocation loc;
  MemberPath path = {};
  const clang::Expr* value = nullptr;  // nullptr: 1
  clang::BinaryOperatorKind opcode = clang::BO_Assign;
  const clang::FunctionDecl* function = nullptr;  // of Given: its definition
  const clang::ParmVarDecl* parameter = nullptr;  // nullptr: it is called on it
  const clang::Expr* call = nullptr;
  const clang::VarDecl* other = nullptr;
};

// Below parentheses, conversions and temporaries.
const clang::Expr* bareValue(const clang::Expr* expr);
// The argument for a parameter of a function, or the object that it is called on; nullptr: unknown.
const clang::Expr* givenTo(const clang::Expr* call, const clang::FunctionDecl* function,
                           const clang::ParmVarDecl* parameter);

// Visits what all threads run: no worksharing constructs, and nothing that one of them does alone.
class ByAllVisitor : public AstVisitor {
 public:
  explicit ByAllVisitor(const std::set<const clang::Stmt*>& once) : once_(once) {}
  bool TraverseStmt(clang::Stmt* statement) override;
  virtual void sharedOut(const clang::OMPExecutableDirective* /*directive*/) {}

 private:
  const std::set<const clang::Stmt*>& once_;
};

class OwnWrites {
 public:
  OwnWrites(const clang::ASTContext& ast, const TeamScope& scope);
  // Of all code of a function but `leftOut`, loops among it.
  OwnWrites(const clang::ASTContext& ast, const TeamScope& function, const clang::Stmt* leftOut);

  OwnPlace placeOf(const clang::Expr* expr) const;
  // Of a thread's variable, or of what it points to; nullptr: of *this.
  const std::vector<OwnWrite>& of(const clang::VarDecl* var) const;
  const std::vector<const clang::OMPLoopDirective*>& loops() const { return loops_; }
  const std::set<const clang::Stmt*>& once() const { return once_; }
  // Whether it depends on what a thread's iterations are.
  bool dependsOnLoops(const clang::Expr* expr) const;
  // Whether the value depends on the variable, perhaps through others that all threads assign.
  bool dependsOn(const clang::Expr* value, const clang::VarDecl* var) const;

 private:
  friend class OwnWriteFinder;
  OwnPlace behind(const clang::Expr* pointer) const;
  void followLoops();
  // Adds those whose values come from these.
  void addFollowing(std::set<const clang::VarDecl*>& vars) const;

  const TeamScope& scope_;
  std::set<const clang::Stmt*> once_;
  std::map<const clang::VarDecl*, std::vector<OwnWrite>> writes_;
  std::map<const clang::VarDecl*, std::vector<const clang::Expr*>> shared_;  // values of variables of all threads
  std::map<const clang::VarDecl*, const clang::Expr*> named_;  // references, and the range of a loop over it
  std::vector<const clang::OMPLoopDirective*> loops_;
  std::set<const clang::VarDecl*> inLoops_;
};

}  // namespace muster::plugin
