// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls of functions of one expression their value may replace.
#include "lower/expressions/Inlining.h"

#include <gtest/gtest.h>

#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;

const Expression x = name("x"), p = name("p");

std::string inlined(Expression value, std::vector<std::string> parameters, const std::vector<Expression>& arguments) {
  lower::Function function;
  function.value = std::move(value), function.parameters = std::move(parameters);
  const auto result = lower::inlined(function, arguments);
  return result ? print::text(*result) : "";
}

TEST(Inlining, PutsArgumentsInThePlacesOfParameters) {
  const Expression product = binary("*", x, name("y"));
  EXPECT_EQ(inlined(product, {"x", "y"}, {binary("+", name("y"), literal("1")), x}), "(y + 1) * x");
  EXPECT_EQ(inlined(subscript(p, x), {"p", "x"}, {name("a"), name("i")}), "a[i]");
}

TEST(Inlining, SeesThroughReferences) {
  const Expression element = subscript(name("a"), name("i"));
  EXPECT_EQ(inlined(binary("+", target(p), literal("1")), {"p"}, {addressOf(element)}), "a[i] + 1");
  EXPECT_EQ(print::text(target(addressOf(element))), "a[i]");
  // An address of the parameter is not one of what it was given.
  EXPECT_EQ(inlined(addressOf(x), {"x"}, {element}), "");
}

TEST(Inlining, KeepsCallsThatDoMore) {
  const Expression square = binary("*", x, x), element = subscript(name("a"), name("i"));
  EXPECT_EQ(inlined(square, {"x"}, {name("y")}), "y * y");
  EXPECT_EQ(inlined(square, {"x"}, {element}), "");  // two reads
  EXPECT_EQ(inlined(x, {"x"}, {element}), "a[i]");
  EXPECT_EQ(inlined(x, {"x"}, {postfix(name("y"), "++")}), "");
  EXPECT_EQ(inlined(literal("1"), {"x"}, {call("f", {})}), "");
  EXPECT_EQ(inlined({}, {"x"}, {name("y")}), "");
  EXPECT_FALSE(lower::hasNoEffect(assign(x, literal("1"))));
  EXPECT_FALSE(lower::hasNoEffect(binary("+", x, call("f", {}))));
  EXPECT_TRUE(lower::hasNoEffect(addressOf(element)));
}

}  // namespace
}  // namespace muster::plugin
