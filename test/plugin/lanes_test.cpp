// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations beside each other in one work-item, and loops whose steps read together.
#include <gtest/gtest.h>

#include "passes/Lanes.h"
#include "passes/Unroll.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression i = name("i"), j = name("j"), k = name("k"), n = name("n"), zero = literal("0"), one = literal("1");

Expression element(const char* array, Expression index) { return subscript(name(array), std::move(index)); }
Expression at(Expression row, Expression column) {
  return binary("+", binary("*", std::move(row), n), std::move(column));
}
Expression times(const char* factor, Expression value) { return binary("*", literal(factor), std::move(value)); }
Expression plus(Expression value, const char* number) { return binary("+", std::move(value), literal(number)); }
Statement store(Expression target, Expression value, const char* op = "=") {
  return evaluate(assign(std::move(target), std::move(value), op));
}

// Floats a, b, out; bytes in rows of 8; records without numbers.
passes::Memory memory() {
  passes::Memory memory;
  memory.constantOf = [](const std::string& name) { return name == "n" ? 7 : -1; };
  memory.isArray = [](const std::string& name) {
    return std::string(" a b out rows records ").find(' ' + name + ' ') != std::string::npos;
  };
  memory.numbersOf = [](const std::string& name) {
    if (name == "rows") return passes::Memory::Numbers{"uchar", 1, {8}};
    return name == "records" ? passes::Memory::Numbers{} : passes::Memory::Numbers{"float", 4};
  };
  return memory;
}

std::string whyNot;  // of the last one

// `rowColumn`: "i", if accesses may be wide along rows, too.
std::optional<passes::Lanes> lanes(Statements body, unsigned columns, unsigned rows, const char* apart = "",
                                   const char* rowColumn = "") {
  Statements all = {define("int i", name("muster_k_0"), "i"), define("int j", name("muster_k_1"), "j")};
  all.insert(all.end(), body.begin(), body.end());
  passes::LaneContext context{
      {{"muster_k_1", columns, "j", "j"}, {"muster_k_0", rows, "i", rowColumn}}, memory(), apart};
  context.memory.variables = passes::variablesIn(all, [](const std::string& name) { return name == "n"; });
  std::optional<passes::Lanes> made = passes::makeLanes(all, context, whyNot);
  if (made) {  // without the lanes' own variables
    const unsigned counters = (columns > 1 ? columns : 1) + (rows > 1 ? rows : 1);
    made->code.erase(made->code.begin(), made->code.begin() + counters);
  }
  return made;
}

TEST(Lanes, ThatAreApartReadAndStoreElementByElement) {
  const auto made = lanes({store(element("out", at(i, j)), element("a", at(i, j)), "+=")}, 2, 1, "WIDTH");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->alignment.multiples.empty() && made->alignment.arrays.empty());
  EXPECT_EQ(text(made->code, 0),
            "const float muster_s0 = out[i * n + j__0] + (a[i * n + j__0]);\n"
            "const float muster_s1 = out[i * n + j__1] + (a[i * n + j__1]);\n"
            "out[i * n + j__0] = muster_s0;\nout[i * n + j__1] = muster_s1;\n");
  const Statements wholes = {define("int i", name("muster_k_0"), "i"), define("int j", name("muster_k_1"), "j")};
  passes::LaneContext context{{{"muster_k_1", 3, "j", "j"}, {"muster_k_0", 2, "i"}}, memory(), "WIDTH"};
  context.memory.variables = passes::variablesIn(wholes, [](const std::string&) { return false; });
  EXPECT_EQ(text(passes::makeLanes(wholes, context, whyNot)->code, 0),
            "int i__0 = muster_k_0__0;\nint i__1 = i__0 + 1;\n"
            "int j__0 = muster_k_1__0;\nint j__1 = j__0 + 1 * WIDTH;\nint j__2 = j__0 + 2 * WIDTH;\n");
}

TEST(Lanes, ElementsNextToEachOtherAreReadTogether) {
  const auto made = lanes({store(element("out", at(i, j)), element("a", at(i, j)))}, 2, 1);
  ASSERT_TRUE(made);
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&a[i * n + j__0];\n"
            "const float muster_s1 = muster_v0.s0;\nconst float muster_s2 = muster_v0.s1;\n"
            "*(__global float2 *)&out[i * n + j__0] = MUSTER_MAKE(float2)(muster_s1, muster_s2);\n");
  EXPECT_EQ(made->alignment.multiples, std::set<unsigned>{7});
  EXPECT_EQ(made->alignment.arrays, (std::set<std::string>{"a", "out"}));
  EXPECT_FALSE(made->isContraction);
}

