// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of forms, compared with that of their values.
#include "analysis/facts/Affine.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "forms.h"

namespace muster::plugin {
namespace {

constexpr unsigned kSymbols = 3, kVariables = 3;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();

class RandomForms : public testing::Test {
 protected:
  // With forms of other numbers each time.
  void repeat(const std::function<void()>& test) {
    for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      random_.seed(seed);
      symbols_ = values(kSymbols), variables_ = values(kVariables);
      test();
    }
  }
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Polynomial polynomial() {
    Polynomial result;
    for (std::int64_t terms = number(0, 3); terms-- > 0;) {
      Monomial monomial;
      for (std::int64_t degree = number(0, 2); degree-- > 0;) monomial.push_back(number(0, kSymbols - 1));
      std::sort(monomial.begin(), monomial.end());
      if (const std::int64_t coefficient = number(-6, 6); coefficient != 0) result[monomial] = coefficient;
    }
    return result;
  }
  AffineExpr form() {
    AffineExpr result;
    for (unsigned variable = 0; variable < kVariables; ++variable)
      if (Polynomial factor = polynomial(); !factor.empty()) result.factors[variable] = std::move(factor);
    result.constant = polynomial();
    if (number(0, 3) == 0) result.guards.insert(number(0, 4));
    return result;
  }
  AffineExpr withoutVariables() {
    AffineExpr result = form();
    result.factors.clear();
    return result;
  }
  Values values(unsigned count) {
    Values result;
    for (unsigned i = 0; i < count; ++i) result.push_back(number(-9, 9));
    return result;
  }
  std::int64_t at(const Polynomial& of) const { return valueOf(of, symbols_); }
  std::int64_t at(const AffineExpr& of) const { return valueOf(of, variables_, symbols_); }

  // No zero is kept: equal forms are equal as values of the type.
  static void expectNormal(const AffineExpr& form) {
    for (const auto& [variable, factor] : form.factors) {
      EXPECT_FALSE(factor.empty());
      expectNormal(factor);
    }
    expectNormal(form.constant);
  }
  static void expectNormal(const Polynomial& polynomial) {
    for (const auto& [monomial, coefficient] : polynomial) {
      EXPECT_NE(coefficient, 0);
      EXPECT_TRUE(std::is_sorted(monomial.begin(), monomial.end()));
    }
  }

