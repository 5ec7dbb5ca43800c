// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/CanonicalLoop.h"

#include "analysis/loops/SimdLoops.h"
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

// `left OP right`, also of classes.
struct Operation {
  BinaryOperatorKind opcode;
  const Expr *left, *right;
};

static std::optional<Operation> operationOf(const Expr* expr) {
  expr = plain(expr);
  if (auto* binary = dyn_cast<BinaryOperator>(expr))
    return Operation{binary->getOpcode(), binary->getLHS(), binary->getRHS()};
  if (auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expr))
    return Operation{rewritten->getOperator(), rewritten->getLHS(), rewritten->getRHS()};
  auto* call = dyn_cast<CXXOperatorCallExpr>(expr);
  if (!call || call->getNumArgs() != 2 || !call->isInfixBinaryOp()) return std::nullopt;
  return Operation{BinaryOperator::getOverloadedOpcode(call->getOperator()), call->getArg(0), call->getArg(1)};
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
  const auto assignment = expr ? operationOf(expr) : std::nullopt;
  if (!assignment || assignment->opcode != BO_Assign) return false;
  dim.var = variableOf(assignment->left);
  dim.declaredInLoop = false;
  dim.lower = assignment->right->IgnoreImplicit();
  return dim.var != nullptr;
}

static bool readCondition(const Expr* condition, DimFact& dim) {
  const auto comparison = condition ? operationOf(condition) : std::nullopt;
  if (!comparison || !(BinaryOperator::isRelationalOp(comparison->opcode) || comparison->opcode == BO_NE)) return false;
  dim.relation = comparison->opcode;
  if (variableOf(comparison->left) == dim.var) {
    dim.bound = comparison->right->IgnoreImpCasts();
    return true;
  }
  if (variableOf(comparison->right) != dim.var) return false;
  dim.bound = comparison->left->IgnoreImpCasts();
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
  if (auto* call = dyn_cast<CXXOperatorCallExpr>(increment);
      call && (call->getOperator() == OO_PlusPlus || call->getOperator() == OO_MinusMinus)) {
    dim.down = call->getOperator() == OO_MinusMinus;
    return variableOf(call->getArg(0)) == dim.var;
  }
  const auto binary = operationOf(increment);
  if (!binary || variableOf(binary->left) != dim.var) return false;
  if (binary->opcode == BO_AddAssign || binary->opcode == BO_SubAssign) {
    dim.down = binary->opcode == BO_SubAssign;
    dim.step = stepOrOne(binary->right, context);
    return true;
  }
  if (binary->opcode != BO_Assign) return false;
  const auto sum = operationOf(binary->right->IgnoreParenImpCasts());
  if (!sum || !BinaryOperator::isAdditiveOp(sum->opcode)) return false;
  dim.down = sum->opcode == BO_Sub;
  const Expr* step = nullptr;
  if (variableOf(sum->left) == dim.var)
    step = sum->right;
  else if (!dim.down && variableOf(sum->right) == dim.var)
    step = sum->left;
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

const Stmt* withoutTransformations(const Stmt* statement) {
  while (isa_and_nonnull<OMPTileDirective, OMPUnrollDirective>(statement))
    statement = cast<OMPExecutableDirective>(statement)->getRawStmt();
  return statement;
}

static unsigned sizesOf(const OMPTileDirective* tile) {
  for (const OMPClause* clause : tile->clauses())
    if (auto* sizes = dyn_cast<OMPSizesClause>(clause)) return sizes->getNumSizes();
  return 1;
}

bool changesOrder(const OMPTileDirective* tile) { return sizesOf(tile) > 1; }

const Stmt* transformationOf(const OMPLoopDirective* directive) {
  const Stmt* first = directive->getInnermostCapturedStmt()->getCapturedStmt();
  return withoutTransformations(first) == first ? nullptr : first;
}

std::optional<unsigned> loopsInText(const OMPLoopDirective* directive) {
  const Stmt* statement = directive->getInnermostCapturedStmt()->getCapturedStmt();
  unsigned wanted = directive->getLoopsNumber(), count = 0;
  while (wanted > 0) {
    while (auto* compound = dyn_cast_or_null<CompoundStmt>(statement))
      statement = compound->size() == 1 ? compound->body_front() : nullptr;
    // A tile is two loops for each: over the tiles, and behind all of these over what is in one.
    unsigned tiled = 1;
    if (auto* outer = dyn_cast_or_null<OMPExecutableDirective>(statement);
        outer && withoutTransformations(outer) != outer) {
      const Stmt* inner = outer->getRawStmt();
      if (withoutTransformations(inner) != inner && wanted > 1) return std::nullopt;
      auto* tile = dyn_cast<OMPTileDirective>(outer);
      if (tile) tiled = sizesOf(tile);
      if (tile && tiled > wanted + 1) return std::nullopt;
      if (tile && wanted > tiled && wanted < 2 * tiled) return count + tiled;
      if (tile && wanted >= 2 * tiled) wanted -= tiled;
    }
    for (; tiled > 0 && wanted > 0; --tiled, --wanted, ++count) {
      const ForStmt* loop = onlyLoop(statement);
      if (!loop) return count + wanted;
      statement = loop->getBody();
    }
  }
  return count;
}

const Stmt* onlyStatement(const Stmt* statement) {
  statement = withoutTransformations(statement);
  while (auto* compound = dyn_cast_or_null<CompoundStmt>(statement)) {
    const Stmt* only = nullptr;
    for (const Stmt* child : compound->body()) {
      if (isa<NullStmt>(child)) continue;
      if (only) return nullptr;
      only = child;
    }
    statement = withoutTransformations(only);
  }
  return statement;
}

const ForStmt* onlyLoop(const Stmt* statement) { return dyn_cast_or_null<ForStmt>(onlyStatement(statement)); }

static bool exits(const Stmt* statement, bool breakLeaves) {
  if (!statement) return false;
  if (isa<ReturnStmt>(statement) || isa<GotoStmt>(statement) || isa<CXXThrowExpr>(statement)) return true;
  if (isa<BreakStmt>(statement)) return breakLeaves;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(statement)) breakLeaves = false;
  for (const Stmt* child : partsOf(statement))
    if (exits(child, breakLeaves)) return true;
  return false;
}

bool hasEarlyExit(const Stmt* body) { return exits(body, true); }

}  // namespace muster::plugin
