// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of records that an iteration reads and writes together.
#include <gtest/gtest.h>

#include "passes/WideRecords.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

using namespace ir;
using print::text;

const Expression i = name("i"), j = name("j"), one = literal("1");

Expression of(const char* array, const char* part, Expression index = i) {
  return member(subscript(name(array), std::move(index)), part);
}
Statement set(Expression target, Expression value, const char* op = "=") {
  return evaluate(assign(std::move(target), std::move(value), op));
}
Statement value(const char* variable, Expression what) {
  return define("const float " + std::string(variable), std::move(what), variable);
}

// Records x, y, z, w of floats: `own` is written, `read` is only read, as `list` of numbers is. `holes` has two bytes
// behind `b` that no member has; `half` has 8 bytes.
std::string made(const Statements& body) {
  Statements all = {define("int i", name("muster_k_0"), "i")};
  all.insert(all.end(), body.begin(), body.end());
  passes::RecordContext context;
  const passes::RecordLayout four{"R", 16, {{".x", {0, 4}}, {".y", {4, 4}}, {".z", {8, 4}}, {".w", {12, 4}}}};
  context.arrays = {{"own", four},
                    {"read", four},
                    {"holes", {"H", 8, {{".a", {0, 4}}, {".b", {4, 2}}}}},
                    {"half", {"S", 8, {{".a", {0, 4}}, {".b", {4, 4}}}}},
                    {"rows", {"A", 32, {{".v[0]", {0, 8}}, {".v[1]", {8, 8}}, {".n", {16, 8}}, {".m", {24, 8}}}}}};
  context.isOnlyRead = [](const std::string& array) { return array == "read" || array == "list"; };
  context.memory.constantOf = [](const std::string&) { return -1; };
  context.memory.isArray = [&](const std::string& name) { return context.arrays.count(name) != 0 || name == "list"; };
  context.memory.numbersOf = [](const std::string&) { return passes::Memory::Numbers(); };
  context.memory.variables = passes::variablesIn(all, [](const std::string&) { return false; });
  const auto code = passes::withWideRecords(all, context);
  if (!code) return "";
  EXPECT_EQ(text({code->front()}, 0), "int i = muster_k_0;\n");
  return text({code->begin() + 1, code->end()}, 0);
}

const Statements all = {set(of("own", "x"), of("own", "y"), "+="), set(of("own", "z"), of("own", "w"))};
const std::string own = "union { R record; uint4 words[1]; } muster_record0;\n",
                  loaded = "muster_record0.words[0] = ((__global uint4 *)&own[i])[0];\n",
                  stored = "((__global uint4 *)&own[i])[0] = muster_record0.words[0];\n";

TEST(WideRecords, OnesOwnIsLoadedAndStoredTogether) {
  EXPECT_EQ(made(all), own + loaded +
                           "muster_record0.record.x += muster_record0.record.y;\n"
                           "muster_record0.record.z = muster_record0.record.w;\n" +
                           stored);
}

TEST(WideRecords, WhatIsOnlyWrittenIsNotLoaded) {
  EXPECT_EQ(made({set(of("half", "a"), one), set(of("half", "b"), one)}),
            "union { S record; uint2 words[1]; } muster_record0;\nmuster_record0.record.a = 1;\n"
            "muster_record0.record.b = 1;\n((__global uint2 *)&half[i])[0] = muster_record0.words[0];\n");
  EXPECT_EQ(made({set(of("holes", "a"), one), set(of("holes", "b"), one)}), "") << "two bytes would be lost";
  EXPECT_NE(made({set(of("holes", "a"), of("holes", "b")), set(of("holes", "b"), one)}), "");
}