TEST(Lanes, NeighboursComeOneByOne) {
  const Expression left = element("a", binary("-", at(i, j), one)), right = element("a", binary("+", at(i, j), one));
  const auto made = lanes({store(element("out", at(i, j)), binary("+", left, right))}, 2, 1);
  ASSERT_TRUE(made);
  // The second lane's left one is the first of the block, the first lane's right one the second.
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&a[i * n + j__1 - 1];\n"
            "const float muster_s1 = a[i * n + j__0 - 1] + muster_v0.s1;\n"
            "const float muster_s2 = muster_v0.s0 + a[i * n + j__1 + 1];\n"
            "*(__global float2 *)&out[i * n + j__0] = MUSTER_MAKE(float2)(muster_s1, muster_s2);\n");
  EXPECT_FALSE(lanes({store(element("out", at(i, j)), left)}, 2, 1));  // no block of it is read as a whole
}

TEST(Lanes, StatementsReadTogetherWhatTheyReadInTurn) {
  const auto get = [](const char* to, Expression from) {
    return define("const float " + std::string(to), std::move(from), to);
  };
  const Statement left = get("l", element("a", binary("-", at(i, j), one))), mid = get("m", element("a", at(i, j))),
                  sum = store(element("out", at(i, j)), binary("+", name("l"), name("m")));
  const auto made = lanes({left, mid, sum}, 2, 1);
  ASSERT_TRUE(made);
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&a[i * n + j__1 - 1];\n"
            "const float l__0 = a[i * n + j__0 - 1];\nconst float l__1 = muster_v0.s0;\n"
            "const float m__0 = muster_v0.s0;\nconst float m__1 = muster_v0.s1;\n"
            "const float muster_s1 = l__0 + m__0;\nconst float muster_s2 = l__1 + m__1;\n"
            "*(__global float2 *)&out[i * n + j__0] = MUSTER_MAKE(float2)(muster_s1, muster_s2);\n");
  // The first statement that needs a block names it from the element that it has of it.
  const auto ahead =
      lanes({get("l", element("a", plus(at(i, j), "1"))), mid, get("f", element("a", plus(at(i, j), "4"))), sum}, 4, 1);
  ASSERT_TRUE(ahead);
  EXPECT_EQ(text(ahead->code, 0)
                .find("const float4 muster_v0 = *(__global const float4 *)&a[i * n + j__3 + 1];\n"
                      "const float4 muster_v1 = *(__global const float4 *)&a[i * n + j__0 + 1 - 1];\n"),
            0u)
      << text(ahead->code, 0);
}

TEST(Lanes, WhatIsReadBehindAStoreIsReadAgain) {
  const Expression out = element("out", at(i, j)), b = element("b", at(i, j));
  const Statement before = define("const float x", out, "x"), behind = define("const float y", out, "y");
  const auto made = lanes({before, store(out, name("x"), "+="), behind, store(b, name("y"))}, 2, 1);
  ASSERT_TRUE(made);
  const std::string code = text(made->code, 0), load = "*(__global const float2 *)&out[i * n + j__0];\n";
  const std::size_t first = code.find(load), stored = code.find("*(__global float2 *)&out"), second = code.rfind(load);
  EXPECT_TRUE(first < stored && stored < second) << code;
  // Of an array that is not stored to, nothing comes twice.
  const Expression a = element("a", at(i, j));
  const auto other = lanes({store(out, a), store(b, a)}, 2, 1);
  ASSERT_TRUE(other);
  EXPECT_EQ(text(other->code, 0).find("&a["), text(other->code, 0).rfind("&a["));
}

