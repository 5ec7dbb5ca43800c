// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are written out, and the numbers that become of their variables.
#include <gtest/gtest.h>

#include "ir/Fold.h"
#include "passes/ConstantLoops.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression k = name("k"), l = name("l"), zero = literal("0"), one = literal("1");

Statement add(Expression value) { return evaluate(assign(name("s"), std::move(value), "+=")); }
Statement loop(Expression end, Statements body, const char* compare = "<", Expression first = zero,
               const char* type = "int", Expression variable = k) {
  const std::string own = variable.text();
  return {StatementKind::For,
          "",
          binary(compare, variable, std::move(end)),
          prefix("++", variable),
          {define(std::string(type) + " " + own, std::move(first), own)},
          std::move(body)};
}
std::string written(Statements code, unsigned mostNodes = 1000) {
  const auto made = passes::withoutLoops(code, mostNodes);
  return made ? text(*made, 0) : "none";
}

std::string number(const char* op, const char* left, const char* right) {
  const auto of = [](const char* text) { return literal(text, *text == '-' ? Prec::Unary : Prec::Primary); };
  return text(folded(binary(op, of(left), of(right))));
}

TEST(Fold, NumbersFollowTheRulesOfC) {
  EXPECT_EQ(number("/", "-7", "2"), "-3");
  EXPECT_EQ(number("%", "-7", "2"), "-1");
  EXPECT_EQ(number("*", "3U", "4"), "12U");
  EXPECT_EQ(number("-", "1U", "2L"), "-1L");
  EXPECT_EQ(number("+", "1L", "2UL"), "3UL");
  EXPECT_EQ(number("<=", "2", "2"), "1");
  EXPECT_EQ(number("&&", "2", "0"), "0");
  EXPECT_EQ(text(folded(binary("-", parentheses(cast("long", literal("3"))), binary("*", k, binary("+", one, one))))),
            "3L - k * 2");
  EXPECT_EQ(text(folded(prefix("-", literal("3")))), "-3");
}

TEST(Fold, WhatOverflowsOrIsNoWholeNumberStays) {
  EXPECT_EQ(number("+", "2147483647", "1"), "2147483647 + 1");
  EXPECT_EQ(number("-", "1U", "2U"), "1U - 2U");
  EXPECT_EQ(number("<", "-1", "2U"), "-1 < 2U");
  EXPECT_EQ(number("/", "1", "0"), "1 / 0");
  EXPECT_EQ(number("+", "1.5f", "1"), "1.5f + 1");
  EXPECT_EQ(number("+", "010", "1"), "010 + 1");
  EXPECT_EQ(number("+", "0x10", "1"), "0x10 + 1");
  EXPECT_EQ(number("*", "4294967296", "2"), "8589934592L");
  EXPECT_EQ(text(folded(cast("float", one))), "(float)1");
  EXPECT_EQ(text(folded(cast("uchar", literal("300")))), "(uchar)300");
}

TEST(ConstantLoops, AreWrittenOutStepByStep) {
  EXPECT_EQ(written({loop(literal("2"), {add(subscript(name("a"), binary("-", binary("/", k, literal("2")), one)))})}),
            "s += a[-1];\ns += a[-1];\n");
  EXPECT_EQ(written({loop(one, {add(k)}, "<=", literal("-1", Prec::Unary))}), "s += -1;\ns += 0;\ns += 1;\n");
  EXPECT_EQ(written({loop(literal("2"), {add(k)}, "<", zero, "size_t")}), "none");
  EXPECT_EQ(written({loop(literal("2"), {add(binary("-", k, one))}, "<", one, "ulong")}), "s += 0UL;\n");
  EXPECT_EQ(written({loop(zero, {add(k)})}), "");
}

