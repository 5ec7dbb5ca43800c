// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code between the program's and a device's: how it is printed, changed and counted.
#include <gtest/gtest.h>

#include <map>

#include "ir/Changes.h"
#include "passes/InnerLoops.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression a = name("a"), b = name("b"), c = name("c"), one = literal("1");

TEST(Print, HasTheParenthesesThatCNeeds) {
  EXPECT_EQ(text(binary("*", binary("+", a, b), c)), "(a + b) * c");
  EXPECT_EQ(text(binary("-", a, binary("-", b, c))), "a - (b - c)");
  EXPECT_EQ(text(binary("-", binary("-", a, b), c)), "a - b - c");
  EXPECT_EQ(text(member(target(a), "x")), "(*a).x");
  EXPECT_EQ(text(subscript(binary("+", a, b), binary("+", b, one))), "(a + b)[b + 1]");
  EXPECT_EQ(text(cast("int", binary("+", a, b))), "(int)(a + b)");
  EXPECT_EQ(text(call("f", {comma({a, b}), c})), "f((a, b), c)");
  EXPECT_EQ(text(conditional(assign(a, b), c, conditional(a, b, c))), "(a = b) ? c : a ? b : c");
  EXPECT_EQ(text(conditional(conditional(a, b, c), b, c)), "(a ? b : c) ? b : c");
  EXPECT_EQ(text(assign(a, assign(b, c, "+="))), "a = b += c");
  EXPECT_EQ(text(braces({comma({a, b}), designated("x", c)}, "pair")), "MUSTER_MAKE(pair){(a, b), .x = c}");
}

TEST(Print, DoesNotMakeOtherOperators) {
  EXPECT_EQ(text(prefix("-", prefix("-", a))), "-(-a)");
  EXPECT_EQ(text(prefix("-", literal("-3", Prec::Unary))), "-(-3)");
  EXPECT_EQ(text(prefix("+", prefix("++", a))), "+(++a)");
  EXPECT_EQ(text(prefix("!", prefix("!", a))), "!!a");
  EXPECT_EQ(text(binary("-", a, prefix("-", b))), "a - -b");
}

TEST(Print, HasTheParenthesesThatReadersExpect) {
  EXPECT_EQ(text(binary("|", binary("&", a, b), c)), "(a & b) | c");
  EXPECT_EQ(text(binary("<<", binary("+", a, b), c)), "(a + b) << c");
  EXPECT_EQ(text(binary("||", binary("&&", a, b), c)), "(a && b) || c");
  EXPECT_EQ(text(binary("&", binary("&", a, b), c)), "a & b & c");
}

TEST(Print, Statements) {
  const Statement chained = {StatementKind::If, "", b, {}, {}, {jump("break")}, {}, "", false};
  Statement whole = choice(a, {evaluate(assign(b, one))});
  whole.otherwise = {chained};
  EXPECT_EQ(text(Statements{whole}, 1), "  if (a) {\n    b = 1;\n  } else {\n    if (b) {\n      break;\n    }\n  }\n");
  whole.isChained = true;
  EXPECT_EQ(text(Statements{whole}, 0), "if (a) {\n  b = 1;\n} else if (b) {\n  break;\n}\n");
  EXPECT_EQ(text({{StatementKind::For, "", binary("<", a, b), prefix("++", a), {define("int a", one, "a")}}}, 0),
            "for (int a = 1; a < b; ++a) {\n}\n");
  // C's labels stand before statements only.
  EXPECT_EQ(text({{StatementKind::Label, "here"}, define("int a"), {StatementKind::Label, "end"}}, 1),
            "here:;\n  int a;\nend:;\n");
}

TEST(Rewrite, ChangesEveryUse) {
  Statement loop = {StatementKind::For, "", binary("<", a, b), prefix("++", a), {define("int a", b, "a")}};
  loop.body = {choice(b, {evaluate(assign(c, binary("+", b, c)))}), {StatementKind::Next}};
  Statements code = {loop};
  Statements changed = rewritten(code, [](const Expression& part) {
    return part.is(ExpressionKind::Name, "b") ? std::optional(literal("7")) : std::nullopt;
  });
  EXPECT_EQ(text(changed, 0), "for (int a = 7; a < 7; ++a) {\n  if (7) {\n    c = 7 + c;\n  }\n  continue;\n}\n");
  resolveNext(changed, giveBack());
  EXPECT_EQ(changed[0].body[1].kind, StatementKind::Return);
  EXPECT_EQ(text(code, 0).find('7'), std::string::npos);
}