TEST(Lanes, WhatIsReadByAnotherIndexIsReadAgain) {
  const Expression y = name("y"), row = element("a", at(y, j));
  const Statement begin = define("int y", i, "y"), first = define("const float f", row, "f"),
                  second = define("const float g", row, "g"),
                  sum = store(element("out", at(i, j)), binary("+", name("f"), name("g")));
  const auto made = lanes({begin, first, store(y, one, "+="), second, sum}, 2, 1);
  ASSERT_TRUE(made);
  EXPECT_NE(text(made->code, 0).find("g__0 = muster_v1.s0;"), std::string::npos) << text(made->code, 0);
  const auto same = lanes({begin, first, second, store(y, one, "+="), sum}, 2, 1);
  ASSERT_TRUE(same);
  EXPECT_NE(text(same->code, 0).find("g__0 = muster_v0.s0;"), std::string::npos) << text(same->code, 0);
  EXPECT_FALSE(lanes({begin, store(element("out", at(i, j)), comma({assign(y, one), row}))}, 2, 1));
  // Elements that lie together for one stride and not for another.
  const auto strides =
      lanes({store(element("out", j),
                   binary("+", element("a", j),
                          binary("+", element("a", times("2", j)), element("a", plus(times("2", j), "1")))))},
            2, 1);
  ASSERT_TRUE(strides);
  EXPECT_NE(text(strides->code, 0).find("= muster_v0.s0 + (muster_v1.s0 + muster_v1.s1);"), std::string::npos)
      << text(strides->code, 0);
}

TEST(Lanes, ColoursOfPixelsAreReadTogether) {
  const Expression pixel = times("3", j), out = element("out", j);
  const auto sum =
      binary("+", binary("+", element("a", pixel), element("a", plus(pixel, "1"))), element("a", plus(pixel, "2")));
  const auto made = lanes({store(out, sum)}, 2, 1);
  ASSERT_TRUE(made);
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&a[3 * j__0];\n"
            "const float2 muster_v1 = *(__global const float2 *)&a[3 * j__1 + 1];\n"
            "const float2 muster_v2 = *(__global const float2 *)&a[3 * j__0 + 2];\n"
            "const float muster_s3 = muster_v0.s0 + muster_v0.s1 + muster_v2.s0;\n"
            "const float muster_s4 = muster_v2.s1 + muster_v1.s0 + muster_v1.s1;\n"
            "*(__global float2 *)&out[j__0] = MUSTER_MAKE(float2)(muster_s3, muster_s4);\n");
  // A block that begins elsewhere begins with a whole pixel, too.
  const auto next = lanes({store(element("out", plus(j, "1")), sum)}, 2, 1);
  ASSERT_FALSE(next && next->phases.at(0) != 1);
}

TEST(Lanes, BytesComeThroughWhatCompilersDoNotSeeThrough) {
  const Expression byte = subscript(element("rows", i), j);
  const auto made = lanes({store(byte, binary("+", times("3", byte), call("f", {byte, plus(byte, "1")})))}, 4, 1);
  ASSERT_TRUE(made);
  EXPECT_NE(text(made->code, 0)
                .find("3 * muster_uchar(muster_v0.s0) + f((uchar)muster_uchar(muster_v0.s0), "
                      "muster_uchar(muster_v0.s0) + 1)"),
            std::string::npos)
      << text(made->code, 0);
}

TEST(Lanes, ABlockBeginsWhereItsStoreIsAligned) {
  const Expression next = binary("+", at(i, j), one);
  const auto made = lanes({store(element("out", next), element("a", next), "+=")}, 4, 1);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->phases.at(0), 1);
  EXPECT_NE(text(made->code, 0).find("muster_s2 = muster_v0.s0 + (muster_v1.s0)"), std::string::npos);
  EXPECT_FALSE(lanes({store(element("out", next), zero), store(element("b", at(i, j)), zero)}, 4, 1));
}

TEST(Lanes, RowsShareAndLoopsGoTogether) {
  const Expression product = binary("*", element("a", at(i, k)), element("b", at(k, j)));
  const Statement loop{StatementKind::For,
                       "",
                       binary("<", k, n),
                       prefix("++", k),
                       {define("int k", zero, "k")},
                       {store(name("s"), product, "+=")}};
  const auto made = lanes({define("float s", zero, "s"), loop, store(element("out", at(i, j)), name("s"))}, 2, 2);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->isContraction);
  const std::string code = text(made->code, 0);
  EXPECT_NE(code.find("for (int k = 0; k < n; ++k) {\n"
                      "  const float2 muster_v0 = *(__global const float2 *)&b[k * n + j__0];\n"
                      "  s__0__0 += a[i__0 * n + k] * muster_v0.s0;\n"
                      "  s__1__0 += a[i__0 * n + k] * muster_v0.s1;\n"
                      "  s__0__1 += a[i__1 * n + k] * muster_v0.s0;\n"
                      "  s__1__1 += a[i__1 * n + k] * muster_v0.s1;\n}\n"),
            std::string::npos)
      << code;
  // A window's loops read what both axes move, and weights that none does.
  Statement window = loop;
  window.body = {store(name("s"), binary("*", element("a", at(binary("+", i, k), j)), element("b", k)), "+=")};
  const auto other = lanes({define("float s", zero, "s"), window, store(element("out", at(i, j)), name("s"))}, 2, 2);
  ASSERT_FALSE(other && other->isContraction);
}

