// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops along rows are found, and what they read from tiles.
#include <gtest/gtest.h>

#include "passes/Tiles.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression i = name("i"), k = name("k"), n = name("n"), sum = name("sum"), zero = literal("0");

std::optional<passes::TiledIteration> tile(const Statements& iteration) {
  const auto isOf = [](std::vector<std::string> names) {
    return [names = std::move(names)](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
  };
  passes::TileContext context;
  context.row = "i";
  const auto isConstant = isOf({"n", "m"});
  context.memory.constantOf = [&](const std::string& name) { return isConstant(name) ? 0 : -1; };
  context.memory.isArray = isOf({"a", "b", "rows", "out"});
  context.memory.numbersOf = [](const std::string& name) {
    return name == "rows" ? passes::Memory::Numbers{"float", 4, {64}} : passes::Memory::Numbers{"float", 4};
  };
  context.isRead = isOf({"a", "b", "rows"});
  return passes::tileRows(iteration, context);
}

// Its first loop, and what is behind.
struct Found : passes::TiledLoop {
  Statements behind;
  bool isCommonOnly;
};
std::optional<Found> find(const Statements& iteration) {
  auto tiled = tile(iteration);
  return tiled ? std::optional(Found{{tiled->loops.front()}, tiled->behind, tiled->isCommon()}) : std::nullopt;
}

Expression element(const char* array, Expression index) { return subscript(name(array), std::move(index)); }

// sum += what
Statement adds(Expression what) { return evaluate(assign(sum, std::move(what), "+=")); }

// int i = ..., sum = 0; before; for (int k = 0; k < n; ++k) body; out[i] = sum;
Statements iterationOf(Statements body, Statements before = {}, Expression end = n) {
  Statements all = {define("int i", name("muster_k_0"), "i"), define("float sum", zero, "sum")};
  all.insert(all.end(), before.begin(), before.end());
  all.push_back({StatementKind::For,
                 "",
                 binary("<", k, std::move(end)),
                 prefix("++", k),
                 {define("int k", zero, "k")},
                 std::move(body)});
  all.push_back(evaluate(assign(element("out", i), sum)));
  return all;
}

const Expression row = binary("*", i, n), along = binary("+", row, k);

TEST(Tiles, RowsAreFound) {
  const auto tiled = find(iterationOf({adds(binary("*", element("a", along), element("b", k)))}));
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->variable, "k");
  EXPECT_EQ(text(tiled->end), "n");
  ASSERT_EQ(tiled->arrays.size(), 2u);
  EXPECT_EQ(text(tiled->arrays[0].element), "a[i * n + k]");
  EXPECT_FALSE(tiled->arrays[0].isCommon);
  EXPECT_EQ(text(tiled->arrays[1].element), "b[k]");
  EXPECT_TRUE(tiled->arrays[1].isCommon);
  EXPECT_EQ(text(tiled->loop.body, 0), "sum += muster_tile0[muster_c] * muster_tile1[muster_c];\n");
  EXPECT_EQ(text(tiled->behind, 0), "out[i] = sum;\n");
  EXPECT_EQ(tiled->before.size(), 2u);
}

TEST(Tiles, WhatAllReadIsCommon) {
  const auto alone = find(iterationOf({adds(element("b", k))}));
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->isCommonOnly);
  EXPECT_EQ(text(alone->original.body, 0), "sum += b[k];\n");
  // Steps are copies of the body, which do not leave it.
  EXPECT_FALSE(find(iterationOf({adds(element("b", k)), choice(sum, {jump("continue")})})));
  EXPECT_TRUE(find(iterationOf({adds(element("a", along)), choice(sum, {jump("continue")})})));
  const auto tiled =
      find(iterationOf({adds(element("b", binary("+", binary("*", name("m"), n), k))), adds(element("a", along))}));
  ASSERT_TRUE(tiled);
  EXPECT_TRUE(tiled->arrays[0].isCommon);
  EXPECT_FALSE(tiled->arrays[1].isCommon);
  // Of another place in each step.
  const auto other = find(iterationOf({adds(element("b", binary("*", k, literal("2")))), adds(element("a", along))}));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->arrays.size(), 1u);
}

TEST(Tiles, OneElementHasOneTile) {
  const Statements body = {adds(element("a", along)), adds(element("b", binary("-", along, literal("1")))),
                           choice(binary(">", element("a", along), sum), {evaluate(assign(sum, element("a", along)))})};
  const auto tiled = find(iterationOf(body));
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->arrays.size(), 2u);
  EXPECT_EQ(
      text(tiled->loop.body, 0),
      "sum += muster_tile0[muster_c];\nsum += muster_tile1[muster_c];\nif (muster_tile0[muster_c] > sum) {\n  sum = "
      "muster_tile0[muster_c];\n}\n");
}

