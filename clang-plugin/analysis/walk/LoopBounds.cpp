// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that loop variables take.
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/walk/BodyWalker.h"
#include "analysis/walk/WalkBody.h"
#include "source/SourceText.h"

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

std::optional<AffineExpr> BodyWalker::boundForm(const Expr* expr, bool upper, bool& exact) {
  const Value value = valueOf(expr);
  std::vector<AffineExpr> bounds = upper ? value.highBounds() : value.lowBounds();
  if (bounds.empty())  // one of several forms that bounds all the others
    for (const AffineExpr& form : value.forms)
      if (std::all_of(value.forms.begin(), value.forms.end(), [&](const AffineExpr& other) {
            return isNumber(form, expr->getType()) && isNumber(other, expr->getType()) &&
                   (upper ? provablyAtLeast(form, other) : provablyAtLeast(other, form));
          }))
        bounds.push_back(form);
  if (bounds.empty()) return std::nullopt;
  const AffineExpr& best = bestBound(bounds);
  AffineExpr form = withoutBrackets(best, upper);
  exact &= value.forms.size() == 1 && sameForm(form, best) && isOneValue(form);
  // A bound is compared as a number: a difference that wrapped would be a huge one.
  if (expr->getType()->isUnsignedIntegerType() && !provablyAtLeast(form, constantForm(0))) {
    if (value.forms.size() == 1 && isInvariant(context_, expr) && frames_.empty()) return symbolOf(expr);
    guard(form, 0, INT64_MAX);
  }
  return form;
}

// The iterations of a loop with a step, counted at the launch site.
std::optional<LoopVariable::Stride> BodyWalker::strideOf(const DimFact& dim, const AffineExpr& first) {
  if (!dim.step || !frames_.empty() || !first.factors.empty() || !first.guards.empty()) return std::nullopt;
  for (const Expr* expr : {dim.lower, dim.bound, dim.step})
    if (!isInvariant(context_, expr) || expr->getType()->isEnumeralType()) return std::nullopt;
  const Value step = valueOf(dim.step);
  if (step.forms.size() != 1 || !step.forms.front().factors.empty() || !step.forms.front().guards.empty())
    return std::nullopt;
  auto moved = multiply(step.forms.front().constant, constantPolynomial(dim.down ? -1 : 1));
  if (!moved) return std::nullopt;
  const auto text = [&](const Expr* expr) { return invariantText(context_.ast, context_.objects(), expr); };
  const std::string type = typeText(context_.ast, dim.var->getType().getUnqualifiedType());
  const std::string count = tripCountText(context_.ast, dim, castText(context_.ast, type, text(dim.lower)),
                                          text(dim.bound), castText(context_.ast, "int64_t", text(dim.step)));
  auto last =
      add(symbol(nullptr, count, "iterations of " + dim.var->getNameAsString()).constant, constantPolynomial(-1));
  return last ? std::optional(LoopVariable::Stride{first.constant, *moved, *last}) : std::nullopt;
}

// A first value that the variable's type has another number for, as `int k = 4294967295u`.
static bool isConverted(const ASTContext& ast, const DimFact& dim) {
  const auto first = dim.lower->getIntegerConstantExpr(ast);
  if (!first || !dim.var->getType()->isIntegerType()) return false;
  const llvm::APSInt held = first->extOrTrunc(ast.getTypeSize(dim.var->getType()));
  return llvm::APSInt::compareValues(llvm::APSInt(held, dim.var->getType()->isUnsignedIntegerType()), *first) != 0;
}