TEST(Lanes, PointersToRowsAndRowsOfArraysAreSeenThrough) {
  const Statement row = define("__global const float *row", binary("+", name("a"), binary("*", i, n)), "row"),
                  next = define("__global const float *next", binary("+", name("row"), n), "next");
  const auto made = lanes({row, next, store(element("out", at(i, j)), element("next", j))}, 2, 1);
  ASSERT_TRUE(made);
  EXPECT_NE(text(made->code, 0).find("&next[j__0]"), std::string::npos);
  const Expression inner = subscript(element("rows", i), j);
  EXPECT_TRUE(lanes({store(inner, inner, "+=")}, 4, 1));
}

std::optional<passes::Lanes> crossing(Statements body, unsigned lanesOfBoth = 2) {
  return lanes(std::move(body), lanesOfBoth, lanesOfBoth, "", "i");
}

TEST(Lanes, ATranspositionIsWideAlongBothAxes) {
  const auto made = crossing({store(element("out", at(j, i)), element("a", at(i, j)))});
  ASSERT_TRUE(made);
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&a[i__0 * n + j__0];\n"
            "const float2 muster_v1 = *(__global const float2 *)&a[i__1 * n + j__0];\n"
            "const float muster_s2 = muster_v0.s0;\nconst float muster_s3 = muster_v0.s1;\n"
            "const float muster_s4 = muster_v1.s0;\nconst float muster_s5 = muster_v1.s1;\n"
            "*(__global float2 *)&out[j__0 * n + i__0] = MUSTER_MAKE(float2)(muster_s2, muster_s4);\n"
            "*(__global float2 *)&out[j__1 * n + i__0] = MUSTER_MAKE(float2)(muster_s3, muster_s5);\n");
  EXPECT_EQ(made->phases, (std::map<unsigned, std::int64_t>{{0, 0}, {1, 0}}));
  EXPECT_EQ(made->alignment.multiples, std::set<unsigned>{7});
  EXPECT_EQ(made->alignment.arrays, (std::set<std::string>{"a", "out"}));
  // Rows without accesses along them begin anywhere.
  const auto plain = crossing({store(element("out", at(i, j)), element("a", at(i, j)))});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->phases, (std::map<unsigned, std::int64_t>{{0, 0}}));
}

TEST(Lanes, AreReadAlongEitherAxis) {
  const auto made =
      crossing({store(element("out", at(i, j)),
                      binary("+", element("a", at(j, i)), binary("*", element("b", i), element("b", j))), "+=")});
  ASSERT_TRUE(made);
  // What the first axis has in common is read row by row.
  EXPECT_EQ(text(made->code, 0),
            "const float2 muster_v0 = *(__global const float2 *)&out[i__0 * n + j__0];\n"
            "const float2 muster_v1 = *(__global const float2 *)&b[j__0];\n"
            "const float2 muster_v2 = *(__global const float2 *)&out[i__1 * n + j__0];\n"
            "const float2 muster_v3 = *(__global const float2 *)&a[j__0 * n + i__0];\n"
            "const float2 muster_v4 = *(__global const float2 *)&a[j__1 * n + i__0];\n"
            "const float muster_s5 = muster_v0.s0 + (muster_v3.s0 + b[i__0] * muster_v1.s0);\n"
            "const float muster_s6 = muster_v0.s1 + (muster_v4.s0 + b[i__0] * muster_v1.s1);\n"
            "const float muster_s7 = muster_v2.s0 + (muster_v3.s1 + b[i__1] * muster_v1.s0);\n"
            "const float muster_s8 = muster_v2.s1 + (muster_v4.s1 + b[i__1] * muster_v1.s1);\n"
            "*(__global float2 *)&out[i__0 * n + j__0] = MUSTER_MAKE(float2)(muster_s5, muster_s6);\n"
            "*(__global float2 *)&out[i__1 * n + j__0] = MUSTER_MAKE(float2)(muster_s7, muster_s8);\n");
}

