// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop adds up, and what it does otherwise to a variable.
#include "passes/LoopSums.h"

#include <gtest/gtest.h>

namespace muster::plugin {
namespace {

using namespace ir;
using passes::SumOperator;

const Expression v = name("v"), x = subscript(name("a"), name("j")), c = name("c");

// for (int j = 0; j < n; ++j) body
Statement loopOf(Statements body) {
  return {StatementKind::For,
          "",
          binary("<", name("j"), name("n")),
          prefix("++", name("j")),
          {define("int j", literal("0"), "j")},
          std::move(body)};
}

std::optional<SumOperator> sumIn(Statements body, const std::string& type = "int") {
  const auto sums = passes::sumsOf(loopOf(std::move(body)), {"v"}, [&](const std::string&) { return type; });
  if (!sums) return std::nullopt;
  EXPECT_EQ(sums->size(), 1U);
  return sums->front().op;
}
std::optional<SumOperator> sumIn(Expression value) { return sumIn({evaluate(std::move(value))}); }

TEST(LoopSums, OperatorsThatAssign) {
  EXPECT_EQ(sumIn(assign(v, x, "+=")), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, x, "-=")), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, x, "*=")), SumOperator::Multiply);
  EXPECT_EQ(sumIn(assign(v, x, "&=")), SumOperator::And);
  EXPECT_EQ(sumIn(assign(v, x, "|=")), SumOperator::Or);
  EXPECT_EQ(sumIn(assign(v, x, "^=")), SumOperator::Xor);
  EXPECT_EQ(sumIn(prefix("++", v)), SumOperator::Add);
  EXPECT_EQ(sumIn(postfix(v, "--")), SumOperator::Add);
  for (const char* op : {"/=", "%=", "<<=", ">>=", "="}) EXPECT_EQ(sumIn(assign(v, x, op)), std::nullopt) << op;
  EXPECT_EQ(sumIn(assign(v, binary("*", v, x), "+=")), std::nullopt);
}

TEST(LoopSums, SumsAreSpelledInManyWays) {
  EXPECT_EQ(sumIn(assign(v, binary("+", v, x))), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, binary("+", x, v))), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, binary("-", binary("+", v, x), c))), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, binary("+", c, parentheses(binary("-", v, x))))), SumOperator::Add);
  EXPECT_EQ(sumIn(assign(v, binary("*", x, v))), SumOperator::Multiply);
  EXPECT_EQ(sumIn(assign(v, binary("-", x, v))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, binary("+", binary("*", v, x), c))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, binary("*", binary("+", v, x), c))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, binary("-", c, binary("+", v, x)))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, binary("+", v, v))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, binary("/", v, x))), std::nullopt);
}

TEST(LoopSums, ExtremesAreFound) {
  const auto chosen = [](const char* op, Expression left, Expression right, Expression yes, Expression no) {
    return sumIn(assign(v, conditional(binary(op, std::move(left), std::move(right)), std::move(yes), std::move(no))));
  };
  EXPECT_EQ(chosen(">", x, v, x, v), SumOperator::Most);
  EXPECT_EQ(chosen("<", x, v, v, x), SumOperator::Most);
  EXPECT_EQ(chosen(">=", v, x, v, x), SumOperator::Most);
  EXPECT_EQ(chosen("<", x, v, x, v), SumOperator::Least);
  EXPECT_EQ(chosen(">", v, x, x, v), SumOperator::Least);
  EXPECT_EQ(chosen("==", x, v, x, v), std::nullopt);
  EXPECT_EQ(chosen(">", x, v, c, v), std::nullopt);
  EXPECT_EQ(chosen(">", x, c, x, v), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, call("fmax", {v, x}))), SumOperator::Most);
  EXPECT_EQ(sumIn(assign(v, call("muster_min_int", {x, v}))), SumOperator::Least);
  EXPECT_EQ(sumIn(assign(v, call("pow", {v, x}))), std::nullopt);
  EXPECT_EQ(sumIn(assign(v, call("max", {v, binary("+", v, x)}))), std::nullopt);
  const Statement larger = choice(binary(">", x, v), {evaluate(assign(v, x))});
  EXPECT_EQ(sumIn({larger}), SumOperator::Most);
  // The place of the largest one goes with it.
  EXPECT_EQ(sumIn({choice(binary(">", x, v), {evaluate(assign(v, x)), evaluate(assign(c, name("j")))})}), std::nullopt);
  EXPECT_EQ(sumIn({choice(binary(">", x, v), {evaluate(assign(v, c))})}), std::nullopt);
  Statement both = larger;
  both.otherwise = {evaluate(assign(v, c))};
  EXPECT_EQ(sumIn({both}), std::nullopt);
}

TEST(LoopSums, NothingElseMayNameTheVariable) {
  const Statement adds = evaluate(assign(v, x, "+="));
  EXPECT_EQ(sumIn({choice(binary("<", c, x), {adds}), loopOf({adds}), adds}), SumOperator::Add);
  EXPECT_EQ(sumIn({adds, evaluate(assign(x, v))}), std::nullopt);
  EXPECT_EQ(sumIn({choice(binary("<", v, c), {adds})}), std::nullopt);
  EXPECT_EQ(sumIn({adds, evaluate(assign(v, x, "*="))}), std::nullopt);
  EXPECT_EQ(sumIn({evaluate(assign(c, parentheses(assign(v, x, "+="))))}), std::nullopt);
  EXPECT_EQ(sumIn({define("int before", v, "before"), adds}), std::nullopt);
  EXPECT_EQ(sumIn({adds}, ""), std::nullopt);  // no number
  EXPECT_EQ(sumIn(Statements{}), std::nullopt);
  Statement until = loopOf({adds});
  until.value = binary("<", v, name("n"));
  EXPECT_FALSE(passes::sumsOf(until, {"v"}, [](const std::string&) { return "int"; }));
}

}  // namespace
}  // namespace muster::plugin