  std::mt19937 random_;
  Values symbols_, variables_;
};

TEST_F(RandomForms, PolynomialsAreAddedAndMultiplied) {
  repeat([&] {
    const Polynomial left = polynomial(), right = polynomial();
    const auto sum = add(left, right), product = multiply(left, right);
    ASSERT_TRUE(sum && product);
    EXPECT_EQ(at(*sum), at(left) + at(right));
    EXPECT_EQ(at(*product), at(left) * at(right));
    expectNormal(*sum);
    expectNormal(*product);
    EXPECT_EQ(*product, *multiply(right, left));
  });
}

TEST_F(RandomForms, FormsAreAddedAndSubtracted) {
  repeat([&] {
    const AffineExpr left = form(), right = form();
    const auto sum = add(left, right), difference = subtract(left, right);
    ASSERT_TRUE(sum && difference);
    EXPECT_EQ(at(*sum), at(left) + at(right));
    EXPECT_EQ(at(*difference), at(left) - at(right));
    expectNormal(*sum);
    expectNormal(*difference);
    EXPECT_TRUE(sameForm(*add(*difference, right), left));
    EXPECT_EQ(constantValue(*subtract(left, left)), 0);
  });
}

TEST_F(RandomForms, ResultsKeepTheGuardsOfBoth) {
  repeat([&] {
    const AffineExpr left = form(), right = withoutVariables();
    std::set<unsigned> both = left.guards;
    both.insert(right.guards.begin(), right.guards.end());
    EXPECT_EQ(add(left, right)->guards, both);
    EXPECT_EQ(subtract(left, right)->guards, both);
    EXPECT_EQ(multiply(left, right)->guards, both);
  });
}

TEST_F(RandomForms, OneFactorMayHaveVariables) {
  repeat([&] {
    const AffineExpr left = form(), right = withoutVariables();
    const auto product = multiply(left, right);
    ASSERT_TRUE(product);
    EXPECT_EQ(at(*product), at(left) * at(right));
    EXPECT_TRUE(sameForm(*product, *multiply(right, left)));
    expectNormal(*product);
    const AffineExpr other = form();
    EXPECT_EQ(multiply(left, other).has_value(), left.factors.empty() || other.factors.empty());
  });
}

TEST_F(RandomForms, AVariableIsReplaced) {
  repeat([&] {
    const AffineExpr whole = form();
    AffineExpr value = form();
    const unsigned variable = number(0, kVariables - 1);
    const auto replaced = substitute(whole, variable, value);
    if (!replaced) {
      EXPECT_FALSE(value.factors.empty());
      return;
    }
    Values changed = variables_;
    changed[variable] = at(value);
    EXPECT_EQ(at(*replaced), valueOf(whole, changed, symbols_));
  });
}

TEST_F(RandomForms, VariablesGetOtherNumbers) {
  repeat([&] {
    const AffineExpr whole = form();
    const AffineExpr renamed = renumber(whole, {{0, 2}, {1, 0}, {2, 1}});
    EXPECT_EQ(valueOf(renamed, {variables_[1], variables_[2], variables_[0]}, symbols_), at(whole));
    EXPECT_EQ(renamed.guards, whole.guards);
  });
}

TEST_F(RandomForms, PolynomialsAreSplit) {
  repeat([&] {
    const Polynomial whole = polynomial();
    Polynomial divisor, quotient, remainder;
    Monomial monomial;
    for (std::int64_t degree = number(0, 2); degree-- > 0;) monomial.push_back(number(0, kSymbols - 1));
    std::sort(monomial.begin(), monomial.end());
    divisor[monomial] = number(1, 4);
    ASSERT_TRUE(split(whole, divisor, quotient, remainder));
    EXPECT_EQ(at(whole), at(divisor) * at(quotient) + at(remainder));
    // As much as possible is in the quotient.
    const auto product = multiply(whole, divisor);
    quotient = remainder = {};
    ASSERT_TRUE(split(*product, divisor, quotient, remainder));
    EXPECT_EQ(quotient, whole);
    EXPECT_TRUE(remainder.empty());
  });
}

TEST(Affine, OnlyPositiveTermsDivide) {
  Polynomial quotient, remainder;
  EXPECT_FALSE(split(symbolPolynomial(0), constantPolynomial(-2), quotient, remainder));
  EXPECT_FALSE(split(symbolPolynomial(0), *add(symbolPolynomial(1), constantPolynomial(1)), quotient, remainder));
}

TEST(Affine, WhatDoesNotFitIsUnknown) {
  EXPECT_FALSE(add(constantForm(kMost), constantForm(1)));
  EXPECT_FALSE(add(constantForm(kLeast), constantForm(-1)));
  EXPECT_FALSE(subtract(constantForm(kLeast), constantForm(1)));
  EXPECT_FALSE(multiply(constantForm(kMost / 2 + 1), constantForm(2)));
  EXPECT_FALSE(multiply(constantForm(kLeast), constantForm(-1)));
  const auto large = multiply(variableForm(0), constantForm(kMost));
  ASSERT_TRUE(large);
  EXPECT_FALSE(add(*large, variableForm(0)));
  EXPECT_EQ(constantValue(*add(constantForm(kMost - 1), constantForm(1))), kMost);
}

TEST(Affine, ConstantsHaveNeitherVariablesNorSymbols) {
  EXPECT_EQ(constantValue(constantForm(0)), 0);
  EXPECT_EQ(constantValue(constantForm(-7)), -7);
  EXPECT_EQ(constantValue(symbolForm(0)), std::nullopt);
  EXPECT_EQ(constantValue(variableForm(0)), std::nullopt);
  EXPECT_EQ(constantValue(factorOf(variableForm(1), 1)), 1);
  EXPECT_TRUE(factorOf(variableForm(1), 0).empty());
}

// Inner variables follow what their bounds follow.
TEST(Affine, FormsFollowVariablesThroughBounds) {
  LoopFacts facts;
  facts.dims.resize(2);
  facts.inner.push_back({"j", constantForm(0), variableForm(0)});
  facts.inner.push_back({"k", constantForm(0), variableForm(2)});
  facts.inner.push_back({"l", constantForm(0), constantForm(5)});
  EXPECT_TRUE(follows(variableForm(0), 0, facts));
  EXPECT_FALSE(follows(variableForm(1), 0, facts));
  EXPECT_TRUE(follows(variableForm(2), 0, facts));
  EXPECT_FALSE(follows(variableForm(2), 1, facts));
  EXPECT_TRUE(follows(variableForm(3), 0, facts));
  EXPECT_FALSE(follows(variableForm(4), 0, facts));
  EXPECT_FALSE(follows(symbolForm(0), 0, facts));
}

TEST(Affine, FormsArePrintedAsPeopleWriteThem) {
  const std::vector<Symbol> symbols = {{nullptr, "n", ""}, {nullptr, "m", ""}};
  const auto row = multiply(variableForm(0), symbolForm(1));
  const auto index = subtract(*add(*row, variableForm(1)), constantForm(1));
  EXPECT_EQ(toString(*index, {"i", "j"}, symbols), "m*i + j - 1");
  EXPECT_EQ(toString(*multiply(constantForm(-2), symbolForm(0)), std::vector<std::string>{}, symbols), "-2*n");
  EXPECT_EQ(toString(constantForm(0), std::vector<std::string>{}, symbols), "0");
}

}  // namespace
}  // namespace muster::plugin