TEST(Lanes, EachAxisBeginsWhereItsAccessesAreAligned) {
  const Expression next = binary("+", at(j, i), one);
  const auto made = crossing({store(element("out", next), element("a", binary("-", at(i, j), one)))}, 4);
  ASSERT_TRUE(made);  // of reads alone, too
  EXPECT_EQ(made->phases, (std::map<unsigned, std::int64_t>{{0, -1}, {1, 1}}));
  // Neighbours along the second axis.
  const auto stencil =
      crossing({store(element("out", at(i, j)), binary("+", element("a", at(j, i)), element("a", next)))});
  ASSERT_TRUE(stencil);
  EXPECT_NE(text(stencil->code, 0).find("= muster_v0.s1 + a[j__0 * n + i__1 + 1];\n"), std::string::npos)
      << text(stencil->code, 0);
}

TEST(Lanes, WhatIsWideAlongNeitherAxisIsLeftAlone) {
  const auto whyNone = [](Statements body) {
    const auto made = crossing(std::move(body));
    EXPECT_EQ(made.has_value(), whyNot.empty());
    return whyNot;
  };
  const Expression out = element("out", at(j, i)), a = element("a", at(i, j));
  const char *apart = "accesses of neighbours are not adjacent", *stores = "stores cannot be aligned",
             *beside = "reads have no aligned neighbours, or depend on a condition";
  EXPECT_EQ(whyNone({store(out, a)}), "");
  EXPECT_EQ(whyNone({store(element("out", at(j, times("5", i))), a)}), apart);
  EXPECT_EQ(whyNone({store(element("out", at(j, times("2", i))), a)}), stores);
  EXPECT_EQ(whyNone({store(element("out", binary("+", binary("*", j, name("m")), i)), a)}), stores);  // m may change
  EXPECT_EQ(whyNone({store(element("out", binary("+", i, j)), a)}), stores);
  EXPECT_EQ(whyNone({store(out, a), store(element("b", binary("+", at(j, i), one)), a)}), stores);
  EXPECT_EQ(whyNone({store(a, conditional(n, out, zero))}), beside);
  EXPECT_EQ(whyNone({store(a, element("out", binary("+", binary("*", j, name("m")), i)))}), beside);
  EXPECT_EQ(whyNone({choice(binary(">", j, n), {store(out, zero)})}), "accesses depend on a condition");
  EXPECT_FALSE(lanes({store(out, a)}, 2, 2));  // as for all other blocks
}

// Why there are none; "": there are.
std::string why(Statements body) {
  const auto made = lanes(std::move(body), 2, 1);
  EXPECT_EQ(made.has_value(), whyNot.empty());
  return whyNot;
}

TEST(Lanes, WhatIsNotAlignedOrNotWideIsLeftAlone) {
  const char *beside = "reads have no aligned neighbours, or depend on a condition",
             *apart = "accesses of neighbours are not adjacent",
             *jumps = "the code has jumps, or definitions of helpers";
  const Expression out = element("out", at(i, j));
  EXPECT_EQ(why({store(out, element("a", at(i, j)))}), "");
  EXPECT_EQ(why({store(out, element("a", binary("+", binary("*", i, name("m")), j)))}), beside);  // m may change
  EXPECT_EQ(why({store(out, element("records", j))}), beside);
  EXPECT_EQ(why({store(out, conditional(n, element("a", j), zero))}), beside);
  EXPECT_EQ(why({store(out, element("a", times("2", j)))}), beside);  // what lies between them is not read
  EXPECT_EQ(why({store(out, element("a", times("5", j)))}), apart);
  EXPECT_EQ(why({store(out, element("a", at(j, i)))}), apart);
  EXPECT_EQ(why({store(element("records", j), zero)}), "stores cannot be aligned");
  EXPECT_EQ(why({choice(binary(">", j, n), {store(out, zero)})}), "accesses depend on a condition");
  EXPECT_EQ(why({store(out, assign(element("a", j), zero))}), "a statement has several effects");
  EXPECT_EQ(why({store(out, call("f", {name("a"), j}))}), "a pointer is more than indexed");
  EXPECT_EQ(why({store(out, call("f", {prefix("&", element("a", j))}))}), "an element's address is taken");
  EXPECT_EQ(why({store(out, zero), jump("continue")}), jumps);
  EXPECT_EQ(why({store(out, zero), giveBack()}), jumps);
  const Statement stop = choice(binary(">", j, k), {jump("break")});
  const Statement loop{StatementKind::For,           "",    binary("<", k, n), prefix("++", k),
                       {define("int k", zero, "k")}, {stop}};
  EXPECT_EQ(why({loop, store(out, zero)}), "lanes leave a loop at different times");
}

