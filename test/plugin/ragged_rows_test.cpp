// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops along rows of different lengths are found, and what work-groups load for them.
#include <gtest/gtest.h>

#include "passes/RaggedRows.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression i = name("i"), k = name("k"), sum = name("sum"), zero = literal("0"), one = literal("1");

Expression element(const char* array, Expression index) { return subscript(name(array), std::move(index)); }
Statement adds(Expression what) { return evaluate(assign(sum, std::move(what), "+=")); }

std::optional<passes::RaggedLoop> find(const Statements& iteration) {
  const auto isOf = [](std::vector<std::string> names) {
    return [names = std::move(names)](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
  };
  passes::TileContext context;
  context.row = "i";
  const auto isConstant = isOf({"n"});
  context.memory.constantOf = [=](const std::string& name) { return isConstant(name) ? 0 : -1; };
  context.memory.isArray = isOf({"start", "column", "value", "x", "rows", "out"});
  context.memory.numbersOf = [](const std::string& name) {
    if (name == "rows") return passes::Memory::Numbers{"double", 8, {2}};
    return name == "start" || name == "column" ? passes::Memory::Numbers{"int", 4}
                                               : passes::Memory::Numbers{"double", 8};
  };
  context.isRead = isOf({"start", "column", "value", "x", "rows"});
  return passes::stageRows(iteration, context);
}

// int i = ...; double sum = 0; before; for (int k = first; k < end; ++k) body; out[i] = sum;
Statements iterationOf(Statements body, Statements before = {}, Expression first = element("start", i),
                       Expression end = element("start", binary("+", i, one))) {
  Statements all = {define("int i", name("muster_k_0"), "i"), define("double sum", zero, "sum")};
  all.insert(all.end(), before.begin(), before.end());
  all.push_back({StatementKind::For,
                 "",
                 binary("<", k, std::move(end)),
                 prefix("++", k),
                 {define("int k", std::move(first), "k")},
                 std::move(body)});
  all.push_back(evaluate(assign(element("out", i), sum)));
  return all;
}

const Expression value = element("value", k), column = element("column", k), found = element("x", column);

TEST(RaggedRows, ElementsAndWhatTheyFindAreLoaded) {
  const auto ragged = find(iterationOf({adds(binary("*", value, found))}));
  ASSERT_TRUE(ragged);
  EXPECT_EQ(text(ragged->first), "start[i]");
  EXPECT_EQ(text(ragged->end), "start[i + 1]");
  ASSERT_EQ(ragged->elements.size(), 2u);
  EXPECT_EQ(text(ragged->elements[0].element), "value[k]");
  EXPECT_EQ(ragged->elements[1].array, "x");
  EXPECT_EQ(text(ragged->elements[1].element), "x[column[k]]");
  EXPECT_EQ(text(ragged->body, 0), "sum += muster_tile0[muster_c] * muster_tile1[muster_c];\n");
  EXPECT_EQ(text(ragged->loop.body, 0), "sum += value[k] * x[column[k]];\n");
}

TEST(RaggedRows, NamesOfWholeNumbersAreSeenThrough) {
  const auto through = [](const char* type) {
    return find(iterationOf({define(std::string(type) + " c", column, "c"), adds(element("x", name("c")))}));
  };
  for (const char* type : {"int", "const long", "uchar"}) {
    const auto ragged = through(type);
    ASSERT_TRUE(ragged);
    EXPECT_EQ(ragged->elements.size(), 2u) << type;
  }
  EXPECT_EQ(text(through("uchar")->elements[1].element), "x[(uchar)(column[k])]");  // it holds less
  EXPECT_EQ(through("float")->elements.size(), 1u);
  // It is another one later.
  const auto changed = find(iterationOf(
      {define("int c", column, "c"), evaluate(assign(name("c"), one, "+=")), adds(element("x", name("c")))}));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->elements.size(), 1u);
}

TEST(RaggedRows, WhatTheRowDecidesIsLeftToIt) {
  const auto ragged = find(iterationOf({adds(binary("*", value, element("x", binary("+", column, i))))}));
  ASSERT_TRUE(ragged);
  EXPECT_EQ(text(ragged->body, 0), "sum += muster_tile0[muster_c] * x[muster_tile1[muster_c] + i];\n");
  EXPECT_FALSE(find(iterationOf({adds(element("x", i))})));
  EXPECT_FALSE(find(iterationOf({adds(element("value", binary("*", k, literal("2"))))})));  // not side by side
  EXPECT_FALSE(find(iterationOf({adds(element("out", k))})));                               // written
  // A row by the element, a number in it by the row.
  const auto rows = find(iterationOf({adds(subscript(element("rows", column), i))}));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->elements.size(), 1u);
  EXPECT_EQ(text(rows->body, 0), "sum += rows[muster_tile0[muster_c]][i];\n");
}

TEST(RaggedRows, OnlyWhatIsReadInAnyCaseIsLoaded) {
  const auto behind = find(iterationOf({choice(binary("==", column, i), {jump("continue")}), adds(value)}));
  EXPECT_FALSE(behind);
  const auto guarded = find(iterationOf({adds(conditional(column, value, zero))}));
  ASSERT_TRUE(guarded);
  ASSERT_EQ(guarded->elements.size(), 1u);
  EXPECT_EQ(guarded->elements[0].array, "column");
}

TEST(RaggedRows, BoundsAreKept) {
  const Statements body = {adds(value)};
  const Expression from = name("from"), to = name("to");
  const Statements names = {define("int from", element("start", i), "from"),
                            define("int to", element("start", binary("+", i, one)), "to")};
  EXPECT_TRUE(find(iterationOf(body, names, from, to)));
  EXPECT_FALSE(find(iterationOf({adds(value), evaluate(assign(to, one, "-="))}, names, from, to)));
  EXPECT_FALSE(find(iterationOf(body, {}, element("out", i))));  // written
  EXPECT_FALSE(find(iterationOf(body, {}, call("first", {i}))));
  EXPECT_FALSE(find(iterationOf(body, {}, zero, name("n"))));  // one length: tiles
  EXPECT_FALSE(find(iterationOf(body, {}, element("start", i), element("start", k))));
}

TEST(RaggedRows, AllWorkItemsMeetAtTheBarriers) {
  EXPECT_FALSE(find(iterationOf({adds(value), choice(sum, {jump("break")})})));
  EXPECT_FALSE(find(iterationOf({adds(value)}, {choice(sum, {{StatementKind::Next}})})));
  EXPECT_FALSE(find(iterationOf({adds(value), evaluate(assign(element("out", k), sum))})));
}

}  // namespace
}  // namespace muster::plugin
