// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements work-items keep from one shared loop to the next.
#include "passes/KeptElements.h"

#include <gtest/gtest.h>

#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression i = name("i"), j = name("j"), n = name("n"), sum = name("sum");

Expression element(const char* array, Expression column = j) {
  return subscript(name(array), binary("+", binary("*", i, n), std::move(column)));
}

// for (int j = first; j < n; ++j) body
Statement loopOf(Statements body, const char* first = "0", Expression end = n) {
  static unsigned number = 0;
  Statement loop{
      StatementKind::For, "", binary("<", j, std::move(end)), prefix("++", j), {define("int j", literal(first), "j")},
      std::move(body)};
  loop.groupLoop = number++ % 4 + 1;
  return loop;
}

Statement adds(Expression value) { return evaluate(assign(sum, std::move(value), "+=")); }
Statement stores(const char* array, Expression value, const char* op = "=") {
  return evaluate(assign(element(array), std::move(value), op));
}

// Arrays are of floats, `wide` of doubles, `in` is read alone.
passes::KeptElements keep(Statements loops, bool areApart = true) {
  passes::GroupContext context;
  context.memory.constantOf = [](const std::string& name) { return name == "n" ? 0 : -1; };
  context.memory.isArray = [](const std::string& name) {
    return name == "in" || name == "out" || name == "wide" || name == "other";
  };
  context.memory.numbersOf = [](const std::string& name) {
    return name == "wide" ? passes::Memory::Numbers{"double", 8} : passes::Memory::Numbers{"float", 4};
  };
  context.isRead = [](const std::string& name) { return name == "in"; };
  context.areApart = areApart;
  context.pivots.resize(4);
  for (unsigned number = 1; Statement & loop : loops)
    if (loop.groupLoop != 0) loop.groupLoop = number++;
  loops.insert(loops.begin(), {define("int i", name("muster_k_0"), "i"), define("float sum", literal("0"), "sum")});
  return passes::keptElements(loops, context);
}

std::string bodyOf(const passes::KeptElements& kept, unsigned loop) {
  const auto found = kept.loops.find(loop);
  return found == kept.loops.end() ? "" : print::text(found->second.body, 0);
}
std::string loadsOf(const passes::KeptElements& kept, unsigned loop) {
  const auto found = kept.loops.find(loop);
  return found == kept.loops.end() ? "" : print::text(found->second.loads, 0);
}

TEST(KeptElements, WhatTwoLoopsReadIsLoadedOnce) {
  const auto kept = keep({loopOf({adds(element("in"))}), loopOf({adds(binary("*", element("in"), sum))})});
  EXPECT_EQ(kept.variables, std::vector<std::string>{"float muster_kept0[32]"});
  EXPECT_EQ(loadsOf(kept, 1), "muster_kept0[muster_t] = in[(long)j + (long)(i * n)];\n");
  EXPECT_EQ(loadsOf(kept, 2), "");
  EXPECT_EQ(bodyOf(kept, 1), "sum += muster_kept0[muster_t];\n");
  EXPECT_EQ(bodyOf(kept, 2), "sum += muster_kept0[muster_t] * sum;\n");
}

TEST(KeptElements, OneLoopKeepsNothing) {
  EXPECT_TRUE(keep({loopOf({adds(element("in")), adds(element("in"))})}).loops.empty());
  EXPECT_TRUE(keep({loopOf({adds(element("in"))}), loopOf({adds(element("other"))})}).loops.empty());
  // Other elements, and other steps.
  EXPECT_TRUE(
      keep({loopOf({adds(element("in"))}), loopOf({adds(element("in", binary("+", j, literal("1"))))})}).loops.empty());
  EXPECT_TRUE(keep({loopOf({adds(element("in"))}), loopOf({adds(element("in"))}, "0", name("m"))}).loops.empty());
  EXPECT_TRUE(keep({loopOf({adds(element("in"))}), loopOf({adds(element("in"))}, "40")}).loops.empty());
}

TEST(KeptElements, StoresAreLeftOutWhereAnotherOneFollows) {
  const Statements loops = {loopOf({stores("out", element("in")), adds(element("out"))}),
                            loopOf({stores("out", sum, "/=")})};
  const auto kept = keep(loops);
  ASSERT_EQ(kept.variables.size(), 1U);
  EXPECT_EQ(loadsOf(kept, 1), "");
  EXPECT_EQ(bodyOf(kept, 1), "muster_kept0[muster_t] = in[i * n + j];\nsum += muster_kept0[muster_t];\n");
  EXPECT_EQ(bodyOf(kept, 2), "muster_kept0[muster_t] /= sum;\nout[i * n + j] = muster_kept0[muster_t];\n");
  EXPECT_TRUE(keep(loops, false).loops.empty());
  // The last one only reads.
  const auto read = keep({loopOf({stores("out", literal("1"))}), loopOf({adds(element("out"))})});
  EXPECT_EQ(bodyOf(read, 1), "muster_kept0[muster_t] = 1;\nout[i * n + j] = muster_kept0[muster_t];\n");
}

