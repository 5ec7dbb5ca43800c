// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/facts/Affine.h"

#include <algorithm>

namespace muster::plugin {

Polynomial constantPolynomial(std::int64_t value) {
  if (value == 0) return {};
  return {{Monomial{}, value}};
}

Polynomial symbolPolynomial(unsigned symbol) { return {{Monomial{symbol}, 1}}; }

static bool addTerm(Polynomial& sum, const Monomial& monomial, std::int64_t coefficient) {
  auto& slot = sum[monomial];
  if (__builtin_add_overflow(slot, coefficient, &slot)) return false;
  if (slot == 0) sum.erase(monomial);
  return true;
}

std::optional<Polynomial> add(const Polynomial& left, const Polynomial& right) {
  Polynomial sum = left;
  for (const auto& [monomial, coefficient] : right)
    if (!addTerm(sum, monomial, coefficient)) return std::nullopt;
  return sum;
}

std::optional<Polynomial> multiply(const Polynomial& left, const Polynomial& right) {
  Polynomial product;
  for (const auto& [leftMonomial, leftCoefficient] : left) {
    for (const auto& [rightMonomial, rightCoefficient] : right) {
      Monomial monomial = leftMonomial;
      monomial.insert(monomial.end(), rightMonomial.begin(), rightMonomial.end());
      std::sort(monomial.begin(), monomial.end());
      std::int64_t coefficient = 0;
      if (__builtin_mul_overflow(leftCoefficient, rightCoefficient, &coefficient)) return std::nullopt;
      if (!addTerm(product, monomial, coefficient)) return std::nullopt;
    }
  }
  return product;
}

std::optional<std::int64_t> constantValue(const Polynomial& polynomial) {
  if (polynomial.empty()) return 0;
  if (polynomial.size() == 1 && polynomial.begin()->first.empty()) return polynomial.begin()->second;
  return std::nullopt;
}

AffineExpr constantForm(std::int64_t value) {
  AffineExpr form;
  form.constant = constantPolynomial(value);
  return form;
}

AffineExpr symbolForm(unsigned symbol) {
  AffineExpr form;
  form.constant = symbolPolynomial(symbol);
  return form;
}

AffineExpr variableForm(unsigned variable) {
  AffineExpr form;
  form.factors[variable] = constantPolynomial(1);
  return form;
}

std::optional<AffineExpr> add(const AffineExpr& left, const AffineExpr& right) {
  AffineExpr sum = left;
  sum.guards.insert(right.guards.begin(), right.guards.end());
  for (const auto& [variable, factor] : right.factors) {
    auto total = add(sum.factors[variable], factor);
    if (!total) return std::nullopt;
    if (total->empty())
      sum.factors.erase(variable);
    else
      sum.factors[variable] = *total;
  }
  auto constant = add(left.constant, right.constant);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  return sum;
}

std::optional<AffineExpr> multiply(const AffineExpr& left, const AffineExpr& right) {
  if (!left.factors.empty() && !right.factors.empty()) return std::nullopt;
  if (left.factors.empty() && !right.factors.empty()) return multiply(right, left);
  AffineExpr product;
  product.guards = left.guards;
  product.guards.insert(right.guards.begin(), right.guards.end());
  for (const auto& [variable, factor] : left.factors) {
    auto scaled = multiply(factor, right.constant);
    if (!scaled) return std::nullopt;
    if (!scaled->empty()) product.factors[variable] = *scaled;
  }
  auto constant = multiply(left.constant, right.constant);
  if (!constant) return std::nullopt;
  product.constant = *constant;
  return product;
}

std::optional<AffineExpr> subtract(const AffineExpr& left, const AffineExpr& right) {
  auto negative = multiply(right, constantForm(-1));
  if (!negative) return std::nullopt;
  return add(left, *negative);
}

std::optional<std::int64_t> constantValue(const AffineExpr& form) {
  if (!form.factors.empty()) return std::nullopt;
  return constantValue(form.constant);
}

Polynomial factorOf(const AffineExpr& form, unsigned variable) {
  auto found = form.factors.find(variable);
  return found == form.factors.end() ? Polynomial{} : found->second;
}

unsigned guardOf(LoopFacts& facts, const AffineExpr& form, std::int64_t low, std::int64_t high) {
  const auto same = std::find_if(facts.guards.begin(), facts.guards.end(), [&](const GuardFact& guard) {
    return guard.low == low && guard.high == high && sameForm(guard.form, form);
  });
  const unsigned number = same - facts.guards.begin();
  if (same == facts.guards.end()) facts.guards.push_back({form, low, high});
  return number;
}

bool sameForm(const AffineExpr& left, const AffineExpr& right) {
  return left.factors == right.factors && left.constant == right.constant;
}

std::optional<AffineExpr> substitute(const AffineExpr& form, unsigned variable, const AffineExpr& value) {
  AffineExpr rest = form, factor;
  factor.constant = factorOf(form, variable);
  rest.factors.erase(variable);
  auto product = multiply(value, factor);
  return product ? add(rest, *product) : std::nullopt;
}

// Whether the monomial `part` divides `whole`, and what is left.
static bool divide(const Monomial& whole, const Monomial& part, Monomial& left) {
  if (!std::includes(whole.begin(), whole.end(), part.begin(), part.end())) return false;
  std::set_difference(whole.begin(), whole.end(), part.begin(), part.end(), std::back_inserter(left));
  return true;
}

bool split(const Polynomial& polynomial, const Polynomial& divisor, Polynomial& quotient, Polynomial& remainder) {
  if (divisor.size() != 1) return false;
  const auto& [part, by] = *divisor.begin();
  for (const auto& [monomial, coefficient] : polynomial) {
    Monomial left;
    if (by <= 0) return false;
    if (!divide(monomial, part, left)) {
      remainder[monomial] = coefficient;
      continue;
    }
    // Rounded down, so that a constant that is left lies in [0, by).
    std::int64_t times = coefficient / by, rest = coefficient % by;
    if (rest < 0) rest += by, --times;
    if (times != 0) quotient[left] = times;
    if (rest != 0) remainder[monomial] = rest;
  }
  return true;
}

bool follows(const AffineExpr& form, unsigned variable, const LoopFacts& facts) {
  std::set<unsigned> seen;
  std::vector<const AffineExpr*> forms = {&form};
  while (!forms.empty()) {
    const AffineExpr* next = forms.back();
    forms.pop_back();
    for (const auto& term : next->factors) {
      if (!seen.insert(term.first).second || term.first < facts.dims.size()) continue;
      const InnerFact& inner = facts.inner[term.first - facts.dims.size()];
      forms.insert(forms.end(), {&inner.smallest, &inner.largest});
    }
  }
  return seen.count(variable) != 0;
}

AffineExpr renumber(const AffineExpr& form, const std::map<unsigned, unsigned>& numbers) {
  AffineExpr result;
  result.constant = form.constant;
  result.guards = form.guards;
  for (const auto& [variable, factor] : form.factors) result.factors[numbers.at(variable)] = factor;
  return result;
}

// Appends "+ coefficient*name" in the way people write sums.
static void appendTerm(std::string& sum, std::int64_t coefficient, const std::string& product) {
  const bool negative = coefficient < 0;
  std::string magnitude = std::to_string(coefficient);
  if (negative) magnitude.erase(0, 1);
  if (sum.empty())
    sum += negative ? "-" : "";
  else
    sum += negative ? " - " : " + ";
  if (product.empty())
    sum += magnitude;
  else
    sum += magnitude == "1" ? product : magnitude + "*" + product;
}

static std::string productOf(const Monomial& monomial, const std::vector<Symbol>& symbols) {
  std::string product;
  for (unsigned symbol : monomial) {
    const std::string& text = symbols[symbol].name.empty() ? symbols[symbol].text : symbols[symbol].name;
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(c) || c == '_' || c == ':'; });
    product += (product.empty() ? "" : "*") + (plain ? text : "(" + text + ")");
  }
  return product;
}