LoopVariable BodyWalker::boundsOf(const DimFact& dim) {
  LoopVariable variable;
  variable.var = dim.var;
  variable.loop = dim.loop;
  variable.name = dim.var->getNameAsString();
  std::int64_t magnitude = 1;
  const int counts = direction(context_.ast, dim, magnitude);
  if (dim.step) valueOf(dim.step);
  bool exact = true;
  auto lower = boundForm(dim.lower, counts < 0, exact);
  const bool exactStart = exact;
  auto bound = boundForm(dim.bound, counts > 0, exact);
  const bool inclusive = dim.relation == BO_LE || dim.relation == BO_GE;
  if (counts == 0 || !lower || !bound || isConverted(context_.ast, dim)) return variable;
  auto last = inclusive ? bound : add(*bound, constantForm(-counts));
  if (!last) return variable;
  if (exact && magnitude != 1) variable.stride = strideOf(dim, *lower);
  variable.smallest = counts > 0 ? *lower : *last;
  variable.largest = counts > 0 ? *last : *lower;
  // The variable itself has to hold what its bounds say.
  const unsigned bits = context_.ast.getTypeSize(dim.var->getType());
  auto [smallestMinimum, smallestMaximum] = rangeOf(variable.smallest);
  auto [largestMinimum, largestMaximum] = rangeOf(variable.largest);
  const bool notNegative = provablyAtLeast(variable.smallest, constantForm(0));
  if (dim.var->getType()->isUnsignedIntegerType() && !notNegative && bits < 64) guard(variable.smallest, 0, INT64_MAX);
  // A signed variable is compared as an unsigned number with an unsigned bound: not all values need to occur.
  if (dim.bound->getType()->isUnsignedIntegerType() && !dim.var->getType()->isUnsignedIntegerType() && !notNegative)
    exact = false;
  variable.bounded = true;
  variable.followsSplit = followsSplit(variable.smallest) || followsSplit(variable.largest);
  variable.exact = exact && magnitude == 1;
  variable.minimum = smallestMinimum;
  variable.maximum = largestMaximum;
  variable.least = variable.smallest;
  variable.most = variable.largest;
  const AffineExpr counter = variableForm(context_.variables.size());
  if (exactStart && magnitude == 1)
    variable.passed = counts > 0 ? subtract(counter, *lower) : subtract(*lower, counter);
  variable.strictlyBelow = counts > 0 && !inclusive;
  variable.surelyRuns = exact && smallestMaximum && largestMinimum && *smallestMaximum <= *largestMinimum;
  return variable;
}

// The value of a bound of the directive's loops, where it is plain.
std::optional<AffineExpr> BodyWalker::directiveBound(const Expr* expr, QualType type) {
  if (!isInvariant(context_, expr)) return std::nullopt;
  const std::size_t variables = context_.variables.size(), divisions = divisions_.size();
  const Value value = convert(valueOf(expr), expr->getType(), type);
  if (context_.variables.size() > variables) {  // a quotient of its own, but the directive's loops come first
    context_.variables.erase(context_.variables.begin() + static_cast<std::ptrdiff_t>(variables),
                             context_.variables.end());
    divisions_.erase(divisions_.begin() + static_cast<std::ptrdiff_t>(divisions), divisions_.end());
    return std::nullopt;
  }
  if (value.forms.size() != 1 || !value.forms.front().guards.empty() || !isNumber(value.forms.front(), type) ||
      !isNumber(value.forms.front(), expr->getType()))
    return std::nullopt;
  return value.forms.front();
}

void BodyWalker::addDirectiveLoop(const DimFact& dim) {
  LoopVariable variable;
  variable.var = dim.var;
  variable.loop = dim.loop;
  variable.name = dim.var->getNameAsString();
  std::int64_t magnitude = 1;
  const int counts = direction(context_.ast, dim, magnitude);
  const QualType type = dim.var->getType();
  auto lower = directiveBound(dim.lower, type), bound = directiveBound(dim.bound, dim.bound->getType());
  const bool inclusive = dim.relation == BO_LE || dim.relation == BO_GE;
  if (bound && !inclusive) bound = add(*bound, constantForm(-counts));
  // Between a signed and an unsigned number, the order is that of the numbers only where none is negative.
  if (type->isUnsignedIntegerType() != dim.bound->getType()->isUnsignedIntegerType())
    if (counts < 0 || !bound || !provablyAtLeast(*bound, constantForm(-1))) bound = std::nullopt;
  if (counts > 0) variable.least = lower, variable.most = bound;
  if (counts < 0) variable.least = bound, variable.most = lower;
  if (!variable.least && type->isUnsignedIntegerType()) variable.least = constantForm(0);
  if (variable.least) variable.minimum = constantValue(*variable.least);
  if (variable.most) variable.maximum = constantValue(*variable.most);
  if (!variable.minimum && type->isUnsignedIntegerType()) variable.minimum = 0;
  if (variable.least && variable.most)
    if (auto run = subtract(*variable.most, *variable.least)) runs_.push_back(run->constant);
  variable.bounded = variable.exact = variable.surelyRuns = true;
  variable.strictlyBelow = counts > 0 && (dim.relation == BO_LT || dim.relation == BO_NE);
  state_.values[dim.var] = Value::of(variableForm(context_.variables.size()));
  context_.variables.push_back(variable);
}

}  // namespace muster::plugin