TEST(KeptElements, ALoopThatBeginsLaterLeavesStepsOut) {
  const auto kept = keep({loopOf({adds(element("in"))}, "2"), loopOf({adds(element("in"))}, "1")});
  EXPECT_EQ(print::text(kept.loops.at(1).first), "1");
  EXPECT_EQ(loadsOf(kept, 1), "muster_kept0[muster_t] = in[(long)j + (long)(i * n)];\n");
  EXPECT_EQ(bodyOf(kept, 1), "if (muster_e >= 1) {\n  sum += muster_kept0[muster_t];\n}\n");
  EXPECT_EQ(bodyOf(kept, 2), "sum += muster_kept0[muster_t];\n");
  // What the later one stores does not stand for all that the first one does.
  const auto stored = keep({loopOf({stores("out", sum)}), loopOf({stores("out", sum, "+=")}, "1")});
  EXPECT_EQ(bodyOf(stored, 1), "muster_kept0[muster_t] = sum;\nout[i * n + j] = muster_kept0[muster_t];\n");
  // Its own first step has no element that is known.
  EXPECT_TRUE(keep({loopOf({choice(sum, {adds(element("in"))})}), loopOf({adds(element("in"))}, "1")}).loops.empty());
}

TEST(KeptElements, WrittenArraysAreNamedByTheseLoopsAlone) {
  const Statements loops = {loopOf({adds(element("out"))}), loopOf({stores("out", sum, "-=")})};
  EXPECT_EQ(loadsOf(keep(loops), 1), "muster_kept0[muster_t] = out[(long)j + (long)(i * n)];\n");
  for (const Statement& other : {adds(subscript(name("out"), literal("0"))), evaluate(call("change", {name("out")})),
                                 define("__global float *p", binary("+", name("out"), literal("3")), "p"),
                                 loopOf({adds(element("out", binary("+", j, literal("1"))))})}) {
    Statements more = loops;
    more.push_back(other);
    if (other.kind == StatementKind::Define) more.push_back(adds(subscript(name("p"), i)));
    EXPECT_TRUE(keep(more).loops.empty()) << print::text({other}, 0);
  }
  const Statement maybe = choice(binary("<", j, literal("5")), {stores("out", sum)});
  EXPECT_TRUE(keep({loopOf({adds(element("out"))}), loopOf({maybe})}).loops.empty());
}

TEST(KeptElements, PointersToRowsAreSeenThrough) {
  const Statement row = define("__global float *row", binary("+", name("out"), binary("*", i, n)), "row");
  const Expression own = subscript(name("row"), j);
  const auto kept = keep({row, loopOf({adds(own)}), loopOf({evaluate(assign(own, sum))})});
  EXPECT_EQ(loadsOf(kept, 1), "muster_kept0[muster_t] = out[(long)j + (long)(i * n)];\n");
  EXPECT_EQ(bodyOf(kept, 2), "muster_kept0[muster_t] = sum;\nrow[j] = muster_kept0[muster_t];\n");
}

TEST(KeptElements, TwoFloatsOrOneDoubleAreKept) {
  const Expression all = binary("+", binary("+", element("in"), element("wide")), element("other"));
  const auto kept = keep({loopOf({adds(all)}), loopOf({adds(all)})});
  EXPECT_EQ(kept.variables, (std::vector<std::string>{"float muster_kept0[32]", "float muster_kept1[32]"}));
  EXPECT_EQ(bodyOf(kept, 2), "sum += muster_kept0[muster_t] + wide[i * n + j] + muster_kept1[muster_t];\n");
}

TEST(KeptElements, NothingIsKeptOverAnEnd) {
  const Statement end = choice(binary("<", sum, literal("3")), {giveBack()});
  EXPECT_TRUE(keep({loopOf({adds(element("in"))}), end, loopOf({adds(element("in"))})}).loops.empty());
  EXPECT_EQ(keep({end, loopOf({adds(element("in"))}), loopOf({adds(element("in"))})}).loops.size(), 2U);
}

TEST(KeptElements, PlacesThatChangeAreNone) {
  const Statement moves = evaluate(assign(name("i"), literal("2")));
  EXPECT_TRUE(keep({loopOf({adds(element("in"))}), moves, loopOf({adds(element("in"))})}).loops.empty());
  const Statement own = define("int k", binary("*", j, literal("2")), "k");
  const Expression there = element("in", binary("*", name("k"), n));
  EXPECT_TRUE(keep({loopOf({own, adds(there)}), loopOf({own, adds(there)})}).loops.empty());
}

}  // namespace
}  // namespace muster::plugin
