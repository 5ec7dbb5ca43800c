// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are steps of time, and those that are none.
#include <gtest/gtest.h>

#include "passes/TimeSteps.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression i = name("i"), j = name("j"), n = name("n"), one = literal("1"), two = literal("2");

Expression plus(Expression left, Expression right) { return binary("+", std::move(left), std::move(right)); }
Expression minus(Expression left, Expression right) { return binary("-", std::move(left), std::move(right)); }
Expression at(Expression row, Expression column) { return plus(binary("*", std::move(row), n), std::move(column)); }
Expression in(const char* array, Expression row, Expression column) {
  return subscript(name(array), at(std::move(row), std::move(column)));
}
Expression a(Expression row, Expression column) { return in("a", std::move(row), std::move(column)); }
Statement store(Expression value, const char* op = "=") {
  return evaluate(assign(in("b", i, j), std::move(value), op));
}

std::optional<passes::TimeStep> stepOf(const Statements& body, const char* type = "float") {
  passes::TimeStepContext context;
  context.row = "i", context.column = "j", context.window = "W", context.mostReach = 2;
  context.memory.constantOf = [](const std::string& name) { return name == "n" ? 3 : name == "m" ? 4 : -1; };
  context.memory.isArray = [](const std::string& name) { return name.size() == 1 && name[0] >= 'a' && name[0] < 'e'; };
  context.memory.numbersOf = [type](const std::string& name) {
    return name == "c" ? passes::Memory::Numbers{"int", 4} : passes::Memory::Numbers{type, 4};
  };
  context.mayWiden = [](const std::string& name) { return name == "n" || name == "m"; };
  Statements all = {define("int i", call("first", {}), "i"), define("int j", call("first", {}), "j")};
  all.insert(all.end(), body.begin(), body.end());
  return passes::timeStep(all, context);
}

TEST(TimeSteps, ReadAroundTheElementThatTheyWrite) {
  const auto step = stepOf({define("float s", plus(a(minus(i, one), j), a(i, plus(j, two))), "s"),
                            store(plus(name("s"), in("d", plus(i, n), j)))});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->from, "a");
  EXPECT_EQ(step->to, "b");
  EXPECT_EQ(step->reach, 2U);
  EXPECT_EQ(step->first, (std::array{-1, 0}));
  EXPECT_EQ(step->last, (std::array{0, 2}));
  EXPECT_EQ(step->firstBack, (std::array{0, 0}));
  EXPECT_EQ(step->lastBack, (std::array{-1, 0}));
  EXPECT_FALSE(step->needsCorners);
  EXPECT_TRUE(step->readsOthers);
  EXPECT_EQ(print::text(step->before, 0), "int i = first();\nint j = first();\nfloat s = W(-1, 0) + W(0, 2);\n");
  EXPECT_EQ(print::text(step->value), "s + d[(i + n) * n + j]");
  EXPECT_EQ(print::text(step->position, 0), "int i = first();\nint j = first();\n");
}

TEST(TimeSteps, HaveNothingInTheirPositionThatHangsOnWhatIsRead) {
  const auto step = stepOf({define("float s", a(minus(i, one), j), "s"), define("float t", plus(name("s"), two), "t"),
                            define("float u", plus(name("x"), two), "u"), store(plus(name("t"), name("u")))});
  ASSERT_TRUE(step);
  EXPECT_EQ(print::text(step->position, 0), "int i = first();\nint j = first();\nfloat u = x + 2;\n");
}

TEST(TimeSteps, MayBeCopies) {
  const auto step = stepOf({store(binary("*", a(i, j), two))});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->from, "a");
  EXPECT_EQ(step->reach, 0U);
}

TEST(TimeSteps, NeedCornersWhereTheFurthestRowHasOtherColumns) {
  EXPECT_TRUE(stepOf({store(a(plus(i, one), minus(j, one)))})->needsCorners);
  EXPECT_FALSE(stepOf({store(a(minus(i, one), minus(j, one)))})->needsCorners);
  EXPECT_FALSE(stepOf({store(plus(a(plus(i, two), j), a(plus(i, one), minus(j, one))))})->needsCorners);
}

TEST(TimeSteps, MayChooseAndChangeVariables) {
  const Statement choose = choice(binary("<", a(i, j), one), {evaluate(assign(name("s"), a(i, plus(j, one))))});
  EXPECT_TRUE(stepOf({define("float s", one, "s"), choose, store(name("s"))}));
  // Another one than the iteration's own.
  EXPECT_FALSE(stepOf({evaluate(assign(name("t"), one)), store(a(i, plus(j, one)))}));
  EXPECT_FALSE(stepOf({evaluate(postfix(name("j"), "++")), store(a(i, plus(j, one)))}));
}

