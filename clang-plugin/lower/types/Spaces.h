// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address spaces of pointers and references. C++ has none in its types, so they follow from what is assigned: each
// pointer variable of a function gets one space for its whole life, found as a fixed point.
#pragma once

#include <map>
#include <vector>

#include "analysis/objects/Objects.h"
#include "clang/AST/ExprCXX.h"
#include "lower/expressions/CallShapes.h"
#include "lower/types/Types.h"

namespace muster::plugin::lower {

class Program;

class Spaces {
 public:
  explicit Spaces(Program& program) : program_(program) {}

  void set(const clang::VarDecl* var, Space space) { vars_[var->getCanonicalDecl()] = space; }
  void setThis(Space space) { this_ = space; }
  // The objects outside of the loop that the function's names are bound to.
  void setBindings(ObjectBindings bindings) { bindings_ = std::move(bindings); }
  const ObjectBindings& bindings() const { return bindings_; }
  // Finds the spaces of the pointers and references that `code` declares or assigns;
  // besides, those of `given` have these values.
  using Flow = std::pair<const clang::VarDecl*, const clang::Expr*>;
  void infer(const std::vector<const clang::Stmt*>& code, const std::vector<Flow>& given = {});

  // Of a pointer or reference variable: what it points into.
  Space ofVariable(const clang::VarDecl* var) const;
  Space ofThis() const { return this_; }
  const std::map<const clang::VarDecl*, Space>& all() const { return vars_; }
  Space ofObject(const clang::Expr* glvalue) const;   // where the object is
  Space ofPointee(const clang::Expr* pointer) const;  // where the pointer's target is
  // Of each argument of a call, `this` first if there is one: Any for what is neither pointer nor reference.
  std::vector<Space> ofArguments(const CallShape& call) const;

 private:
  Space ofReferred(const clang::VarDecl* var) const;
  Space ofPointerIn(const clang::Expr* glvalue) const;  // the glvalue is a pointer variable: its target
  Space ofCall(const clang::CallExpr* call) const;

  Program& program_;
  std::map<const clang::VarDecl*, Space> vars_;
  Space this_ = Space::Any;
  ObjectBindings bindings_;
};

// The join of what `code` returns, when it returns pointers or references.
Space returnedSpace(const clang::Stmt* code, const Spaces& spaces);

// A member of an object, or an element of an array of pointers, which may be a variable of its own
// (analysis/objects/Objects.h).
bool isMemberText(const clang::Expr* expr);
// The variable of the code, or argument of the kernel, that an expression is; nullptr: something else.
const clang::VarDecl* variableOf(const Program& program, const Spaces& spaces, const clang::Expr* expr);

}  // namespace muster::plugin::lower
