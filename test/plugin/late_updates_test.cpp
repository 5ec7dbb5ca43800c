// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations whose reads come before their updates.
#include <gtest/gtest.h>

#include "passes/LateUpdates.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression i = name("i"), c = name("c");

Expression element(const char* array, Expression index) { return subscript(name(array), std::move(index)); }

Statement update(Expression index, Expression value) {
  return evaluate(call("MUSTER_UPDATE", {name("muster_add_int"), name("h_own"), name("h_buf"),
                                         addressOf(element("h", std::move(index))), std::move(value)}));
}

passes::LateContext contextOf() {
  passes::LateContext context;
  context.counter = "muster_k_0", context.stride = "stride";
  context.memory.constantOf = [](const std::string& name) { return name == "n" ? 0 : -1; };
  context.memory.isArray = [](const std::string& name) {
    return name == "h" || name == "key" || name == "byte" || name == "wide";
  };
  context.memory.numbersOf = [](const std::string& name) {
    return name == "byte"   ? passes::Memory::Numbers{"uchar", 1}
           : name == "wide" ? passes::Memory::Numbers{"double", 8}
                            : passes::Memory::Numbers{"int", 4};
  };
  return context;
}

// int i = muster_k_0; more
Statements iterationOf(Statements more) {
  more.insert(more.begin(), define("int i", name("muster_k_0"), "i"));
  return more;
}

std::optional<passes::LateIterations> late(Statements more, const char* row = "") {
  return passes::updatesLast(iterationOf(std::move(more)), contextOf(), row);
}

std::string textOf(Statements more) {
  const auto iterations = late(std::move(more));
  return iterations ? print::text(iterations->code, 0) : "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(LateUpdates, ReadsComeFirst) {
  const std::string text =
      textOf({define("const uchar c", element("key", i), "c"), update(c, binary("+", c, literal("1")))});
  EXPECT_TRUE(has(text, "const long muster_lane15_muster_k_0 = muster_k_0 + 15 * stride;\nint i = muster_k_0;\n"))
      << text;
  EXPECT_TRUE(has(text, "uchar c = key[i];\nuchar muster_lane1_c = key[muster_lane1_i];\n")) << text;
  EXPECT_TRUE(has(text, "const long muster_at0 = c;\nconst long muster_lane1_muster_at0 = muster_lane1_c;\n")) << text;
  EXPECT_TRUE(has(text,
                  "muster_lane15_muster_at0 = muster_lane15_c;\n"
                  "MUSTER_UPDATE(muster_add_int, h_own, h_buf, &h[muster_at0], c + 1);\n"
                  "MUSTER_UPDATE(muster_add_int, h_own, h_buf, &h[muster_lane1_muster_at0], muster_lane1_c + 1);\n"))
      << text;
}

TEST(LateUpdates, TwoUpdatesHavePlacesOfTheirOwn) {
  const std::string text = textOf({update(i, literal("1")), update(element("key", i), literal("2"))});
  EXPECT_TRUE(has(text, "&h[muster_at0], 1)")) << text;
  EXPECT_TRUE(has(text, "&h[muster_lane15_muster_at16], 2)")) << text;
}

TEST(LateUpdates, LongIterationsAreFewer) {
  Statements definitions;
  for (int d = 0; d < 6; ++d) definitions.push_back(define("int x", i, "x"));
  definitions.push_back(update(i, literal("1")));
  EXPECT_EQ(late(definitions)->lanes, 8u);
}

TEST(LateUpdates, OtherIterationsStayAsTheyAre) {
  EXPECT_EQ(textOf({}), "");
  EXPECT_EQ(textOf({choice(binary("<", i, literal("3")), {jump("continue")}), update(i, literal("1"))}), "");
  EXPECT_EQ(textOf({evaluate(assign(element("h", i), literal("1"))), update(i, literal("1"))}), "");
  // Its value would be read behind the first updates, or an index changes something.
  EXPECT_EQ(textOf({update(i, element("key", i))}), "");
  EXPECT_EQ(textOf({update(postfix(i, "++"), literal("1"))}), "");
  EXPECT_EQ(textOf({define("int own[4]", {}, "own"), update(i, literal("1"))}), "");
  for (const Expression& given : {name("h"), binary("+", name("key"), i)})
    EXPECT_EQ(textOf({define("int x", call("f", {given}), "x"), update(name("x"), literal("1"))}), "");
}