// Another iteration may have what this one leaves alone, and other places may have its record.
TEST(WideRecords, WhatIsTouchedOnlySometimesStaysInMemory) {
  EXPECT_EQ(made({set(of("own", "x"), of("own", "y"), "+="), choice(i, {set(of("own", "z"), of("own", "w"))})}), "");
  EXPECT_EQ(made({all[0], set(of("own", "z"), conditional(i, of("own", "w"), one))}), "");
  Statements more = all;
  more.push_back(choice(i, {set(of("own", "x"), one)}));
  EXPECT_NE(made(more), "") << "it is touched in any case";
  more.back() = set(of("own", "x", j), one);
  EXPECT_EQ(made(more), "") << "another record, or the same one";
  more.back() = evaluate(call("f", {name("own")}));
  EXPECT_EQ(made(more), "");
  more.back() = set(i, one);
  EXPECT_EQ(made(more), "") << "the index moves on";
  more.back() = choice(j, {giveBack()});
  EXPECT_EQ(made(more), "") << "it ends in front of the store";
}

TEST(WideRecords, PointersToRecordsAreSeenThrough) {
  const Statement pointer = define("__global R *q", addressOf(subscript(name("own"), i)), "q");
  const auto at = [](const char* part) { return arrow(name("q"), part); };
  const Statements body = {pointer, set(at("x"), at("y")), set(at("z"), at("w"))};
  EXPECT_EQ(made(body), "__global R *q = &own[i];\n" + own + loaded +
                            "muster_record0.record.x = muster_record0.record.y;\n"
                            "muster_record0.record.z = muster_record0.record.w;\n" +
                            stored);
  Statements given = body;
  given.push_back(evaluate(call("f", {name("q")})));
  EXPECT_EQ(made(given), "") << "a function has it";
}

// A word with an element that an index names goes one by one.
TEST(WideRecords, WordsWithUnknownElementsStayInMemory) {
  const auto element = [](Expression number) { return subscript(of("rows", "v"), std::move(number)); };
  EXPECT_EQ(made({set(of("rows", "n"), of("rows", "m")), set(element(literal("0")), element(j))}),
            "union { A record; uint4 words[2]; } muster_record0;\n"
            "muster_record0.words[1] = ((__global uint4 *)&rows[i])[1];\n"
            "muster_record0.record.n = muster_record0.record.m;\n"
            "rows[i].v[0] = rows[i].v[j];\n"
            "((__global uint4 *)&rows[i])[1] = muster_record0.words[1];\n");
  const Expression whole = subscript(name("rows"), i);
  EXPECT_EQ(made({set(whole, name("other")), set(of("rows", "n"), of("rows", "m")), set(element(j), one)}), "")
      << "a copy would be split";
}

TEST(WideRecords, WhatIsOnlyReadIsLoadedInFront) {
  const std::string words = "union { R record; uint4 words[1]; } muster_record0;\n";
  const Expression other = subscript(name("list"), i);
  EXPECT_EQ(made({value("a", of("read", "x", other)), value("b", of("read", "w", other))}),
            words +
                "muster_record0.words[0] = ((__global const uint4 *)&read[list[i]])[0];\n"
                "const float a = muster_record0.record.x;\nconst float b = muster_record0.record.w;\n");
  EXPECT_EQ(made({value("a", of("read", "x")), value("b", of("read", "x"))}), "") << "one member alone";
  EXPECT_EQ(made({value("a", of("read", "x")), choice(j, {value("b", of("read", "y"))})}), "") << "perhaps one alone";
  EXPECT_EQ(made({value("a", of("read", "x", j)), set(j, one), value("b", of("read", "y", j))}), "");
  EXPECT_EQ(made({value("a", of("read", "x")), choice(j, {giveBack()}), value("b", of("read", "y"))}), "");
  const Statement inside{
      StatementKind::While, "", j, {}, {}, {value("a", of("read", "x")), value("b", of("read", "y"))}};
  EXPECT_EQ(made({inside}),
            "while (j) {\n  union { R record; uint4 words[1]; } muster_record0;\n"
            "  muster_record0.words[0] = ((__global const uint4 *)&read[i])[0];\n"
            "  const float a = muster_record0.record.x;\n  const float b = muster_record0.record.y;\n}\n");
}

}  // namespace
}  // namespace muster::plugin
