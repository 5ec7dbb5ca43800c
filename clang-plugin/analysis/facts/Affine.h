// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on polynomials over symbols and on affine forms over loop variables. Coefficients that do not fit in
// 64 bits make a result nullopt: the analysis then says that nothing is known.
#pragma once

#include <optional>
#include <string>

#include "analysis/facts/Facts.h"

namespace muster::plugin {

Polynomial constantPolynomial(std::int64_t value);
Polynomial symbolPolynomial(unsigned symbol);
std::optional<Polynomial> add(const Polynomial& left, const Polynomial& right);
std::optional<Polynomial> multiply(const Polynomial& left, const Polynomial& right);
// The value of a polynomial without symbols.
std::optional<std::int64_t> constantValue(const Polynomial& polynomial);

AffineExpr constantForm(std::int64_t value);
AffineExpr symbolForm(unsigned symbol);
AffineExpr variableForm(unsigned variable);
std::optional<AffineExpr> add(const AffineExpr& left, const AffineExpr& right);
std::optional<AffineExpr> subtract(const AffineExpr& left, const AffineExpr& right);
// One of them must be free of variables.
std::optional<AffineExpr> multiply(const AffineExpr& left, const AffineExpr& right);
std::optional<std::int64_t> constantValue(const AffineExpr& form);
// The factor of a variable, {} if it does not occur.
Polynomial factorOf(const AffineExpr& form, unsigned variable);
// The form with `value` in place of a variable.
std::optional<AffineExpr> substitute(const AffineExpr& form, unsigned variable, const AffineExpr& value);
// polynomial = divisor * quotient + remainder, as much as possible in the quotient. False: the divisor is not a single
// term with a positive coefficient.
bool split(const Polynomial& polynomial, const Polynomial& divisor, Polynomial& quotient, Polynomial& remainder);
// The number of the guard that `form` lies in [low, high], which is added if there is none.
unsigned guardOf(LoopFacts& facts, const AffineExpr& form, std::int64_t low, std::int64_t high);
// Guards apart.
bool sameForm(const AffineExpr& left, const AffineExpr& right);
// Whether the form depends on a loop variable, directly or through the bounds of other variables.
bool follows(const AffineExpr& form, unsigned variable, const LoopFacts& facts);
AffineExpr renumber(const AffineExpr& form, const std::map<unsigned, unsigned>& numbers);

// "m - 1", "2*n*m"; a form: "m*i + j - 1". `names` are those of the variables.
std::string toString(const Polynomial& polynomial, const std::vector<Symbol>& symbols);
std::string toString(const AffineExpr& form, const std::vector<std::string>& names, const std::vector<Symbol>& symbols);

// With the names of the loop's own variables.
std::string toString(const AffineExpr& form, const LoopFacts& facts);

}  // namespace muster::plugin