TEST(ConstantLoops, TheirVariablesHaveNamesOfTheirOwn) {
  const Statement own = define("float t[2]", {}, "t"), set = evaluate(assign(subscript(name("t"), zero), k));
  EXPECT_EQ(written({loop(literal("2"), {own, set, add(subscript(name("t"), zero))}), add(name("t"))}),
            "float t__0[2];\nt__0[0] = 0;\ns += t__0[0];\nfloat t__1[2];\nt__1[0] = 1;\ns += t__1[0];\ns += t;\n");
  // A name of the program that looks like one of a step.
  EXPECT_EQ(written({loop(one, {own, add(name("t__0"))})}), "float t__l_0[2];\ns += t__0;\n");
  // Loops inside, whose bounds are those of steps.
  const Statement inner = loop(binary("+", k, one), {add(binary("*", l, k))}, "<", k, "int", l);
  EXPECT_EQ(written({loop(literal("3"), {inner})}), "s += 0;\ns += 1;\ns += 4;\n");
}

TEST(ConstantLoops, AVariableFromOutsideHasItsLastValueBehindThem) {
  const Statement outside{StatementKind::For,          "",      binary("<", k, literal("2")), postfix(k, "++"),
                          {evaluate(assign(k, zero))}, {add(k)}};
  EXPECT_EQ(written({define("int k", {}, "k"), outside, add(k)}), "int k;\ns += 0;\ns += 1;\nk = 2;\ns += k;\n");
  EXPECT_EQ(written({outside}), "none");  // its type is not known
}

TEST(ConstantLoops, ChoicesByTheirVariablesAreMade) {
  const Statement some{StatementKind::If, "", binary("==", k, one), {}, {}, {add(literal("5"))}, {add(literal("7"))}};
  EXPECT_EQ(written({loop(literal("2"), {some})}), "s += 7;\ns += 5;\n");
  Statement scoped = some;
  scoped.body = {define("int t", k, "t"), add(name("t"))};
  EXPECT_EQ(written({loop(literal("2"), {scoped})}), "s += 7;\n{\n  int t__1 = 1;\n  s += t__1;\n}\n");
}

TEST(ConstantLoops, OthersStayAsTheyAre) {
  const Statement jump = choice(name("s"), {ir::jump("continue")});
  EXPECT_EQ(written({add(one)}), "none");
  EXPECT_EQ(written({loop(name("n"), {add(k)})}), "none");
  EXPECT_EQ(written({loop(literal("2"), {add(k)}), loop(name("n"), {add(k)})}), "none");
  EXPECT_EQ(written({loop(literal("2"), {jump})}), "none");
  EXPECT_EQ(written({loop(literal("2"), {evaluate(assign(k, one, "+="))})}), "none");
  EXPECT_EQ(written({loop(literal("2"), {define("int k", one, "k"), add(k)})}), "none");
  EXPECT_EQ(written({loop(literal("2"), {add(k)}, "<", literal("-1", Prec::Unary), "uint")}), "none");
  EXPECT_EQ(written({loop(literal("300"), {Statement{}})}), "none");
  // What C converts: -1 is no number below 2U, and a first value may be another one in the variable.
  EXPECT_EQ(written({loop(literal("2U"), {add(k)}, "<", literal("-1", Prec::Unary))}), "none");
  EXPECT_EQ(written({loop(literal("2"), {add(k)}, "<", literal("4294967295U"))}), "none");
  EXPECT_EQ(written({loop(literal("2"), {add(k)}, "<", literal("4294967296L"), "uint")}), "none");
  EXPECT_EQ(written({loop(literal("2147483647"), {add(k)}, "<=", literal("2147483646"))}), "none");
  EXPECT_EQ(written({loop(literal("9"), {add(k)})}, 26), "none");
  EXPECT_NE(written({loop(literal("9"), {add(k)})}, 27), "none");
  EXPECT_EQ(written({{StatementKind::While, "", name("s"), {}, {}, {loop(one, {add(k)})}}}), "none");
}

}  // namespace
}  // namespace muster::plugin
