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

// int i = muster_k_0; more
std::string late(Statements more, unsigned lanes = 2) {
  const auto isArray = [](const std::string& name) { return name == "h" || name == "key"; };
  more.insert(more.begin(), define("int i", name("muster_k_0"), "i"));
  const auto code = passes::updatesLast(more, lanes, "muster_k_0", "muster_stride", isArray);
  return code ? print::text(*code, 0) : "";
}

TEST(LateUpdates, ReadsComeFirst) {
  EXPECT_EQ(late({define("const uchar c", element("key", i), "c"), update(c, binary("+", c, literal("1")))}),
            "const long muster_lane1_muster_k_0 = muster_k_0 + 1 * muster_stride;\n"
            "int i = muster_k_0;\n"
            "int muster_lane1_i = muster_lane1_muster_k_0;\n"
            "uchar c = key[i];\n"
            "uchar muster_lane1_c = key[muster_lane1_i];\n"
            "const long muster_at0 = c;\n"
            "const long muster_lane1_muster_at0 = muster_lane1_c;\n"
            "MUSTER_UPDATE(muster_add_int, h_own, h_buf, &h[muster_at0], c + 1);\n"
            "MUSTER_UPDATE(muster_add_int, h_own, h_buf, &h[muster_lane1_muster_at0], muster_lane1_c + 1);\n");
}

TEST(LateUpdates, TwoUpdatesHavePlacesOfTheirOwn) {
  const std::string text = late({update(i, literal("1")), update(element("key", i), literal("2"))}, 4);
  EXPECT_NE(text.find("&h[muster_at0], 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("&h[muster_lane3_muster_at4], 2)"), std::string::npos) << text;
}

TEST(LateUpdates, OtherIterationsStayAsTheyAre) {
  EXPECT_EQ(late({}), "");
  EXPECT_EQ(late({choice(binary("<", i, literal("3")), {jump("continue")}), update(i, literal("1"))}), "");
  EXPECT_EQ(late({evaluate(assign(element("h", i), literal("1"))), update(i, literal("1"))}), "");
  // Its value would be read behind the first updates, or an index changes something.
  EXPECT_EQ(late({update(i, element("key", i))}), "");
  EXPECT_EQ(late({update(postfix(i, "++"), literal("1"))}), "");
  EXPECT_EQ(late({define("int own[4]", {}, "own"), update(i, literal("1"))}), "");
  EXPECT_EQ(late({define("int x", call("f", {name("h")}), "x"), update(name("x"), literal("1"))}), "");
}

}  // namespace
}  // namespace muster::plugin
