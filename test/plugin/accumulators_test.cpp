// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that loops add up into, as variables.
#include <gtest/gtest.h>

#include "passes/Accumulators.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression i = name("i"), k = name("k"), zero = literal("0");

Expression c(Expression index) { return subscript(name("c"), std::move(index)); }
Expression a(Expression index) { return subscript(name("a"), std::move(index)); }
Statement store(Expression place, Expression value, const char* op = "=") {
  return evaluate(assign(std::move(place), std::move(value), op));
}
Statement loop(Statements body) {
  Statement made{StatementKind::For, "", binary("<", k, name("n")), postfix(k, "++")};
  made.first = {define("int k", zero, "k")}, made.body = std::move(body);
  return made;
}

// "": nothing becomes a variable.
std::string made(const Statements& iteration) {
  passes::Memory memory;
  memory.isArray = [](const std::string& name) { return name == "a" || name == "c" || name == "records"; };
  memory.numbersOf = [](const std::string& name) {
    return name == "records" ? passes::Memory::Numbers{} : passes::Memory::Numbers{"float", 4};
  };
  const auto code = passes::accumulatedApart(iteration, memory);
  return code ? print::text(*code, 0) : "";
}

TEST(Accumulators, AreElementsThatAreStoredInFrontOfTheLoop) {
  EXPECT_EQ(made({store(c(i), a(zero)), loop({store(c(i), a(k), "+=")})}),
            "float muster_a0 = a[0];\nfor (int k = 0; k < n; k++) {\n  muster_a0 += a[k];\n}\nc[i] = muster_a0;\n");
  EXPECT_EQ(made({store(c(i), name("x"), "*="), loop({store(c(i), a(k), "+=")})}).substr(0, 31),
            "float muster_a0 = c[i] * (x);\nf");
  // The loop may not run.
  EXPECT_EQ(made({loop({store(c(i), a(k), "+=")})}), "");
  EXPECT_EQ(
      made({store(c(i), zero), loop({store(c(i), a(k), "+=")}), loop({store(c(i), a(k), "-=")})}),
      "float muster_a0 = 0;\nfor (int k = 0; k < n; k++) {\n  muster_a0 += a[k];\n}\nfloat muster_a1 = muster_a0;\n"
      "for (int k = 0; k < n; k++) {\n  muster_a1 -= a[k];\n}\nc[i] = muster_a1;\n");
}

TEST(Accumulators, AreAllThatTheLoopNamesOfTheArray) {
  EXPECT_EQ(made({store(c(i), zero), loop({store(c(i), c(k), "+=")})}), "");
  EXPECT_EQ(made({store(c(i), zero), loop({store(c(k), a(k), "+=")})}), "");
  EXPECT_EQ(made({store(c(i), zero), store(c(k), zero), loop({store(c(i), a(k), "+=")})}), "");
  const Statement pointer = define("float *p", binary("+", name("c"), i), "p");
  EXPECT_EQ(made({pointer, store(c(i), zero), loop({store(c(i), subscript(name("p"), k), "+=")})}), "");
  EXPECT_EQ(made({store(c(i), zero), loop({store(c(i), a(k), "+="), evaluate(call("f", {prefix("&", c(i))}))})}), "");
  EXPECT_EQ(made({store(c(i), zero), loop({store(a(k), c(i))})}), "");  // it adds nothing up
  const Expression record = subscript(name("records"), i);
  EXPECT_EQ(made({store(record, zero), loop({store(record, a(k))})}), "");
}

TEST(Accumulators, AreChangedUnderConditions) {
  const auto less = [](const Expression& value) { return binary("<", value, name("x")); };
  EXPECT_EQ(made({store(c(i), a(i)), choice(less(c(i)), {store(c(i), zero)})}),
            "float muster_a0 = a[i];\nif (muster_a0 < x) {\n  muster_a0 = 0;\n}\nc[i] = muster_a0;\n");
  // What the condition reads is read in any case.
  EXPECT_EQ(
      made({store(c(i), zero), choice(less(a(i)), {store(c(i), name("y"))}), choice(less(c(i)), {store(c(i), zero)})}),
      "float muster_a0 = 0;\nconst int muster_if1 = a[i] < x ? 1 : 0;\nif (muster_if1) {\n  muster_a0 = y;\n}\n"
      "float muster_a1 = muster_a0;\nif (muster_a1 < x) {\n  muster_a1 = 0;\n}\nc[i] = muster_a1;\n");
  EXPECT_EQ(made({store(c(i), zero), choice(less(c(k)), {store(c(i), zero)})}), "");
  EXPECT_EQ(made({store(c(i), zero), choice(less(c(i)), {store(a(i), zero)})}), "");
  EXPECT_EQ(made({store(c(i), zero), choice(less(c(i)), {store(c(i), zero), giveBack()})}), "");
}

TEST(Accumulators, StayWhereTheyAre) {
  EXPECT_EQ(made({store(c(i), zero), loop({store(c(i), a(k), "+="), evaluate(postfix(i, "++"))})}), "");
  EXPECT_EQ(made({store(c(i), zero), evaluate(postfix(i, "++")), loop({store(c(i), a(k), "+=")})}), "");
  EXPECT_EQ(made({store(c(i), zero), loop({define("int i", k, "i"), store(c(i), a(k), "+=")})}), "");
  EXPECT_EQ(made({store(c(a(i)), zero), loop({store(c(a(i)), a(k), "+=")})}), "");
  EXPECT_EQ(made({store(c(i), zero), loop({store(c(i), a(k), "+="), jump("break")})}), "");
  EXPECT_EQ(made({store(c(i), zero), choice(i, {giveBack()}), loop({store(c(i), a(k), "+=")})}), "");
}

}  // namespace
}  // namespace muster::plugin
