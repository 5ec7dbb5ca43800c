// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about the size of forms: ranges, proofs, and the guards that stand where there is no proof.
//
// Proofs take forms as numbers and replace one variable after the other by a bound of it, innermost first, so that
// bounds which depend on outer variables keep their relation to them. What is left are symbols, of which little is
// known: the sign of unsigned ones, and that the loops around the code have an iteration.
#include "analysis/walk/BodyWalker.h"

namespace muster::plugin {

using namespace clang;

static constexpr std::size_t longestName = 60;

static bool isUnsigned(const Symbol& symbol) {
  return symbol.expr && symbol.expr->getType()->isUnsignedIntegerOrEnumerationType();
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
    for (unsigned symbol : monomial) positive &= isUnsigned(context_.facts.symbols[symbol]);
    addRange(positive ? std::optional<std::int64_t>(0) : std::nullopt, std::nullopt, coefficient);
  }
  return {low, high};
}

static std::optional<Polynomial> less(const Polynomial& number, const Polynomial& fact, std::int64_t times) {
  auto scaled = multiply(fact, constantPolynomial(-times));
  return scaled ? add(number, *scaled) : std::nullopt;
}

// A number is not negative if it exceeds a multiple of one that is not.
bool BodyWalker::notNegative(const Polynomial& number, const Polynomial* assumed) const {
  auto surely = [&](const Polynomial& rest) {
    AffineExpr form;
    form.constant = rest;
    auto low = rangeOf(form).first;
    return low && *low >= 0;
  };
  if (surely(number)) return true;
  auto follows = [&](const Polynomial& fact) {
    for (std::int64_t times = 1; times <= 4; ++times)
      if (auto rest = less(number, fact, times); rest && surely(*rest)) return true;
    return false;
  };
  return (assumed && follows(*assumed)) || std::any_of(runs_.begin(), runs_.end(), follows);
}

std::optional<Polynomial> BodyWalker::extremeOf(AffineExpr form, bool upper, const Polynomial* assumed) const {
  const auto grows = [&](const LoopVariable&, const Polynomial& factor) -> std::optional<bool> {
    auto opposite = multiply(factor, constantPolynomial(-1));
    const bool isUp = notNegative(factor, assumed);
    return opposite && (isUp || notNegative(*opposite, assumed)) ? std::optional(isUp) : std::nullopt;
  };
  return plugin::extremeOf(std::move(form), upper, context_.variables, grows);
}

bool BodyWalker::provablyAtLeast(const AffineExpr& form, const AffineExpr& low, const Polynomial* assumed) const {
  auto difference = subtract(form, low);
  auto least = difference ? extremeOf(*difference, false, assumed) : std::nullopt;
  return least && notNegative(*least, assumed);
}

// Whether the form is the value itself, not only equal to it modulo 2^64. Its guards see to narrower types.
bool BodyWalker::isNumber(const AffineExpr& form, QualType type) const {
  return !wraps(type) || context_.ast.getTypeSize(type) < 64 || provablyAtLeast(form, constantForm(0));
}

bool BodyWalker::wraps(QualType type) const {
  return type->isUnsignedIntegerOrEnumerationType() ||
         context_.ast.getLangOpts().getSignedOverflowBehavior() != LangOptions::SOB_Undefined;
}

bool BodyWalker::followsSplit(const AffineExpr& form) const {
  return std::any_of(form.factors.begin(), form.factors.end(),
                     [&](const auto& term) { return term.first == 0 || context_.variables[term.first].followsSplit; });
}

// Whether the form has one value in an iteration of the loops around it: no bracket in it stands for several.
bool BodyWalker::isOneValue(const AffineExpr& form) const {
  return std::all_of(form.factors.begin(), form.factors.end(), [&](const auto& term) {
    const LoopVariable& variable = context_.variables[term.first];
    return variable.var || (variable.exact && isOneValue(variable.smallest));
  });
}

// The variables that decide on the value of such a form.
void BodyWalker::addVariables(const AffineExpr& form, std::set<unsigned>& variables) const {
  for (const auto& [number, factor] : form.factors)
    if (variables.insert(number).second && context_.variables[number].exact && !context_.variables[number].var)
      addVariables(context_.variables[number].smallest, variables);
}

// Each bound of a list is right; one that moves with the loop that is split keeps the devices' parts apart, otherwise
// one without variables is the same for all iterations.
const AffineExpr& BodyWalker::bestBound(const std::vector<AffineExpr>& bounds) const {
  for (const AffineExpr& bound : bounds)
    if (followsSplit(bound)) return bound;
  for (const AffineExpr& bound : bounds)
    if (bound.factors.empty()) return bound;
  return bounds.front();
}

