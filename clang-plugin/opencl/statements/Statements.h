// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and definitions of variables as OpenCL C.
#pragma once

#include <functional>
#include <string>

#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "opencl/expressions/Expressions.h"

namespace muster::plugin::opencl {

class Statements : public clang::ConstStmtVisitor<Statements> {
 public:
  Statements(Program& program, Scope& scope, unsigned depth)
      : program_(program), scope_(scope), expressions_(program, scope), depth_(depth) {}

  // What `continue` of the loop that the kernel is made from becomes; without it the code is a function's.
  void setOuterContinue(std::string text) { outerContinue_ = std::move(text); }

  // How the code is left when the program ends (Ends.cpp).
  void setLeave(std::function<std::string()> text) { leave_ = std::move(text); }

  // A statement, braces around a compound one left out.
  void printInside(const clang::Stmt* statement);
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void define(const clang::VarDecl* var);
  void define(const clang::VarDecl* var, const clang::Expr* init) { line(definition(var, init) + ";"); }
  const std::string& text() const { return out_; }
  std::string initialiser(const clang::Expr* expr) { return expressions_.initialiser(expr); }

  void VisitStmt(const clang::Stmt* node);
  void VisitExpr(const clang::Expr* expr);
  void VisitNullStmt(const clang::NullStmt*) { line(";"); }
  void VisitCompoundStmt(const clang::CompoundStmt* block);
  void VisitDeclStmt(const clang::DeclStmt* statement);
  void VisitAttributedStmt(const clang::AttributedStmt* statement) { Visit(statement->getSubStmt()); }
  void VisitIfStmt(const clang::IfStmt* statement);
  void VisitForStmt(const clang::ForStmt* loop);
  void VisitWhileStmt(const clang::WhileStmt* loop);
  void VisitDoStmt(const clang::DoStmt* loop);
  void VisitCXXForRangeStmt(const clang::CXXForRangeStmt* loop);
  void VisitSwitchStmt(const clang::SwitchStmt* statement);
  void VisitCaseStmt(const clang::CaseStmt* label);
  void VisitDefaultStmt(const clang::DefaultStmt* label);
  void VisitLabelStmt(const clang::LabelStmt* label) { labelled(nameOf(label->getDecl()), label->getSubStmt()); }
  void VisitGotoStmt(const clang::GotoStmt* jump) { line("goto " + nameOf(jump->getLabel()) + ";"); }
  void VisitBreakStmt(const clang::BreakStmt*) { line("break;"); }
  void VisitContinueStmt(const clang::ContinueStmt* statement);
  void VisitReturnStmt(const clang::ReturnStmt* statement);
  void VisitOMPSimdDirective(const clang::OMPSimdDirective* directive);
  void VisitOMPTileDirective(const clang::OMPTileDirective* directive);
  void VisitOMPUnrollDirective(const clang::OMPUnrollDirective* directive) { Visit(directive->getRawStmt()); }
  void VisitOMPFlushDirective(const clang::OMPFlushDirective*) {}  // no other iteration may wait for it
  // AtomicStatements.cpp
  void VisitOMPAtomicDirective(const clang::OMPAtomicDirective* directive);
  void VisitOMPCriticalDirective(const clang::OMPCriticalDirective* directive);

 private:
  void refuse(const clang::Stmt* node, const llvm::Twine& what) { program_.refusals.add(node->getBeginLoc(), what); }
  std::string definition(const clang::VarDecl* var) { return definition(var, var->getInit()); }
  std::string definition(const clang::VarDecl* var, const clang::Expr* init);
  void open(const std::string& head);
  void close(const std::string& tail = "");
  void loopBody(const clang::Stmt* body);
  void elseBranch(const clang::Stmt* statement);
  void labelled(const std::string& label, const clang::Stmt* statement);
  const std::string& nameOf(const clang::LabelDecl* label);
  void noteChoice(unsigned record);
  void leaveUnless(const clang::Expr* condition);
  // Ends.cpp. Prints a statement that ends the program, or calls what may.
  bool printEnd(const clang::Expr* expr);
  bool printReport(const clang::Expr* bare);
  void endProgram(const clang::CallExpr* call);
  bool printEndingAssignment(const clang::BinaryOperator* assignment);
  void lineThatMayEnd(const clang::Expr* call, const std::function<std::string()>& text);
  // AtomicStatements.cpp. The update of elements of an array that the statement is, or nullptr.
  const UpdateFact* sharedUpdate(const clang::Stmt* statement) const;
  void printUpdate(const UpdateFact& update);
  bool printAtomicCall(const clang::Expr* expr);
  void printOwnUpdate(const UpdateFact& update);
  std::string updateCall(const UpdateFact& update, bool returnsNew);
  std::string volatileObject(const clang::Expr* expr);
  void assign(const clang::Expr* to, const clang::Expr* from, const std::string& value);
  void capture(const clang::OMPAtomicDirective* directive);

  Program& program_;
  Scope& scope_;
  Expressions expressions_;
  unsigned depth_;
  unsigned loops_ = 0;  // loops around the current statement, inside the code
  std::string outerContinue_;
  std::function<std::string()> leave_;
  std::map<const clang::LabelDecl*, std::string> labels_;
  std::string out_;
};

}  // namespace muster::plugin::opencl
