// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/VariableFlow.h"
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "source/Compat.h"

#include "clang/AST/OpenMPClause.h"

namespace muster::plugin {

using namespace clang;

bool VariableFlow::isVariable(const Expr* expr) const {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParens());
  return reference && reference->getDecl() == var_;
}

// Classes: copies and moves that are trivial, and what gives a generator of random numbers the state of a new one
// (C++20 [rand.req.eng]).
bool VariableFlow::setsWhole(const CallExpr* call) const {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  const Expr* object = method && method->isInstance() ? objectOf(call) : nullptr;
  if (!object || !isVariable(object)) return false;
  if (method->isTrivial() && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) return true;
  const CXXRecordDecl* record = method->getParent();
  return record->isInStdNamespace() && record->getIdentifier() && record->getName().ends_with("_engine") &&
         method->getIdentifier() && method->getName() == "seed";
}

template <class Part>
void VariableFlow::maybe(Part part, int times) {
  const bool before = assigned_;
  const unsigned losses = losses_;
  for (int i = 0; i < times; ++i) {
    part();
    assigned_ = before && losses_ == losses;
  }
}

void VariableFlow::visit(const Stmt* statement) {
  if (!statement) return;
  if (statement == from_) {
    active_ = true;
    assigned_ = false;
    ++losses_;
  } else if (auto* expr = dyn_cast<Expr>(statement)) {
    visitExpression(expr);
  } else if (auto* declaration = dyn_cast<DeclStmt>(statement)) {
    visitDeclaration(declaration);
  } else if (auto* condition = dyn_cast<IfStmt>(statement)) {
    visitIf(condition);
  } else if (auto* loop = dyn_cast<ForStmt>(statement)) {
    visitFor(loop);
  } else if (auto* loop = dyn_cast<DoStmt>(statement)) {
    visitDo(loop);
  } else if (isa<WhileStmt, CXXForRangeStmt>(statement)) {
    visitOtherLoop(statement);
  } else if (auto* choice = dyn_cast<SwitchStmt>(statement)) {
    visitSwitch(choice);
  } else if (auto* label = dyn_cast<SwitchCase>(statement)) {
    assigned_ = assigned_ && assignedAtSwitch_;
    visit(label->getSubStmt());
  } else if (isa<ContinueStmt, BreakStmt, ReturnStmt>(statement)) {
    visitJump(statement);
  } else if (auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
    visitDirective(directive);
  } else if (isa<GotoStmt, IndirectGotoStmt, LabelStmt, AsmStmt, CXXTryStmt>(statement)) {
    exposed_ = true;  // in an order that is not followed
  } else {
    visitChildren(statement);
  }
}

void VariableFlow::visitChildren(const Stmt* statement) {
  for (const Stmt* child : statement->children()) visit(child);
}

void VariableFlow::visitExpression(const Expr* expr) {
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    const bool isUse = reference->getDecl() == var_ || llvm::is_contained(objects_, reference->getDecl());
    exposed_ |= isUse && active_ && !assigned_;
  } else if (auto* op = dyn_cast<BinaryOperator>(expr); op && op->isLogicalOp()) {
    visit(op->getLHS());
    maybe([&] { visit(op->getRHS()); });
  } else if (op && op->getOpcode() == BO_Assign) {
    visit(op->getRHS());
    if (isVariable(op->getLHS()))
      assigned_ = true;
    else
      visit(op->getLHS());
  } else if (auto* call = dyn_cast<CallExpr>(expr); call && setsWhole(call)) {
    for (const Expr* argument : argumentsOf(call)) visit(argument);
    assigned_ = true;
  } else if (auto* choice = dyn_cast<BinaryConditionalOperator>(expr)) {
    visit(choice->getCommon());
    maybe([&] { visit(choice->getFalseExpr()); });
  } else if (auto* choice = dyn_cast<ConditionalOperator>(expr)) {
    visit(choice->getCond());
    maybe([&] { visit(choice->getTrueExpr()); });
    maybe([&] { visit(choice->getFalseExpr()); });
  } else if (isa<LambdaExpr, BlockExpr>(expr)) {
    exposed_ |= mentions(expr, {var_});
  } else if (!isa<UnaryExprOrTypeTraitExpr>(expr)) {
    visitChildren(expr);
  }
}

void VariableFlow::visitDeclaration(const DeclStmt* statement) {
  for (const Decl* decl : statement->decls()) {
    auto* var = dyn_cast<VarDecl>(decl);
    if (!var) continue;
    visit(var->getInit());
    assigned_ |= var == var_;  // a new one each time
  }
}

void VariableFlow::visitIf(const IfStmt* statement) {
  visit(statement->getInit());
  visit(statement->getConditionVariableDeclStmt());
  visit(statement->getCond());
  const bool before = assigned_;
  visit(statement->getThen());
  const bool afterThen = assigned_;
  const unsigned losses = losses_;
  assigned_ = before;
  visit(statement->getElse());
  assigned_ = assigned_ && afterThen && losses_ == losses;
}

void VariableFlow::visitFor(const ForStmt* loop) {
  visit(loop->getInit());
  visit(loop->getCond());
  ++depth_;
  maybe(
      [&] {
        visit(loop->getCond());
        maybe([&] { visit(loop->getBody()); });
        visit(loop->getInc());
      },
      2);
  --depth_;
}

void VariableFlow::visitDo(const DoStmt* loop) {
  ++depth_;
  maybe(
      [&] {
        visit(loop->getBody());
        visit(loop->getCond());
      },
      2);
  --depth_;
}

void VariableFlow::visitOtherLoop(const Stmt* loop) {
  ++depth_;
  maybe([&] { visitChildren(loop); }, 2);
  --depth_;
}

void VariableFlow::visitSwitch(const SwitchStmt* statement) {
  visit(statement->getInit());
  visit(statement->getConditionVariableDeclStmt());
  visit(statement->getCond());
  const bool outer = assignedAtSwitch_;
  assignedAtSwitch_ = assigned_;
  maybe([&] { visit(statement->getBody()); });
  assignedAtSwitch_ = outer;
}

// What comes behind is not reached this way.
void VariableFlow::visitJump(const Stmt* jump) {
  visitChildren(jump);
  if (depth_ == 0 || isa<ReturnStmt>(jump)) assignedAtEnds_ = assignedAtEnds_ && assigned_;
  assigned_ = true;
}

template <class Clause>
static bool namesIn(const Clause* clause, const VarDecl* var) {
  return llvm::any_of(compat::items(clause), [&](const Expr* expr) { return mentions(expr, {var}); });
}

void VariableFlow::visitDirective(const OMPExecutableDirective* directive) {
  for (const OMPClause* clause : directive->clauses()) {
    if (auto* own = dyn_cast<OMPPrivateClause>(clause); own && namesIn(own, var_)) return;
    if (isa<OMPPrivateClause, OMPLastprivateClause>(clause)) continue;
    for (const Stmt* value : const_cast<OMPClause*>(clause)->children())
      exposed_ |= active_ && !assigned_ && mentions(value, {var_});
  }
  if (!directive->hasAssociatedStmt()) return;
  const Stmt* code = directive->getRawStmt();
  if (auto* loops = dyn_cast<OMPLoopDirective>(directive)) {
    for (const Expr* counter : loops->counters())
      if (isVariable(counter)) return;  // private there
    maybe([&] { visit(code); });
  } else {
    visit(code);
  }
}

}  // namespace muster::plugin