TEST(LateUpdates, OneElementIsReadWidely) {
  const auto ints = late({update(element("key", binary("+", i, literal("3"))), literal("1"))}, "i");
  ASSERT_TRUE(ints);
  EXPECT_EQ(ints->width, 4u);
  EXPECT_EQ(ints->lanes, 16u);
  EXPECT_EQ(print::text(ints->element), "key[i + 3]");
  EXPECT_EQ(print::text(ints->before, 0), "int i = muster_k_0;\n");
  // All that its place may need.
  const auto offset =
      late({define("int m", binary("*", name("n"), literal("2")), "m"), update(element("key", i), name("m"))}, "i");
  ASSERT_TRUE(offset);
  EXPECT_EQ(print::text(offset->before, 0), "int i = muster_k_0;\nint m = n * 2;\n");
  const std::string text = print::text(ints->code, 0);
  EXPECT_TRUE(has(text,
                  "const int4 muster_wide0 = *(__global const int4 *)&key[i + 3];\n"
                  "const int4 muster_wide1 = *(__global const int4 *)&key[muster_lane4_i + 3];\n"))
      << text;
  EXPECT_TRUE(has(text, "const long muster_at0 = muster_wide0.s0;\n")) << text;
  EXPECT_TRUE(has(text, "muster_lane3_muster_k_0 = muster_k_0 + 3;\n")) << text;
  EXPECT_TRUE(has(text, "muster_lane13_muster_k_0 = muster_k_0 + 3 * stride + 1;\n")) << text;
  EXPECT_TRUE(has(text, "muster_lane13_muster_at0 = muster_wide3.s1;\n")) << text;
  // A table's element by what was read, and the same element again; bytes.
  const auto bytes = late({define("const uchar c", element("byte", i), "c"),
                           update(element("key", binary("+", c, element("byte", i))), binary("*", c, i))},
                          "i");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->width, 16u);
  EXPECT_EQ(bytes->lanes, 16u);
  EXPECT_TRUE(has(print::text(bytes->code, 0), "const uint4 muster_wide0 = *(__global const uint4 *)&byte[i];\n"));
  EXPECT_TRUE(has(print::text(bytes->code, 0), "muster_lane4_c = (uchar)muster_wide0.s1;\n"));
  EXPECT_TRUE(has(print::text(bytes->code, 0),
                  "muster_lane15_muster_at0 = key[muster_lane15_c + (uchar)(muster_wide0.s3 >> 24)]"))
      << print::text(bytes->code, 0);
}

TEST(LateUpdates, OthersAreReadNarrowly) {
  const auto width = [](Expression index) { return late({update(std::move(index), literal("1"))}, "i")->width; };
  EXPECT_EQ(width(element("key", i)), 4u);
  EXPECT_EQ(width(i), 1u);                                                   // nothing
  EXPECT_EQ(width(element("wide", i)), 1u);                                  // wide as it is
  EXPECT_EQ(width(element("key", binary("*", i, literal("2")))), 1u);        // not beside each other
  EXPECT_EQ(width(element("key", binary("+", i, name("x")))), 1u);           // where is not known
  EXPECT_EQ(width(binary("+", element("key", i), element("byte", i))), 1u);  // two
  EXPECT_EQ(width(binary("+", element("key", i), element("key", binary("+", i, literal("1"))))), 1u);
  EXPECT_EQ(width(conditional(name("n"), element("key", i), literal("0"))), 1u);  // perhaps not read
  const Expression j = name("j"), two = binary("+", element("key", i), element("key", j));
  EXPECT_EQ(late({define("int j", binary("+", i, literal("1")), "j"), update(two, literal("1"))}, "i")->width, 1u);
  EXPECT_EQ(late({update(element("key", i), literal("1"))}, "")->width, 1u);  // steps of another length
}

}  // namespace
}  // namespace muster::plugin