// A bound of the form: brackets are replaced by the bound that counts for the sign of their factor.
AffineExpr BodyWalker::withoutBrackets(const AffineExpr& form, bool upper) const {
  AffineExpr result = form;
  for (unsigned number = context_.variables.size(); number-- > 0;) {
    const LoopVariable& variable = context_.variables[number];
    auto term = result.factors.find(number);
    if (variable.var || term == result.factors.end() || constantValue(variable.divisor) != 1) continue;
    auto opposite = multiply(term->second, constantPolynomial(-1));
    const bool grows = notNegative(term->second, nullptr);
    if (!grows && !(opposite && notNegative(*opposite, nullptr))) continue;
    if (auto bound = substitute(result, number, grows == upper ? variable.largest : variable.smallest)) result = *bound;
  }
  return result;
}

std::string BodyWalker::describe(const AffineExpr& form) const {
  std::vector<std::string> names;
  for (const LoopVariable& variable : context_.variables) names.push_back(variable.name);
  std::string text = toString(form, names, context_.facts.symbols);
  const bool isSum = form.factors.size() + form.constant.size() > 1;
  return isSum ? "(" + text + ")" : text;
}

Value BodyWalker::between(const AffineExpr& low, const AffineExpr& high, const std::string& name) {
  if (sameForm(low, high)) {
    Value value = Value::of(low);
    value.forms.front().guards.insert(high.guards.begin(), high.guards.end());
    return value;
  }
  LoopVariable variable;
  variable.smallest = low;
  variable.largest = high;
  variable.least = low;
  variable.most = high;
  variable.minimum = rangeOf(low).first;
  variable.maximum = rangeOf(high).second;
  return bracket(std::move(variable), name);
}

Value BodyWalker::bracket(LoopVariable variable, const std::string& name) {
  // Names of names may grow without end, as in a hash function.
  const bool isShort = name.size() <= longestName;
  variable.name = "(" + (isShort ? name : "value " + std::to_string(context_.variables.size())) + ")";
  variable.followsSplit = followsSplit(variable.smallest) || followsSplit(variable.largest);
  variable.bounded = variable.surelyRuns = true;
  context_.variables.push_back(std::move(variable));
  return Value::of(variableForm(context_.variables.size() - 1));
}

Value BodyWalker::ofType(QualType type, const std::string& name) {
  const unsigned bits = context_.ast.getTypeSize(type);
  if (!type->isIntegerType() || bits > 16) return {};
  const bool isBool = type->isBooleanType(), sign = type->isSignedIntegerType();
  const std::int64_t high = isBool ? 1 : (std::int64_t(1) << (sign ? bits - 1 : bits)) - 1;
  return between(constantForm(sign ? -high - 1 : 0), constantForm(high), name);
}

void BodyWalker::guard(AffineExpr& form, std::int64_t low, std::int64_t high) {
  form.guards.insert(guardOf(context_.facts, form, low, high));
}

// A bracket has values that may never occur, so a guard on it would refuse launches that are right.
bool BodyWalker::keepsValue(AffineExpr& form, QualType type) {
  AffineExpr guarded = form;
  guard(guarded, type);
  const bool hasBracket = std::any_of(form.factors.begin(), form.factors.end(),
                                      [&](const auto& term) { return !context_.variables[term.first].var; });
  if (hasBracket && guarded.guards != form.guards) return false;
  form = guarded;
  return true;
}

void BodyWalker::guard(AffineExpr& form, QualType type) {
  const unsigned bits = context_.ast.getTypeSize(type);
  const bool isUnsigned = type->isUnsignedIntegerOrEnumerationType();
  if (fitsUnsigned(form, isUnsigned ? bits : bits - 1)) return;
  const std::int64_t high = (std::int64_t(1) << (isUnsigned ? bits : bits - 1)) - 1;
  const auto [low, most] = rangeOf(form);
  if (low && most && *low >= (isUnsigned ? 0 : -high - 1) && *most <= high) return;
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
    const bool narrow = loop.var && context_.ast.getTypeSize(loop.var->getType()) <= bits;
    const bool only = form.constant.size() == (offset != 0);
    return narrow && only && constantValue(factor) == 1 && offset <= (loop.strictlyBelow ? 1 : 0);
  }
  if (form.constant.size() != 1) return false;
  const auto& [monomial, coefficient] = *form.constant.begin();
  if (monomial.size() != 1 || coefficient != 1) return false;
  const Expr* symbol = context_.facts.symbols[monomial[0]].expr;
  return symbol && context_.ast.getTypeSize(symbol->getType()) <= bits;
}

}  // namespace muster::plugin
