// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that loop variables take, and what is known about the size of forms.
#include "analysis/BodyWalker.h"
#include "analysis/SourceText.h"

namespace muster::plugin {

using namespace clang;

static std::optional<std::int64_t> constantOf(const ASTContext& ast, const Expr* expr) {
  Expr::EvalResult result;
  if (!expr || !expr->EvaluateAsInt(result, ast) || !result.Val.getInt().isRepresentableByInt64()) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

// +1 or -1 for the direction in which the loop counts, 0 if relation and step do not fit together.
static int direction(const ASTContext& ast, const DimFact& dim, std::int64_t& magnitude) {
  magnitude = 1;
  bool down = dim.down;
  if (dim.step) {
    auto step = constantOf(ast, dim.step);
    magnitude = step ? std::abs(*step) : 0;  // 0: not known
    if (step && *step < 0) down = !down;
    if (!step && dim.relation != BO_NE) down = dim.relation == BO_GT || dim.relation == BO_GE;
  }
  if (dim.relation == BO_NE) return magnitude == 1 ? (down ? -1 : 1) : 0;
  const bool upwards = dim.relation == BO_LT || dim.relation == BO_LE;
  return upwards == down ? 0 : (down ? -1 : 1);
}

// `min(a, b)` (for an upper bound) or `max(a, b)`, also as a conditional expression.
static bool isExtremum(const ASTContext& ast, const Expr* expr, bool minimum) {
  expr = expr->IgnoreParenImpCasts();
  if (auto* call = dyn_cast<CallExpr>(expr)) {
    const FunctionDecl* function = call->getDirectCallee();
    return function && isMaths(function) && function->getName() == (minimum ? "min" : "max") && call->getNumArgs() == 2;
  }
  auto* conditional = dyn_cast<ConditionalOperator>(expr);
  auto* test = conditional ? dyn_cast<BinaryOperator>(conditional->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!test || !test->isRelationalOp()) return false;
  const bool less = test->getOpcode() == BO_LT || test->getOpcode() == BO_LE;
  auto text = [&](const Expr* part) { return sourceText(ast, part->IgnoreParenImpCasts()); };
  const std::string left = text(test->getLHS()), right = text(test->getRHS());
  const std::string yes = text(conditional->getTrueExpr()), no = text(conditional->getFalseExpr());
  if (yes == left && no == right) return less == minimum;
  return yes == right && no == left && less != minimum;
}

std::optional<AffineExpr> BodyWalker::boundForm(const Expr* expr, bool upper, bool& exact) {
  Value value = valueOf(expr);
  if (value.forms.empty()) return std::nullopt;
  AffineExpr form = value.forms.front();
  if (value.forms.size() > 1) {
    if (!isExtremum(context_.ast, expr, upper)) return std::nullopt;
    exact = false;
    for (const AffineExpr& alternative : value.forms)
      if (!alternative.factors.empty()) form = alternative;  // the end of a tile, not that of the array
  }
  // A bound is compared as a number: a difference that wrapped would be a huge one.
  auto low = rangeOf(form).first;
  if (expr->getType()->isUnsignedIntegerType() && (!low || *low < 0)) {
    if (isInvariant(context_, expr) && frames_.empty()) return symbolOf(expr);
    guard(form, 0, INT64_MAX);
  }
  return form;
}

LoopVariable BodyWalker::boundsOf(const DimFact& dim) {
  LoopVariable variable;
  variable.var = dim.var;
  variable.loop = dim.loop;
  std::int64_t magnitude = 1;
  const int counts = direction(context_.ast, dim, magnitude);
  if (dim.step) evaluate(dim.step);
  bool exact = magnitude == 1;
  auto lower = boundForm(dim.lower, counts < 0, exact);
  auto bound = boundForm(dim.bound, counts > 0, exact);
  const bool inclusive = dim.relation == BO_LE || dim.relation == BO_GE;
  if (counts == 0 || !lower || !bound) return variable;
  auto last = inclusive ? bound : add(*bound, constantForm(-counts));
  if (!last) return variable;
  variable.smallest = counts > 0 ? *lower : *last;
  variable.largest = counts > 0 ? *last : *lower;
  // The variable itself has to hold what its bounds say.
  const unsigned bits = context_.ast.getTypeSize(dim.var->getType());
  auto [smallestMinimum, smallestMaximum] = rangeOf(variable.smallest);
  auto [largestMinimum, largestMaximum] = rangeOf(variable.largest);
  const bool notNegative = smallestMinimum && *smallestMinimum >= 0;
  if (dim.var->getType()->isUnsignedIntegerType() && !notNegative && bits < 64) guard(variable.smallest, 0, INT64_MAX);
  // A signed variable is compared as an unsigned number with an unsigned bound: not all values need to occur.
  if (dim.bound->getType()->isUnsignedIntegerType() && !dim.var->getType()->isUnsignedIntegerType() && !notNegative)
    exact = false;
  variable.bounded = true;
  variable.exact = exact;
  variable.minimum = smallestMinimum;
  variable.maximum = largestMaximum;
  variable.strictlyBelow = counts > 0 && !inclusive;
  variable.surelyRuns = smallestMaximum && largestMinimum && *smallestMaximum <= *largestMinimum;
  return variable;
}

void BodyWalker::addDirectiveLoop(const DimFact& dim) {
  LoopVariable variable;
  variable.var = dim.var;
  variable.loop = dim.loop;
  std::int64_t magnitude = 1;
  const int counts = direction(context_.ast, dim, magnitude);
  const auto lower = constantOf(context_.ast, dim.lower);
  const auto bound = constantOf(context_.ast, dim.bound);
  if (counts > 0) variable.minimum = lower;
  if (counts > 0 && bound) variable.maximum = bound;
  if (counts < 0 && bound) variable.minimum = bound;
  if (counts < 0) variable.maximum = lower;
  if (!variable.minimum && dim.var->getType()->isUnsignedIntegerType()) variable.minimum = 0;
  variable.bounded = variable.exact = variable.surelyRuns = true;
  variable.strictlyBelow = counts > 0 && (dim.relation == BO_LT || dim.relation == BO_NE);
  state_.values[dim.var] = Value::of(variableForm(context_.variables.size()));
  context_.variables.push_back(variable);
}

std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>> BodyWalker::rangeOf(const AffineExpr& form) const {
  std::optional<std::int64_t> low = 0, high = 0;
  auto addTo = [](std::optional<std::int64_t>& sum, std::optional<std::int64_t> value, std::int64_t factor) {
    std::int64_t product = 0;
    if (!sum || !value || __builtin_mul_overflow(*value, factor, &product) ||
        __builtin_add_overflow(*sum, product, &*sum))
      sum = std::nullopt;
  };
  auto addRange = [&](std::optional<std::int64_t> least, std::optional<std::int64_t> most, std::int64_t factor) {
    addTo(low, factor < 0 ? most : least, factor);
    addTo(high, factor < 0 ? least : most, factor);
  };
  for (const auto& [variable, factor] : form.factors) {
    auto constant = constantValue(factor);
    if (!constant) return {std::nullopt, std::nullopt};
    const LoopVariable& loop = context_.variables[variable];
    addRange(loop.minimum, loop.maximum, *constant);
  }
  for (const auto& [monomial, coefficient] : form.constant) {
    if (monomial.empty()) {
      addRange(1, 1, coefficient);
      continue;
    }
    bool positive = true;
    for (unsigned symbol : monomial)
      positive &= context_.facts.symbols[symbol].expr->getType()->isUnsignedIntegerType();
    addRange(positive ? std::optional<std::int64_t>(0) : std::nullopt, std::nullopt, coefficient);
  }
  return {low, high};
}

void BodyWalker::guard(AffineExpr& form, std::int64_t low, std::int64_t high) {
  auto& guards = context_.facts.guards;
  for (unsigned i = 0; i < guards.size(); ++i)
    if (guards[i].low == low && guards[i].high == high && sameForm(guards[i].form, form)) {
      form.guards.insert(i);
      return;
    }
  guards.push_back({form, low, high});
  form.guards.insert(guards.size() - 1);
}

void BodyWalker::guard(AffineExpr& form, QualType type) {
  const unsigned bits = context_.ast.getTypeSize(type);
  const bool isUnsigned = type->isUnsignedIntegerOrEnumerationType();
  if (fitsUnsigned(form, isUnsigned ? bits : bits - 1)) return;
  const std::int64_t high = (std::int64_t(1) << (isUnsigned ? bits : bits - 1)) - 1;
  guard(form, isUnsigned ? 0 : -high - 1, high);
}

bool BodyWalker::fitsUnsigned(const AffineExpr& form, unsigned bits) const {
  auto [low, high] = rangeOf(form);
  if (!low || *low < 0) return false;
  if (high && (bits >= 63 || *high < (std::int64_t(1) << bits))) return true;
  if (form.factors.size() > 1) return false;
  // One variable or symbol of such a type, less something; or plus one where the loop stays strictly below its bound.
  auto constant = form.constant.find({});
  const std::int64_t offset = constant == form.constant.end() ? 0 : constant->second;
  if (form.factors.size() == 1) {
    const auto& [number, factor] = *form.factors.begin();
    const LoopVariable& loop = context_.variables[number];
    const bool narrow = context_.ast.getTypeSize(loop.var->getType()) <= bits;
    const bool only = form.constant.size() == (offset != 0);
    return narrow && only && constantValue(factor) == 1 && offset <= (loop.strictlyBelow ? 1 : 0);
  }
  if (form.constant.size() != 1) return false;
  const auto& [monomial, coefficient] = *form.constant.begin();
  return monomial.size() == 1 && coefficient == 1 &&
         context_.ast.getTypeSize(context_.facts.symbols[monomial[0]].expr->getType()) <= bits;
}

}  // namespace muster::plugin
