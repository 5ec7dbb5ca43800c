// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that are named from the first of those around them.
#include <gtest/gtest.h>

#include "passes/Neighbours.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression i = name("i"), n = name("n"), one = literal("1");

Expression a(Expression index) { return subscript(name("a"), std::move(index)); }
Expression plus(Expression left, Expression right) { return binary("+", std::move(left), std::move(right)); }
Expression minus(Expression left, Expression right) { return binary("-", std::move(left), std::move(right)); }
Expression times(Expression left, Expression right) { return binary("*", std::move(left), std::move(right)); }
Expression at(Expression row) { return plus(times(std::move(row), n), name("j")); }
Statement get(const char* to, Expression from) { return define("const float " + std::string(to), std::move(from), to); }

// What becomes of statements behind the definitions of i, j, and `up`, which is i + 1.
std::string named(const Statements& body) {
  passes::Memory memory;
  memory.constantOf = [](const std::string& name) { return name == "n" ? 7 : name == "u" ? 8 : -1; };
  memory.isArray = [](const std::string& name) { return name == "a" || name == "rows"; };
  memory.numbersOf = [](const std::string& name) {
    return name == "rows" ? passes::Memory::Numbers{"double", 8, {30, 20}} : passes::Memory::Numbers{"float", 4};
  };
  Statements all = {define("int i", call("first", {}), "i"), define("int j", call("first", {}), "j"),
                    define("int up", plus(i, one), "up")};
  all.insert(all.end(), body.begin(), body.end());
  memory.variables = passes::variablesIn(all, [](const std::string& name) { return name == "n" || name == "u"; });
  Statements made = passes::namedFromFirst(all, memory, [](const std::string& name) { return name == "n"; });
  made.erase(made.begin(), made.begin() + 3);
  return print::text(made, 0);
}

TEST(Neighbours, AreSoManyNumbersAndConstantsFromTheFirst) {
  EXPECT_EQ(named({get("x", a(at(i))), get("y", plus(a(plus(at(name("up")), one)), a(minus(at(minus(i, one)), one)))),
                   evaluate(assign(a(at(plus(name("up"), one))), name("x")))}),
            "__global float *muster_p0 = &a[i * n + j];\n"
            "const float x = muster_p0[0];\n"
            "const float y = muster_p0[1 + (long)n] + muster_p0[-1 - (long)n];\n"
            "muster_p0[(long)n * 2] = x;\n");
}

TEST(Neighbours, MayLieInArraysOfArrays) {
  const auto row = [](Expression z, Expression y, Expression x) {
    return subscript(subscript(subscript(name("rows"), std::move(z)), std::move(y)), std::move(x));
  };
  EXPECT_EQ(named({get("x", row(i, name("j"), literal("0"))), get("y", row(name("up"), minus(name("j"), one), one)),
                   get("z", row(i, name("j"), cast("long", n)))}),
            "__global const double *muster_p0 = &rows[i][j][0];\n"
            "const float x = muster_p0[0];\nconst float y = muster_p0[581];\nconst float z = muster_p0[(long)n];\n");
  // A row is no element.
  EXPECT_EQ(named({get("x", subscript(name("rows"), i)), get("y", subscript(name("rows"), name("up"))),
                   get("z", subscript(name("rows"), name("j")))}),
            "const float x = rows[i];\nconst float y = rows[up];\nconst float z = rows[j];\n");
}

TEST(Neighbours, OfOtherFirstsAreCountedApart) {
  const std::string same = "const float x = a[i];\nconst float y = a[up];\nconst float z = a[i * i];\n";
  EXPECT_EQ(named({get("x", a(i)), get("y", a(name("up"))), get("z", a(times(i, i)))}), same);
}

TEST(Neighbours, HaveIndexesOfTheSameValueIn64Bits) {
  const Expression u = name("u");
  const auto apart = [&](const Expression& step) {
    return named({get("x", a(i)), get("y", a(plus(i, step))), get("z", a(minus(i, step))), get("w", a(minus(i, one)))});
  };
  EXPECT_NE(apart(n).find("muster_p0[-(long)n]"), std::string::npos);
  EXPECT_EQ(apart(u).find("muster_p0"), std::string::npos);
  EXPECT_EQ(apart(literal("1U")).find("muster_p0"), std::string::npos);
  EXPECT_EQ(apart(cast("uint", n)).find("muster_p0"), std::string::npos);
  EXPECT_EQ(apart(a(i)).find("muster_p0[a"), std::string::npos);
}

// Where their first is named, and wherever they are.
TEST(Neighbours, HaveVariablesOfOneValue) {
  const Statements reads = {get("x", a(name("k"))), get("y", a(plus(name("k"), one))),
                            get("z", a(plus(name("k"), literal("2"))))};
  Statements body = {define("int k", call("next", {}), "k")};
  body.insert(body.end(), reads.begin(), reads.end());
  EXPECT_NE(named(body).find("muster_p0"), std::string::npos);
  Statements changed = body;
  changed.insert(changed.begin() + 2, evaluate(postfix(name("k"), "++")));
  EXPECT_EQ(named(changed).find("muster_p0"), std::string::npos);
  // Inside of a block, and once more outside.
  const Statement inside = choice(name("j"), body);
  EXPECT_EQ(named({inside}).find("muster_p0"), std::string::npos);
  Statements twice = body;
  twice.push_back(inside);
  EXPECT_EQ(named(twice).find("muster_p0"), std::string::npos);
}

// The index of another one may overflow.
TEST(Neighbours, FollowFromOneThatIsTouchedInAnyCase) {
  const Expression far = binary("+", i, name("n")), condition = binary("<", name("j"), one);
  const Statements reads = {get("x", plus(a(i), a(plus(i, one)))), get("y", a(minus(i, one)))};
  const auto behind = [&](Statement first) {
    Statements body = {std::move(first)};
    body.insert(body.end(), reads.begin(), reads.end());
    return named(body);
  };
  const std::string expected = "__global const float *muster_p0 = &a[i];\nconst float x = muster_p0[0]";
  EXPECT_NE(behind(choice(condition, {get("f", a(far))})).find("f = a[i + n];\n}\n" + expected), std::string::npos);
  EXPECT_NE(behind(get("f", conditional(condition, a(far), one))).find("? a[i + n] : 1;\n" + expected),
            std::string::npos);
  // A variable of a block gives the place of an element in front of the first one.
  const Statement inside = choice(condition, {define("int k", far, "k"), get("f", a(name("k")))});
  EXPECT_NE(behind(inside).find("f = a[k];\n}\n" + expected), std::string::npos);
}

}  // namespace
}  // namespace muster::plugin
