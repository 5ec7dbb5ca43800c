// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/LinearVariables.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/loops/MadeExpressions.h"
#include "clang/Basic/OpenMPKinds.h"
#include "muster/abi.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static const VarDecl* localNamed(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && var->hasLocalStorage() && var->getType()->isIntegerType() && !var->getType().isVolatileQualified()
             ? var
             : nullptr;
}

static std::optional<std::int64_t> constantOf(const ASTContext& ast, const Expr* expr) {
  Expr::EvalResult value;
  if (!expr) return 1;
  if (!expr->EvaluateAsInt(value, ast) || !value.Val.getInt().isRepresentableByInt64()) return std::nullopt;
  return value.Val.getInt().getExtValue();
}

// How much the variable's value changes where that of the loop's variable changes by one. False: it is no simple
// number.
static bool readFactor(const LoopContext& context, const Expr* step, LinearFact& linear) {
  constexpr std::int64_t most = INT32_MAX;
  const DimFact& dim = context.facts.dims.front();
  const auto number = constantOf(context.ast, step), stride = constantOf(context.ast, dim.step);
  if (!stride || *stride == 0) return false;
  const std::int64_t signedStride = dim.down ? -*stride : *stride;
  if (number) {
    linear.factor = *number / signedStride;
    return *number % signedStride == 0 && std::abs(linear.factor) <= most;
  }
  // Clang 19 takes a step of 0 in constructs that make the team, too: the plain loop.
  if (isOpenMPParallelDirective(context.facts.directive->getDirectiveKind())) return false;
  linear.times = localNamed(step);
  linear.factor = signedStride;
  return std::abs(signedStride) == 1 && linear.times && !context.changed.count(linear.times) &&
         !context.roles.count(linear.times);
}

// start + factor * times * (the loop's variable)
static const Expr* makeValueOf(const ASTContext& ast, const LinearFact& linear, const DimFact& dim) {
  const QualType wide = linear.start->getType();
  const Expr* product = madeCast(ast, madeValue(ast, dim.var), wide);
  if (linear.times) product = madeSum(ast, product, madeCast(ast, madeValue(ast, linear.times), wide), BO_Mul);
  if (std::abs(linear.factor) != 1)
    product = madeSum(ast, product, madeNumber(ast, std::abs(linear.factor), wide), BO_Mul);
  const Expr* sum = madeSum(ast, madeValue(ast, linear.start), product, linear.factor < 0 ? BO_Sub : BO_Add);
  return madeCast(ast, sum, linear.var->getType().getUnqualifiedType());
}

static bool addLinear(LoopContext& context, const VarDecl* var, const Expr* step) {
  LoopFacts& facts = context.facts;
  const DimFact& dim = facts.dims.front();
  LinearFact linear{.var = var};
  if (!var || facts.collapsed > 1 || dim.pointer || context.roles.count(var) || !readFactor(context, step, linear))
    return false;
  const SourceLocation loc = facts.function->getBody()->getBeginLoc();
  linear.start = VarDecl::Create(context.ast, const_cast<FunctionDecl*>(facts.function), loc, loc,
                                 &context.ast.Idents.get("muster_start_" + var->getNameAsString()),
                                 compat::pointerDifference(context.ast), nullptr, SC_None);
  linear.value = makeValueOf(context.ast, linear, dim);
  facts.linears.push_back(linear);
  context.roles[var] = Role::Private;
  facts.results.push_back({var, MUSTER_LASTPRIVATE});
  return true;
}

bool readLinear(LoopContext& context, const OMPLinearClause* clause) {
  for (const Expr* item : compat::items(clause)) {
    auto* reference = dyn_cast<DeclRefExpr>(item->IgnoreParenImpCasts());
    const auto role = context.roles.find(reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr);
    // A loop's own variable is linear by itself.
    if (role != context.roles.end() && role->second == Role::Loop) continue;
    if (!addLinear(context, localNamed(item), clause->getStep() ? clauseValue(clause->getStep()) : nullptr))
      return context.refuse(clause->getBeginLoc(), say::LinearOfAnotherVariable);
  }
  return true;
}

}  // namespace muster::plugin
