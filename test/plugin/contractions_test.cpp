// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose sums read elements that each miss one of two axes.
#include <gtest/gtest.h>

#include "passes/Contractions.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using Next = passes::ContractedRead::Next;

const Expression i = name("i"), j = name("j"), k = name("k"), n = name("n"), sum = name("sum");

Expression element(const char* array, Expression row, Expression column) {
  return subscript(name(array), binary("+", binary("*", std::move(row), n), std::move(column)));
}

passes::ContractionContext contextOf(const char* type, unsigned bytes) {
  passes::ContractionContext context;
  context.axes = {passes::LaneAxis{"muster_k_1", 1, "j", "j"}, passes::LaneAxis{"muster_k_0", 1, "i", "i"}};
  context.memory.constantOf = [](const std::string& name) { return name == "n" ? 0 : -1; };
  context.memory.isArray = [](const std::string& name) { return name == "a" || name == "b" || name == "c"; };
  context.memory.numbersOf = [=](const std::string&) { return passes::Memory::Numbers{type, bytes}; };
  context.isRead = [](const std::string& name) { return name != "c"; };
  return context;
}

Statement loopOf(Statements body, Expression end = n) {
  Statement loop{StatementKind::For, "", binary("<", k, std::move(end)), prefix("++", k)};
  loop.first = {define("int k", literal("0"), "k")};
  loop.body = std::move(body);
  return loop;
}

Statements iterationOf(Statement loop) {
  return {define("int i", name("muster_k_0"), "i"), define("int j", name("muster_k_1"), "j"),
          define("float sum", literal("0"), "sum"), std::move(loop), evaluate(assign(element("c", i, j), sum))};
}

std::optional<passes::Contraction> contracted(Statement loop, const char* type = "float", unsigned bytes = 4) {
  return passes::contraction(iterationOf(std::move(loop)), contextOf(type, bytes), 8);
}

Statement add(Expression value) { return evaluate(assign(sum, std::move(value), "+=")); }

TEST(Contractions, ReadsAreOfOneAxisEach) {
  const auto found = contracted(loopOf({add(binary("*", element("a", i, k), element("b", k, j)))}));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->reads.size(), 2u);
  EXPECT_EQ(found->reads[0].axis, 1u);
  EXPECT_EQ(found->reads[0].next, Next::Step);
  EXPECT_EQ(print::text(found->reads[0].element), "a[i * n + k]");
  EXPECT_EQ(found->reads[1].axis, 0u);
  EXPECT_EQ(found->reads[1].next, Next::Lane);
  EXPECT_EQ(found->lanes, (std::array{8u, 8u}));
  const std::string step = print::text(found->step, 0);
  EXPECT_NE(step.find("sum__7__2 += muster_own0_2 * muster_own1_7;\n"), std::string::npos) << step;
  const std::string rest = print::text(Statements{found->rest}, 0);
  EXPECT_NE(rest.find("for (int k = (int)muster_t; k < n; ++k)"), std::string::npos) << rest;
  EXPECT_NE(rest.find("sum__7__2 += a[i__2 * n + k] * b[k * n + j__7];"), std::string::npos) << rest;
  ASSERT_EQ(found->behind.size(), 64u);
  EXPECT_EQ(print::text(found->behind.back().second, 0), "c[i__7 * n + j__7] = sum__7__7;\n");
}

TEST(Contractions, WideElementsHaveFewerLanes) {
  const auto found = contracted(loopOf({add(binary("*", element("a", i, k), element("b", j, k)))}), "double", 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lanes, (std::array{4u, 8u}));
  EXPECT_EQ(found->reads[1].next, Next::Step);
}

TEST(Contractions, OneElementIsLoadedOnce) {
  const Expression a = element("a", i, k), b = element("b", k, j);
  const auto found = contracted(
      loopOf({define("const float d", binary("-", a, b), "d"), add(binary("*", binary("+", name("d"), a), b))}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->reads.size(), 2u);
}

TEST(Contractions, VariablesThatFollowAColumnAreNoConstants) {
  Statements iteration =
      iterationOf(loopOf({add(binary("*", element("a", i, k), element("b", k, binary("+", j, name("pad")))))}));
  iteration.insert(iteration.begin() + 2, define("int pad", binary("/", j, literal("2")), "pad"));
  const auto found = passes::contraction(iteration, contextOf("float", 4), 8);
  EXPECT_TRUE(!found || found->reads[1].next == Next::Neither);
}

TEST(Contractions, OtherLoopsStayAsTheyAre) {
  const Expression a = element("a", i, k), b = element("b", k, j);
  const Statement both = add(binary("*", a, b));
  // Of one axis alone, of both, without the loop's variable, under a condition, of an array that is written.
  EXPECT_FALSE(contracted(loopOf({add(a)})));
  EXPECT_FALSE(contracted(loopOf({both, add(element("a", i, binary("+", j, k)))})));
  EXPECT_FALSE(contracted(loopOf({both, add(element("a", i, literal("1")))})));
  EXPECT_FALSE(
      contracted(loopOf({add(conditional(binary("<", a, b), element("b", binary("+", k, literal("1")), j), a))})));
  EXPECT_FALSE(contracted(loopOf({both, add(element("c", i, k))})));
  // Stores, jumps and other loops in it; an end that differs between iterations, or that the loop changes.
  EXPECT_FALSE(contracted(loopOf({both, evaluate(assign(element("c", i, k), sum))})));
  EXPECT_FALSE(contracted(loopOf({both, choice(binary(">", sum, literal("9")), {jump("break")})})));
  EXPECT_FALSE(contracted(loopOf({loopOf({both})})));
  EXPECT_FALSE(contracted(loopOf({both}, i)));
  EXPECT_FALSE(contracted(loopOf({both}, name("fraction"))));
  Statements changing = iterationOf(loopOf({both, evaluate(prefix("++", name("end")))}, name("end")));
  changing.insert(changing.begin(), define("int end", n, "end"));
  EXPECT_FALSE(passes::contraction(changing, contextOf("float", 4), 8));
  Statement early = loopOf({both});
  early.first = {define("int k", prefix("-", literal("1")), "k")};
  EXPECT_FALSE(contracted(early));
  EXPECT_FALSE(contracted(loopOf({both}, binary("-", n, k))));
  // Under a condition that all have in common, a variable of all.
  const Statement turn = choice(binary("&", k, literal("1")), {evaluate(assign(name("w"), literal("2"), "*=")), both});
  Statements common = iterationOf(loopOf({turn, both}));
  common.insert(common.begin(), define("float w", literal("1"), "w"));
  EXPECT_FALSE(passes::contraction(common, contextOf("float", 4), 8));
  // Narrow elements.
  EXPECT_FALSE(contracted(loopOf({both}), "ushort", 2));
}

TEST(Contractions, WhatStandsAroundChangesNothingThatOthersSee) {
  const Statement loop = loopOf({add(binary("*", element("a", i, k), element("b", k, j)))});
  Statements early = iterationOf(loop), again = iterationOf(loop);
  early.insert(early.begin() + 2, evaluate(assign(element("c", i, j), literal("0"))));
  EXPECT_FALSE(passes::contraction(early, contextOf("float", 4), 8));
  again.push_back(loop);
  EXPECT_FALSE(passes::contraction(again, contextOf("float", 4), 8));
  Statements shared = iterationOf(loop);
  shared.push_back(evaluate(prefix("++", i)));
  EXPECT_FALSE(passes::contraction(shared, contextOf("float", 4), 8));
}

}  // namespace
}  // namespace muster::plugin