TEST(Tiles, PointersToRowsAndTheirPlacesAreSeenThrough) {
  const Statements pointer = {define("__global const float *row", binary("+", name("a"), row), "row")};
  const Statements place = {define("__global const float *row", prefix("&", element("a", row)), "row")};
  const Statements number = {define("int at", row, "at")};
  for (const auto& [before, index] :
       {std::pair(pointer, subscript(name("row"), k)), std::pair(place, subscript(name("row"), k)),
        std::pair(number, element("a", binary("+", name("at"), k)))}) {
    const auto tiled = find(iterationOf({adds(index)}, before));
    ASSERT_TRUE(tiled) << text(before, 0);
    EXPECT_EQ(tiled->arrays[0].array, "a");
  }
  const auto rows = find(iterationOf({adds(subscript(element("rows", binary("+", i, literal("2"))), k))}));
  ASSERT_TRUE(rows);
  EXPECT_EQ(text(rows->arrays[0].element), "rows[i + 2][k]");
  // It is another row later.
  Statements moved = pointer;
  moved.push_back(evaluate(assign(name("row"), n, "+=")));
  EXPECT_FALSE(find(iterationOf({adds(subscript(name("row"), k))}, moved)));
}

TEST(Tiles, VariablesThatHoldLessAreNotSeenThrough) {
  const Statements narrow = {define("uchar at", row, "at")},
                   floating = {define("int at", binary("*", i, literal("0.5f")), "at")},
                   changed = {define("int w[2]", {}, "w"), define("int at", binary("*", element("w", zero), n), "at")};
  for (const Statements& before : {narrow, floating, changed})
    EXPECT_FALSE(find(iterationOf({adds(element("a", binary("+", binary("*", name("at"), n), k)))}, before)))
        << text(before, 0);
}

TEST(Tiles, OthersAreLeftAlone) {
  const Expression read = element("a", along);
  EXPECT_FALSE(find(iterationOf({adds(element("a", binary("+", i, k)))})));                  // neighbours are beside it
  EXPECT_FALSE(find(iterationOf({adds(element("a", binary("+", binary("*", k, n), i)))})));  // along columns
  EXPECT_FALSE(find(iterationOf({adds(element("a", binary("+", row, binary("*", k, literal("2")))))})));
  const auto anywhere = find(iterationOf({adds(element("a", binary("+", row, element("b", k))))}));
  ASSERT_TRUE(anywhere);
  EXPECT_TRUE(anywhere->isCommonOnly);
  EXPECT_FALSE(find(iterationOf({choice(sum, {adds(read)})})));  // perhaps not read
  EXPECT_FALSE(find(iterationOf({adds(conditional(sum, read, zero))})));
  EXPECT_FALSE(find(iterationOf({adds(binary("&&", sum, read))})));
}

TEST(Tiles, AllWorkItemsMeetAtTheBarriers) {
  const Statement reads = adds(element("a", along));
  EXPECT_TRUE(find(iterationOf({reads})));
  EXPECT_FALSE(find(iterationOf({reads}, {choice(sum, {{StatementKind::Next}})})));
  EXPECT_FALSE(find(iterationOf({reads}, {choice(sum, {giveBack()})})));
  EXPECT_FALSE(find(iterationOf({reads, choice(sum, {jump("break")})})));
  EXPECT_TRUE(find(iterationOf({reads, choice(sum, {jump("continue")}), adds(k)})));
  EXPECT_FALSE(find(iterationOf({choice(sum, {jump("continue")}), reads})));
  EXPECT_FALSE(find(iterationOf({reads}, {}, element("b", i))));  // as many elements as each row says
  EXPECT_FALSE(find(iterationOf({reads}, {}, binary("-", n, i))));
}

// for (int k = 1; k < n; ++k) body
Statement loopOf(Statements body) {
  return {StatementKind::For, "", binary("<", k, n), prefix("++", k), {define("int k", literal("1"), "k")},
          std::move(body)};
}
// for (int k = n - 2; k >= 0; --k) body
Statement downLoopOf(Statements body) {
  return {StatementKind::For,
          "",
          binary(">=", k, zero),
          prefix("--", k),
          {define("int k", binary("-", n, literal("2")), "k")},
          std::move(body)};
}
const Statement begin = define("int i", name("muster_k_0"), "i");
const Expression out = element("out", along), outBefore = element("out", binary("-", along, literal("1"))),
                 outBehind = element("out", binary("+", along, literal("1")));