TEST(TimeSteps, AreNoOtherLoops) {
  EXPECT_FALSE(stepOf({store(plus(a(i, j), in("d", i, j)))}));             // of which of the two?
  EXPECT_FALSE(stepOf({store(plus(a(i, plus(j, one)), in("b", i, j)))}));  // reads what it writes
  EXPECT_FALSE(stepOf({store(a(i, plus(j, one)), "+=")}));
  EXPECT_FALSE(stepOf({store(a(i, plus(j, literal("3"))))}));  // too far
  EXPECT_FALSE(stepOf({store(a(plus(i, i), j))}));             // at other distances
  EXPECT_FALSE(stepOf({store(a(j, i))}));
  EXPECT_FALSE(stepOf({store(in("c", i, plus(j, one)))}));         // of another type
  EXPECT_FALSE(stepOf({store(a(i, plus(j, one))), store(one)}));   // two stores
  EXPECT_FALSE(stepOf({choice(n, {store(a(i, plus(j, one)))})}));  // perhaps none
  EXPECT_FALSE(stepOf({choice(n, {giveBack()}), store(a(i, plus(j, one)))}));
  EXPECT_FALSE(stepOf({evaluate(assign(subscript(name("b"), binary("*", i, n)), a(i, plus(j, one))))}));
  EXPECT_FALSE(stepOf({evaluate(assign(in("b", i, binary("*", two, j)), a(i, plus(binary("*", two, j), one))))}));
}

TEST(TimeSteps, KnowRowsOfTheArraysOwnLengths) {
  const auto other = [](Expression row, Expression column) {
    return subscript(name("a"), plus(binary("*", std::move(row), name("m")), std::move(column)));
  };
  const auto step = stepOf({store(plus(other(minus(i, one), j), other(i, plus(j, one))))});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->equal, (std::array<std::string, 2>{"n", "m"}));
  EXPECT_EQ(step->first, (std::array{-1, 0}));
  EXPECT_EQ(stepOf({store(a(i, plus(j, one)))})->equal, (std::array<std::string, 2>{}));
  // Which of the two lengths it is depends on the read.
  EXPECT_FALSE(stepOf({store(plus(a(i, plus(j, one)), other(plus(i, one), j)))}));
  EXPECT_FALSE(stepOf({store(plus(other(minus(i, one), j), subscript(name("a"), plus(i, j))))}));
}

TEST(TimeSteps, CountInWideNumbersWithoutASign) {
  const Statement wide = define("ulong k", plus(binary("*", i, n), j), "k");
  const auto at = [](const char* op) { return subscript(name("a"), binary(op, name("k"), literal("1"))); };
  EXPECT_TRUE(stepOf({wide, store(plus(at("-"), at("+")))}));
  EXPECT_FALSE(stepOf({define("uint k", plus(binary("*", i, n), j), "k"), store(plus(at("-"), at("+")))}));
}

// At the edges of groups, values that count for nothing are computed, too.
TEST(TimeSteps, DoNoHarmWithAnyValues) {
  const Expression next = a(i, plus(j, one)), here = a(i, j);
  EXPECT_TRUE(stepOf({store(binary("/", next, here))}));
  EXPECT_FALSE(stepOf({store(binary("/", next, here))}, "int"));
  EXPECT_TRUE(stepOf({store(binary("/", next, two))}, "int"));
  EXPECT_FALSE(stepOf({store(binary("/", next, literal("0")))}, "int"));
  EXPECT_FALSE(stepOf({store(binary("/", one, cast("int", next)))}));
  EXPECT_FALSE(stepOf({store(plus(next, binary("/", literal("100"), i)))}));
  EXPECT_FALSE(stepOf({store(plus(next, binary("%", literal("100"), j)))}));
  EXPECT_TRUE(stepOf({store(plus(next, binary("/", literal("1.0f"), i)))}));
  EXPECT_TRUE(stepOf({define("const float s", next, "s"), store(binary("/", plus(name("s"), one), j))}));
  EXPECT_FALSE(stepOf({store(plus(next, subscript(name("d"), cast("int", here))))}));
  EXPECT_FALSE(stepOf({define("int k", here, "k"), store(plus(next, subscript(name("d"), name("k"))))}));
  EXPECT_FALSE(stepOf({store(plus(next, call("f", {name("d")})))}));
  EXPECT_FALSE(stepOf({store(plus(next, call("f", {name("a")})))}));
}

}  // namespace
}  // namespace muster::plugin
