// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and definitions of variables as those of the IR.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "ir/Statement.h"
#include "lower/expressions/Expressions.h"

namespace muster::plugin::lower {

class Statements : public clang::ConstStmtVisitor<Statements> {
 public:
  Statements(Program& program, Scope& scope) : program_(program), scope_(scope), expressions_(program, scope) {}

  // What `continue` of the loop that the kernel is made from becomes; without it the code is a function's.
  void setOuterContinue(ir::Statement statement) { outerContinue_ = std::move(statement); }

  // How the code is left when the program ends (Ends.cpp).
  void setLeave(std::function<ir::Statement()> statement) { leave_ = std::move(statement); }

  // A statement, braces around a compound one left out.
  void lowerInside(const clang::Stmt* statement);
  void add(ir::Statement statement) { out_.push_back(std::move(statement)); }
  void evaluate(Expression value) { add(ir::evaluate(std::move(value))); }
  void define(const clang::VarDecl* var);
  void define(const clang::VarDecl* var, const clang::Expr* init) { add(definition(var, init)); }
  ir::Statements take() { return std::move(out_); }
  Expression initialiser(const clang::Expr* expr) { return expressions_.initialiser(expr); }

  void VisitStmt(const clang::Stmt* node);
  void VisitExpr(const clang::Expr* expr);
  void VisitNullStmt(const clang::NullStmt*) { add({}); }
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
  void VisitGotoStmt(const clang::GotoStmt* jump) { add(ir::jump("goto " + nameOf(jump->getLabel()))); }
  void VisitBreakStmt(const clang::BreakStmt*) { add(ir::jump("break")); }
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
  ir::Statement definition(const clang::VarDecl* var) { return definition(var, var->getInit()); }
  ir::Statement definition(const clang::VarDecl* var, const clang::Expr* init);
  // What `lower` adds.
  ir::Statements collect(llvm::function_ref<void()> lower);
  ir::Statements inside(const clang::Stmt* statement) {
    return collect([&] { lowerInside(statement); });
  }
  // A block around what `lower` adds, or only that.
  void block(llvm::function_ref<void()> lower) { add({ir::StatementKind::Block, "", {}, {}, {}, collect(lower)}); }
  void blockIf(bool isNeeded, llvm::function_ref<void()> lower) { isNeeded ? block(lower) : lower(); }
  void loopBody(const clang::Stmt* body);
  // Of a loop whose condition may declare a variable, which each step then asks.
  template <class Loop>
  ir::Statements bodyOf(const Loop* loop);
  ir::Statement choice(const clang::IfStmt* statement);
  void labelled(const std::string& label, const clang::Stmt* statement);
  const std::string& nameOf(const clang::LabelDecl* label);
  void noteChoice(unsigned record);
  void leaveUnless(const clang::Expr* condition);
  // Ends.cpp. A statement that ends the program, or calls what may.
  bool lowerEnd(const clang::Expr* expr);
  bool lowerReport(const clang::Expr* bare);
  void endProgram(const clang::CallExpr* call);
  bool lowerEndingAssignment(const clang::BinaryOperator* assignment);
  void addWhatMayEnd(const clang::Expr* call, llvm::function_ref<ir::Statement()> lower);
  // AtomicStatements.cpp. The update of elements of an array that the statement is, or nullptr.
  const UpdateFact* sharedUpdate(const clang::Stmt* statement) const;
  void lowerUpdate(const UpdateFact& update);
  bool lowerAtomicCall(const clang::Expr* expr);
  void lowerOwnUpdate(const UpdateFact& update);
  Expression updateCall(const UpdateFact& update, bool returnsNew);
  Expression volatileObject(const clang::Expr* expr);
  void assign(const clang::Expr* to, const clang::Expr* from, const Expression& value);
  void fence() { evaluate(ir::call("mem_fence", {ir::name("CLK_GLOBAL_MEM_FENCE")})); }
  void capture(const clang::OMPAtomicDirective* directive);

  Program& program_;
  Scope& scope_;
  Expressions expressions_;
  unsigned loops_ = 0;  // loops around the current statement, inside the code
  std::optional<ir::Statement> outerContinue_;
  std::function<ir::Statement()> leave_;
  std::map<const clang::LabelDecl*, std::string> labels_;
  ir::Statements out_;
};

}  // namespace muster::plugin::lower