TEST(Tiles, WhatEachStepStoresLiesInTiles) {
  const auto tiled = tile({begin, loopOf({evaluate(assign(out, element("a", along)))})});
  ASSERT_TRUE(tiled);
  EXPECT_TRUE(tiled->hasOwners);
  ASSERT_EQ(tiled->loops.front().arrays.size(), 2u);
  const passes::StagedElement &stored = tiled->loops.front().arrays[0], &read = tiled->loops.front().arrays[1];
  EXPECT_TRUE(stored.isStored && !stored.isLoaded && !read.isStored && read.isLoaded);
  EXPECT_EQ(text(tiled->loops.front().loop.body, 0), "muster_tile0[muster_c] = muster_tile1[muster_c];\n");
  // It is read before it is stored.
  for (const Statements& body : {Statements{evaluate(assign(out, n, "+="))}, {adds(out), evaluate(assign(out, n))}}) {
    const auto changed = tile({begin, loopOf(body)});
    ASSERT_TRUE(changed);
    EXPECT_TRUE(changed->loops.front().arrays[0].isLoaded);
  }
  const auto later = tile({begin, loopOf({evaluate(assign(out, n)), adds(out)})});
  ASSERT_TRUE(later);
  EXPECT_FALSE(later->loops.front().arrays[0].isLoaded);
}

TEST(Tiles, WhatTheStepBeforeHasStoredIsCarried) {
  const auto up = tile({begin, loopOf({evaluate(assign(out, binary("+", outBefore, element("a", along))))})});
  ASSERT_TRUE(up);
  ASSERT_EQ(up->loops.front().carried.size(), 1u);
  EXPECT_EQ(text(up->loops.front().carried[0].first), "out[i * n + k - 1]");
  EXPECT_EQ(text(up->loops.front().loop.body, 0),
            "muster_tile0[muster_c] = muster_carried0 + muster_tile1[muster_c];\n");
  const auto down = tile({begin, downLoopOf({evaluate(assign(out, outBehind, "-="))})});
  ASSERT_TRUE(down);
  EXPECT_TRUE(down->loops.front().isDown);
  EXPECT_EQ(down->loops.front().carried.size(), 1u);
  // Not what the next step stores, nor what is read now and then.
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(out, outBehind))})}));
  EXPECT_FALSE(tile({begin, downLoopOf({evaluate(assign(out, outBefore))})}));
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(out, conditional(sum, outBefore, zero)))})}));
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(out, element("out", binary("-", along, literal("2")))))})}));
}

TEST(Tiles, OtherStoresKeepALoopAsItIs) {
  const Statement stores = evaluate(assign(out, n));
  EXPECT_TRUE(tile({begin, loopOf({stores, choice(sum, {evaluate(assign(out, zero))})})}));
  EXPECT_FALSE(tile({begin, loopOf({choice(sum, {stores})})}));
  EXPECT_FALSE(tile({begin, loopOf({choice(sum, {jump("continue")}), stores})}));
  EXPECT_FALSE(tile({begin, loopOf({stores, choice(sum, {jump("break")})})}));
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(element("out", binary("+", i, k)), n))})}));
  const Expression other = element("out", binary("+", binary("*", binary("+", i, literal("1")), n), k));
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(out, other))})}));
  EXPECT_FALSE(tile({begin, loopOf({stores, evaluate(assign(other, n))})}));
  EXPECT_FALSE(tile({begin, loopOf({stores, adds(call("f", {name("out")}))})}));
  // Nor may what is carried or only read change.
  EXPECT_FALSE(tile({begin, loopOf({evaluate(assign(out, outBefore)), evaluate(assign(outBefore, n))})}));
  EXPECT_FALSE(
      tile({begin, loopOf({evaluate(assign(out, outBefore)), choice(sum, {evaluate(assign(outBefore, n, "+="))})})}));
  EXPECT_FALSE(tile({begin, loopOf({adds(out), choice(sum, {stores})})}));
  EXPECT_FALSE(tile({begin, loopOf({adds(assign(out, n, "+="))})}));
  EXPECT_FALSE(tile({begin, define("__global float *to", {}, "to"), evaluate(assign(name("to"), name("out"))),
                     loopOf({stores, adds(element("to", k))})}));
}

