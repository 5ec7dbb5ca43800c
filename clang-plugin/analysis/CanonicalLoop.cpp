// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/CanonicalLoop.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace muster::plugin {

using namespace clang;

static const Expr* plain(const Expr* expr) { return expr->IgnoreParens()->IgnoreImplicit()->IgnoreParens(); }

static const VarDecl* variableOf(const Expr* expr) {
  if (!expr) return nullptr;
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

static bool readInit(const Stmt* init, DimFact& dim) {
  if (auto* declaration = dyn_cast_or_null<DeclStmt>(init)) {
    if (!declaration->isSingleDecl()) return false;
    dim.var = dyn_cast<VarDecl>(declaration->getSingleDecl());
    if (!dim.var || !dim.var->getInit()) return false;
    dim.lower = dim.var->getInit()->IgnoreImplicit();
    return true;
  }
  auto* expr = dyn_cast_or_null<Expr>(init);
  auto* assignment = expr ? dyn_cast<BinaryOperator>(plain(expr)) : nullptr;
  if (!assignment || assignment->getOpcode() != BO_Assign) return false;
  dim.var = variableOf(assignment->getLHS());
  dim.declaredInLoop = false;
  dim.lower = assignment->getRHS()->IgnoreImplicit();
  return dim.var != nullptr;
}

static bool readCondition(const Expr* condition, DimFact& dim) {
  auto* comparison = condition ? dyn_cast<BinaryOperator>(plain(condition)) : nullptr;
  if (!comparison || !(comparison->isRelationalOp() || comparison->getOpcode() == BO_NE)) return false;
  dim.relation = comparison->getOpcode();
  if (variableOf(comparison->getLHS()) == dim.var) {
    dim.bound = comparison->getRHS()->IgnoreImpCasts();
    return true;
  }
  if (variableOf(comparison->getRHS()) != dim.var) return false;
  dim.bound = comparison->getLHS()->IgnoreImpCasts();
  if (dim.relation != BO_NE) dim.relation = BinaryOperator::reverseComparisonOp(dim.relation);
  return true;
}

static const Expr* stepOrOne(const Expr* step, const ASTContext& context) {
  Expr::EvalResult value;
  if (!step->isValueDependent() && step->EvaluateAsInt(value, context) && value.Val.getInt() == 1) return nullptr;
  return step->IgnoreImpCasts();
}

static bool readIncrement(const Expr* increment, DimFact& dim) {
  if (!increment) return false;
  const ASTContext& context = dim.var->getASTContext();
  increment = plain(increment);
  if (auto* unary = dyn_cast<UnaryOperator>(increment)) {
    if (!unary->isIncrementDecrementOp() || variableOf(unary->getSubExpr()) != dim.var) return false;
    dim.down = unary->isDecrementOp();
    return true;
  }
  auto* binary = dyn_cast<BinaryOperator>(increment);
  if (!binary || variableOf(binary->getLHS()) != dim.var) return false;
  if (binary->getOpcode() == BO_AddAssign || binary->getOpcode() == BO_SubAssign) {
    dim.down = binary->getOpcode() == BO_SubAssign;
    dim.step = stepOrOne(binary->getRHS(), context);
    return true;
  }
  if (binary->getOpcode() != BO_Assign) return false;
  auto* sum = dyn_cast<BinaryOperator>(binary->getRHS()->IgnoreParenImpCasts());
  if (!sum || !sum->isAdditiveOp()) return false;
  dim.down = sum->getOpcode() == BO_Sub;
  const Expr* step = nullptr;
  if (variableOf(sum->getLHS()) == dim.var)
    step = sum->getRHS();
  else if (!dim.down && variableOf(sum->getRHS()) == dim.var)
    step = sum->getLHS();
  if (!step) return false;
  dim.step = stepOrOne(step, context);
  return true;
}

std::optional<DimFact> countedLoop(const ForStmt* loop) {
  DimFact dim;
  dim.loop = loop;
  if (!readInit(loop->getInit(), dim) || loop->getConditionVariable()) return std::nullopt;
  if (!readCondition(loop->getCond(), dim) || !readIncrement(loop->getInc(), dim)) return std::nullopt;
  return dim;
}

std::optional<DimFact> canonicalLoop(const ForStmt* loop) {
  const auto dim = countedLoop(loop);
  if (!dim || !dim->bound->getType()->isIntegerType()) return std::nullopt;
  QualType type = dim->var->getType();
  if (!type->isIntegerType() || type->isBooleanType() || type.isVolatileQualified()) return std::nullopt;
  if (dim->var->getASTContext().getTypeSize(type) > 64) return std::nullopt;
  return dim;
}

const Stmt* onlyStatement(const Stmt* statement) {
  while (auto* compound = dyn_cast_or_null<CompoundStmt>(statement)) {
    const Stmt* only = nullptr;
    for (const Stmt* child : compound->body()) {
      if (isa<NullStmt>(child)) continue;
      if (only) return nullptr;
      only = child;
    }
    statement = only;
  }
  return statement;
}

const ForStmt* onlyLoop(const Stmt* statement) { return dyn_cast_or_null<ForStmt>(onlyStatement(statement)); }

static bool exits(const Stmt* statement, bool breakLeaves) {
  if (!statement) return false;
  if (isa<ReturnStmt>(statement) || isa<GotoStmt>(statement) || isa<CXXThrowExpr>(statement)) return true;
  if (isa<BreakStmt>(statement)) return breakLeaves;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(statement)) breakLeaves = false;
  for (const Stmt* child : statement->children())
    if (exits(child, breakLeaves)) return true;
  return false;
}

bool hasEarlyExit(const Stmt* body) { return exits(body, true); }

}  // namespace muster::plugin