TEST(Lanes, OwnVariablesDifferWhereTheyDepend) {
  const Statement half = define("float half", binary("*", name("half_of"), i), "half"),
                  sum = define("float sum[2]", braces({zero, zero}), "sum"),
                  branch = choice(binary(">", j, one), {store(subscript(name("sum"), one), name("half"), "+=")});
  const auto made = lanes({half, sum, branch, store(element("out", at(i, j)), subscript(name("sum"), one))}, 2, 2);
  ASSERT_TRUE(made);
  const std::string code = text(made->code, 0);
  EXPECT_NE(code.find("float half__0 = half_of * i__0;\nfloat half__1 = half_of * i__1;\n"), std::string::npos) << code;
  EXPECT_NE(code.find("float sum__1__0[2] = {0, 0};\n"), std::string::npos) << code;
  EXPECT_NE(code.find("if (j__1 > 1) {\n  sum__1__0[1] += half__0;\n}\n"), std::string::npos) << code;
}

Statements unrolled(Statements body, passes::Alignment& alignment, Expression first = zero) {
  const Statements loop = {{StatementKind::For,
                            "",
                            binary("<", k, n),
                            prefix("++", k),
                            {define("int k", std::move(first), "k")},
                            std::move(body)}};
  passes::Memory known = memory();
  known.variables.integers = {{"i", "int"}, {"j", "int"}, {"k", "int"}};
  return passes::unrollAlongMemory(loop, known, alignment);
}

TEST(Unroll, StepsReadTogetherAndStayInOrder) {
  passes::Alignment alignment;
  const Statements code =
      unrolled({store(name("s"), binary("*", element("a", at(i, k)), element("b", at(k, j))), "+=")}, alignment);
  EXPECT_EQ(text(code, 0),
            "{\n  int k = 0;\n  for (; k < n && n - k > 3; k += 4) {\n"
            "    const float4 muster_w0 = *(__global const float4 *)&a[i * n + k];\n"
            "    {\n      s += muster_w0.s0 * b[k * n + j];\n    }\n"
            "    {\n      s += muster_w0.s1 * b[(k + 1) * n + j];\n    }\n"
            "    {\n      s += muster_w0.s2 * b[(k + 2) * n + j];\n    }\n"
            "    {\n      s += muster_w0.s3 * b[(k + 3) * n + j];\n    }\n  }\n"
            "  for (; k < n; ++k) {\n    s += a[i * n + k] * b[k * n + j];\n  }\n}\n");
  EXPECT_EQ(alignment.multiples, std::set<unsigned>{7});
}

TEST(Unroll, OtherLoopsStay) {
  passes::Alignment alignment;
  const Expression along = element("a", at(i, k));
  const auto stays = [&](Statements body, Expression first = zero) {
    return unrolled(std::move(body), alignment, std::move(first)).front().kind == StatementKind::For;
  };
  EXPECT_TRUE(stays({store(name("s"), element("b", at(k, j)), "+=")}));                      // nothing lies along it
  EXPECT_TRUE(stays({store(name("s"), along, "+=")}, one));                                  // begins elsewhere
  EXPECT_TRUE(stays({store(name("s"), along, "+="), store(element("out", k), name("s"))}));  // may be what it reads
  EXPECT_TRUE(stays({store(name("s"), along, "+="), store(n, one, "-=")}));                  // the end changes
  EXPECT_TRUE(stays({store(name("s"), along, "+="), choice(name("s"), {jump("break")})}));
  EXPECT_TRUE(stays({store(name("i"), one, "+="), store(name("s"), along, "+=")}));       // the row changes
  EXPECT_TRUE(stays({store(name("s"), element("a", binary("+", k, name("i"))), "+=")}));  // not aligned
  EXPECT_TRUE(alignment.multiples.empty());
}

}  // namespace
}  // namespace muster::plugin