TEST(Tiles, OwnersDoWhatStandsBetweenLoops) {
  const Statement stores = loopOf({evaluate(assign(out, outBefore))}),
                  own = define("float one", element("out", i), "one");
  const auto tiled =
      tile({begin, evaluate(assign(element("out", i), zero)), stores, own, adds(n),
            downLoopOf({evaluate(assign(out, outBehind, "+="))}), evaluate(assign(element("out", i), n))});
  ASSERT_TRUE(tiled);
  ASSERT_EQ(tiled->loops.size(), 2u);
  EXPECT_EQ(text(tiled->loops[0].before, 0), "int i = muster_k_0;\nif (muster_owner) {\n  out[i] = 0;\n}\n");
  EXPECT_EQ(text(tiled->loops[1].before, 0), "float one = 0;\nif (muster_owner) {\n  one = out[i];\n}\nsum += n;\n");
  EXPECT_EQ(text(tiled->behind, 0), "out[i] = n;\n");
  // So is what loops have computed, wherever it leads.
  const Statement reads = loopOf({adds(element("a", along))}), at = define("float at", element("b", sum), "at");
  const auto found = tile({begin, reads, at, define("float more", name("at"), "more"), define("int w", n, "w"), reads});
  ASSERT_TRUE(found && found->loops.size() == 2);
  EXPECT_TRUE(found->hasOwners);
  EXPECT_EQ(text(found->loops[1].before, 0),
            "float at = 0;\nif (muster_owner) {\n  at = b[sum];\n}\nfloat more = 0;\nif (muster_owner) {\n  more = "
            "at;\n}\nint w = n;\n");
  // Long loops are not: three of four work-items would wait.
  const Statement longer = loopOf({evaluate(assign(element("out", i), n))});
  EXPECT_FALSE(tile({begin, longer, stores}));
  EXPECT_FALSE(tile({begin, stores, longer}));
  EXPECT_TRUE(tile({begin, reads, longer}));
  // Loops behind what may end the iteration are the owner's.
  const auto ended = tile({begin, stores, choice(sum, {giveBack()}), adds(n)});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->loops.size(), 1u);
  EXPECT_EQ(ended->behind.size(), 2u);
  EXPECT_FALSE(tile({begin, choice(sum, {giveBack()}), stores}));
}

TEST(Tiles, WhatIsRepeatedHasNoEffects) {
  const Statement reads = adds(element("a", along));
  EXPECT_FALSE(find(iterationOf({reads, evaluate(assign(element("out", k), sum))})));
  // The owner alone has them.
  const auto isOwners = [&](const Statements& before) {
    const auto tiled = tile(iterationOf({reads}, before));
    return tiled && tiled->hasOwners &&
           text(tiled->loops.front().before, 0).find("if (muster_owner) {") != std::string::npos;
  };
  EXPECT_FALSE(tile(iterationOf({reads}))->hasOwners);
  EXPECT_TRUE(isOwners({evaluate(assign(element("out", i), zero))}));
  EXPECT_TRUE(isOwners({evaluate(call("set", {name("out"), i}))}));
  EXPECT_TRUE(isOwners({evaluate(call("set", {binary("+", name("out"), i)}))}));
  EXPECT_TRUE(isOwners({evaluate(call("set", {prefix("&", element("out", i))}))}));
  EXPECT_TRUE(isOwners({evaluate(assign(prefix("*", name("to")), zero))}));
  EXPECT_TRUE(find(iterationOf({reads}, {evaluate(assign(sum, call("exp", {element("b", i)})))})));
  EXPECT_FALSE(find(iterationOf({reads, evaluate(assign(k, n))})));
  // Pointers that are set elsewhere, rows, and members that may be arrays.
  const Statement to = define("__global float *to", binary("+", name("out"), i), "to"),
                  sets = evaluate(call("set", {name("to")}));
  EXPECT_FALSE(find(iterationOf({to, sets, reads})));
  EXPECT_TRUE(isOwners({choice(n, {to, sets})}));
  EXPECT_TRUE(isOwners({define("__global float *to", {}, "to"), sets}));
  EXPECT_TRUE(isOwners({evaluate(call("set", {element("rows", i)}))}));
  EXPECT_TRUE(isOwners({evaluate(call("set", {member(element("out", i), "x")}))}));
  EXPECT_TRUE(find(iterationOf({reads}, {evaluate(assign(sum, call("exp", {subscript(element("rows", i), zero)})))})));
  const Statement from = define("__global const float *from", binary("+", name("a"), row), "from");
  EXPECT_TRUE(find(iterationOf({adds(call("exp", {element("from", k)}))}, {from})));
  // A reference to an element, which would be one in local memory.
  EXPECT_FALSE(find(iterationOf({define("__global const float *x", prefix("&", element("a", along)), "x"), reads})));
}

}  // namespace
}  // namespace muster::plugin