TEST(Expressions, AreComparedByWhatTheySay) {
  EXPECT_TRUE(binary("+", a, one) == binary("+", name("a"), literal("1")));
  EXPECT_FALSE(binary("+", a, one) == binary("-", a, one));
  EXPECT_FALSE(binary("+", a, one) == binary("+", a, b));
}

// for (int k = first; k COMPARE end; k += step) body
Statement loop(Expression first, const char* compare, Expression end, Expression next, Statements body = {}) {
  return {StatementKind::For,
          "",
          binary(compare, name("k"), std::move(end)),
          std::move(next),
          {define("int k", std::move(first), "k")},
          std::move(body)};
}

passes::InnerLoops count(const Statements& body) {
  return passes::countInnerLoops(body, [](const std::string& name) { return name == "n" ? 4 : name == "r" ? 9 : -1; });
}

TEST(InnerLoops, ConstantBoundsAreCounted) {
  const Expression k = name("k"), up = prefix("++", k), down = postfix(k, "--");
  EXPECT_EQ(count({}).fixed, 1);
  EXPECT_EQ(count({loop(literal("0"), "<", literal("9"), up)}).fixed, 9);
  EXPECT_EQ(count({loop(prefix("-", literal("2")), "<=", literal("2"), up)}).fixed, 5);
  EXPECT_EQ(count({loop(literal("7"), ">", literal("0"), down)}).fixed, 7);
  EXPECT_EQ(count({loop(literal("0"), "<", literal("12u"), assign(k, literal("3"), "+="))}).fixed, 4);
  EXPECT_EQ(count({loop(literal("5"), "<", literal("2"), up)}).fixed, 1);
  const Statement five = loop(literal("0"), "<", literal("5"), up);
  const Statement around = {StatementKind::For,
                            "",
                            binary("<", a, literal("3")),
                            prefix("++", a),
                            {define("int a", literal("0"), "a")},
                            {five}};
  EXPECT_EQ(count({around}).fixed, 15);
  EXPECT_EQ(count({five, five}).fixed, 9);
  // A triangle, by what its rows are on average.
  const Statement row = loop(literal("0"), "<", a, up);
  EXPECT_EQ(count({{StatementKind::For,
                    "",
                    binary("<", a, literal("8")),
                    prefix("++", a),
                    {define("int a", literal("0"), "a")},
                    {row}}})
                .fixed,
            32);
  EXPECT_TRUE(count({five, five}).counts.empty());
}

TEST(InnerLoops, LaunchConstantsAreFactors) {
  const Expression k = name("k"), up = postfix(k, "++"), n = name("n"), r = cast("int", name("r"));
  const passes::InnerLoops window = count({loop(prefix("-", r), "<=", r, up)});
  ASSERT_EQ(window.counts.size(), 1u);
  EXPECT_EQ(window.counts[0].constant, 1);
  EXPECT_EQ(window.counts[0].factors, (std::vector<std::pair<unsigned, double>>{{9, 2}}));
  const passes::InnerLoops half = count({loop(r, "<", binary("/", binary("*", literal("3"), n), literal("2")), up)});
  ASSERT_EQ(half.counts.size(), 1u);
  EXPECT_EQ(half.counts[0].factors, (std::vector<std::pair<unsigned, double>>{{4, 1.5}, {9, -1}}));
  EXPECT_EQ(half.whyNot, "");
}

TEST(InnerLoops, OthersAreNotCounted) {
  const Expression k = name("k"), up = prefix("++", k), end = literal("5");
  EXPECT_NE(count({loop(literal("0"), "<", name("m"), up)}).whyNot, "");
  EXPECT_NE(count({loop(literal("0"), "<", subscript(name("row"), name("i")), up)}).whyNot, "");
  EXPECT_NE(count({loop(literal("0"), "!=", end, up)}).whyNot, "");
  EXPECT_NE(count({loop(literal("0"), "<", end, assign(k, literal("2"), "*="))}).whyNot, "");
  EXPECT_NE(count({loop(literal("0"), "<", end, up, {evaluate(assign(k, one))})}).whyNot, "");
  EXPECT_NE(count({loop(literal("0"), "<", end, up, {evaluate(call("f", {prefix("&", k)}))})}).whyNot, "");
  EXPECT_NE(count({{StatementKind::While, "", one}}).whyNot, "");
  EXPECT_NE(count({choice(a, {{StatementKind::DoWhile, "", a}})}).whyNot, "");
}

}  // namespace
}  // namespace muster::plugin