std::string toString(const Polynomial& polynomial, const std::vector<Symbol>& symbols) {
  std::string sum;
  for (auto term = polynomial.rbegin(); term != polynomial.rend(); ++term)
    appendTerm(sum, term->second, productOf(term->first, symbols));
  return sum.empty() ? "0" : sum;
}

std::string toString(const AffineExpr& form, const std::vector<std::string>& names,
                     const std::vector<Symbol>& symbols) {
  std::string sum;
  for (const auto& [variable, factor] : form.factors) {
    if (factor.size() == 1) {
      std::string product = productOf(factor.begin()->first, symbols);
      appendTerm(sum, factor.begin()->second, product + (product.empty() ? "" : "*") + names[variable]);
    } else {
      appendTerm(sum, 1, "(" + toString(factor, symbols) + ")*" + names[variable]);
    }
  }
  for (auto term = form.constant.rbegin(); term != form.constant.rend(); ++term)
    appendTerm(sum, term->second, productOf(term->first, symbols));
  return sum.empty() ? "0" : sum;
}

std::string toString(const AffineExpr& form, const LoopFacts& facts) {
  std::vector<std::string> names;
  for (const DimFact& dim : facts.dims) names.push_back(dim.var->getNameAsString());
  for (const InnerFact& inner : facts.inner) names.push_back(inner.name);
  return toString(form, names, facts.symbols);
}

}  // namespace muster::plugin
