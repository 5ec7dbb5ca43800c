// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows one variable through code in the order in which it runs.
#pragma once

#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

class VariableFlow {
 public:
  // `from`: only what comes after this statement counts, to which all earlier assignments are lost.
  explicit VariableFlow(const clang::VarDecl* var, const clang::Stmt* from = nullptr)
      : var_(var), from_(from), active_(from == nullptr) {}

  // Objects that refer to it: who uses them may use its value.
  void alsoThrough(const std::vector<const clang::VarDecl*>& objects) { objects_ = objects; }
  void run(const clang::Stmt* code) { visit(code); }
  // Whether its value may be used before the code assigns one.
  bool isExposed() const { return exposed_; }
  // Whether the code surely assigns a value, also where it ends by `continue`.
  bool isAssigned() const { return assigned_ && assignedAtEnds_; }

 private:
  void visit(const clang::Stmt* statement);
  void visitChildren(const clang::Stmt* statement);
  void visitExpression(const clang::Expr* expr);
  void visitDeclaration(const clang::DeclStmt* statement);
  void visitIf(const clang::IfStmt* statement);
  void visitFor(const clang::ForStmt* loop);
  void visitDo(const clang::DoStmt* loop);
  void visitOtherLoop(const clang::Stmt* loop);
  void visitSwitch(const clang::SwitchStmt* statement);
  void visitJump(const clang::Stmt* jump);
  void visitDirective(const clang::OMPExecutableDirective* directive);
  // Runs `part` as code that may not happen; several times, to see what the end of a loop gives to its start.
  template <class Part>
  void maybe(Part part, int times = 1);
  bool isVariable(const clang::Expr* expr) const;
  bool setsWhole(const clang::CallExpr* call) const;

  const clang::VarDecl* var_;
  const clang::Stmt* from_;
  std::vector<const clang::VarDecl*> objects_ = {};
  bool active_;
  bool assigned_ = false, assignedAtEnds_ = true, assignedAtSwitch_ = false;
  bool exposed_ = false;
  unsigned depth_ = 0;  // loops around
  unsigned losses_ = 0;
};

}  // namespace muster::plugin
