// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that work-groups share: which ones the analysis finds, compared with all pairs of their iterations, and what
// becomes of an iteration.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "forms.h"
#include "passes/GroupLoops.h"
#include "print/Print.h"

namespace muster::plugin {
namespace {

// A loop over i, with a statement and then a loop over j, whose body may have a loop over k.
struct Iteration {
  struct Access {
    bool write;
    Values index;  // factors of i, j and k, then a constant
  };
  std::int64_t rows, first[2], last[2];  // j goes from first[0] + first[1] * i to last[0] + last[1] * i
  std::int64_t depth;                    // how often the loop over k runs; 0: there is none
  std::vector<Access> accesses;

  std::string code(const std::string& name) const {
    const auto sum = [](const std::int64_t* form) {
      return std::to_string(form[0]) + " + " + std::to_string(form[1]) + " * i";
    };
    std::ostringstream out;
    out << "void " << name << "(double *a, double *b) {\n#pragma omp parallel for\nfor (long i = 0; i < " << rows
        << "; i++) {\nb[i] = 1;\nfor (long j = " << sum(first) << "; j <= " << sum(last) << "; j++)\n";
    if (depth != 0) out << "for (long k = 0; k < " << depth << "; k++)\n";
    out << "{\n";
    for (const Access& access : accesses) {
      out << (access.write ? "" : "double x" + std::to_string(&access - accesses.data()) + " = ") << "a["
          << access.index[3] << " + " << access.index[0] << " * i + " << access.index[1] << " * j";
      if (depth != 0) out << " + " << access.index[2] << " * k";
      out << (access.write ? "] = 1;\n" : "];\n");
    }
    out << "}\n}\n}\n";
    return out.str();
  }

  // Whether two iterations over j, both in front of the pivot or both behind it, touch an element that one of them
  // writes.
  bool conflicts(const GroupLoopFact& loop) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t pivot = loop.hasPivot ? valueOf(loop.pivot, {i}, {}) : 0;
      std::map<std::pair<std::int64_t, int>, std::vector<std::pair<std::int64_t, bool>>> touched;
      for (std::int64_t j = first[0] + first[1] * i; j <= last[0] + last[1] * i; ++j)
        for (std::int64_t k = 0; k < std::max<std::int64_t>(depth, 1); ++k)
          for (const Access& access : accesses) {
            const std::int64_t index =
                access.index[3] + access.index[0] * i + access.index[1] * j + access.index[2] * k;
            const int part = !loop.hasPivot ? 0 : j < pivot ? -1 : j > pivot;
            touched[{index, part}].emplace_back(j, access.write);
          }
      for (const auto& [element, uses] : touched)
        for (const auto& [j, writes] : uses)
          for (const auto& [other, otherWrites] : uses)
            if (j != other && (writes || otherWrites)) return true;
    }
    return false;
  }
};

class RandomIterations {
 public:
  explicit RandomIterations(unsigned seed) : random_(seed) {}

  Iteration make() {
    Iteration made{number(1, 5),
                   {number(0, 3), number(0, 2) == 0},
                   {number(33, 40), number(-1, 1)},
                   number(0, 3) == 0 ? number(1, 3) : 0,
                   {}};
    const std::int64_t step = made.depth != 0 ? number(1, made.depth + 1) : 1;
    const std::int64_t row = number(0, 3) == 0 ? number(1, 50) : 48 * step;
    for (std::int64_t accesses = number(1, 3); accesses-- > 0;) {
      const bool isFirst = made.accesses.empty();
      Values index = {row, step, made.depth != 0, number(0, 2) == 0 ? number(0, 3) : 0};
      // Of another row, or one element of this one.
      if (!isFirst && number(0, 2) == 0) index[0] = 0, index[3] = row * number(0, 4);
      if (!isFirst && number(0, 2) == 0)
        index[0] += number(-1, 1), index[1] = 0, index[2] = 0, index[3] += number(0, 40);
      made.accesses.push_back({isFirst || number(0, 4) == 0, index});
    }
    return made;
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  std::mt19937 random_;
};

TEST(GroupLoops, IterationsOfAPartTouchNoElementOfAnother) {
  std::vector<Iteration> made;
  std::string code;
  for (unsigned seed = 0; seed < 800; ++seed) {
    made.push_back(RandomIterations(seed).make());
    code += made.back().code("f" + std::to_string(seed));
  }
  const AnalysedFile file = analyse(code);
  ASSERT_EQ(file.facts.loops.size(), made.size());
  unsigned found = 0, pivots = 0, refused = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const LoopFacts& facts = file.facts.loops[i];
    SCOPED_TRACE(made[i].code("f"));
    ASSERT_FALSE(facts.refusal) << facts.refusal->what;
    ASSERT_EQ(facts.dims.size(), 1U);
    for (const GroupLoopFact& loop : facts.groupLoops) {
      ASSERT_EQ(loop.var->getName(), "j");
      ASSERT_FALSE(made[i].conflicts(loop));
      ++found, pivots += loop.hasPivot;
    }
    refused += facts.groupLoops.empty();
  }
  // Or it tests nothing.
  EXPECT_GE(found, made.size() / 3);
  EXPECT_GE(pivots, made.size() / 20);
  EXPECT_GE(refused, made.size() / 10);
}

struct KnownLoop {
  const char* name;
  const char* body;      // of a loop over i in [0, n)
  const char* variable;  // of the loop that is found; "": none
  bool hasPivot;
};

void PrintTo(const KnownLoop& known, std::ostream* out) { *out << known.body; }

class KnownGroupLoops : public testing::TestWithParam<KnownLoop> {};

TEST_P(KnownGroupLoops, AreUnderstood) {
  const AnalysedFile file = analyse(std::string("void f(double *a, double *b, int n, int m, int k) {\n"
                                                "#pragma omp parallel for\nfor (int i = 0; i < n; i++) {") +
                                    GetParam().body + "} }");
  const LoopFacts& facts = file.facts.loops.at(0);
  ASSERT_FALSE(facts.refusal) << facts.refusal->what;
  ASSERT_EQ(facts.groupLoops.size(), *GetParam().variable != 0 ? 1U : 0U);
  if (facts.groupLoops.empty()) return;
  EXPECT_EQ(facts.groupLoops[0].var->getName(), GetParam().variable);
  EXPECT_EQ(facts.groupLoops[0].hasPivot, GetParam().hasPivot);
}

INSTANTIATE_TEST_SUITE_P(
    GroupLoops, KnownGroupLoops,
    testing::Values(
        KnownLoop{"a_triangle", "for (int j = 0; j <= i; j++) a[i * n + j] = 1;", "j", false},
        KnownLoop{"beside_a_statement", "b[i] = 1; for (int j = 0; j < n; j++) a[i * n + j] += b[i];", "j", false},
        KnownLoop{"a_row_of_another", "for (int j = 0; j < n; j++) a[i * n + j] += a[k * n + j] * a[i * n + k];", "j",
                  true},
        KnownLoop{"in_front_of_the_pivot", "b[i] = 1; for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k];",
                  "j", false},
        KnownLoop{"two_pivots", "for (int j = 0; j < n; j++) a[i * n + j] += a[i * n + k] + a[i * n + m];", "", false},
        KnownLoop{"neighbours", "b[i] = 1; for (int j = 1; j < n; j++) a[i * n + j] += a[i * n + j - 1];", "", false},
        KnownLoop{"rows_of_any_length", "b[i] = 1; for (int j = 0; j < m; j++) a[i * n + j] += a[k * n + j];", "j",
                  false},
        KnownLoop{"other_rows_of_no_pitch", "b[i] = 1; for (int j = 0; j < m; j++) a[i * n + j] += a[k + j];", "",
                  false},
        KnownLoop{"a_sum", "double s = 0; for (int j = 0; j < i; j++) s += a[i * n + j]; b[i] = s;", "", false},
        KnownLoop{"a_sum_of_whole_numbers",
                  "long s = 0; for (int j = 0; j < i; j++) s += (long)a[i * n + j]; b[i] = s;", "j", false},
        KnownLoop{"short_ones", "b[i] = 1; for (int j = 0; j < 31; j++) a[i * 31 + j] = 1;", "", false},
        KnownLoop{"columns", "b[i] = 1; for (int j = 0; j < n; j++) a[j * n + i] = 1;", "", false},
        KnownLoop{"steps", "b[i] = 1; for (int j = 0; j < n; j += 2) a[i * n + j] = 1;", "", false},
        KnownLoop{"an_exit", "b[i] = 1; for (int j = 0; j < n; j++) { if (a[i * n + j] < 0) break; a[i * n + j] = 1; }",
                  "", false},
        KnownLoop{"mixed_signs", "b[i] = 1; for (int j = k; j < (unsigned)n; j++) a[i * n + j] = 1;", "", false}),
    [](const testing::TestParamInfo<KnownLoop>& info) { return std::string(info.param.name); });

using namespace ir;

const Expression i = name("i"), j = name("j"), n = name("n");

Expression element(const char* array, Expression index) { return subscript(name(array), std::move(index)); }

// for (int j = 0; j < n; ++j) body
Statement loopOf(Statements body) {
  Statement loop{StatementKind::For, "", binary("<", j, n), prefix("++", j), {define("int j", literal("0"), "j")},
                 std::move(body)};
  loop.groupLoop = 1;
  return loop;
}

const Expression along = binary("+", binary("*", i, n), j);
const Statement fills = evaluate(assign(element("out", along), element("in", j)));

struct Grouped {
  std::string text, whyNot;
};

Grouped group(Statements iteration, Expression pivot = {}, const std::set<std::string>& carried = {}) {
  passes::GroupContext context;
  context.memory.constantOf = [](const std::string& name) { return name == "n" ? 0 : -1; };
  context.memory.isArray = [](const std::string& name) { return name == "in" || name == "out"; };
  context.memory.numbersOf = [](const std::string&) { return passes::Memory::Numbers{"float", 4}; };
  context.isRead = [](const std::string& name) { return name == "in"; };
  context.pivots = {std::move(pivot)};
  context.carried = {carried};
  iteration.insert(iteration.begin(), define("int i", name("muster_k_0"), "i"));
  Grouped grouped;
  const auto statements = passes::groupIteration(iteration, context, grouped.whyNot);
  if (statements) grouped.text = print::text(statements->code, 0);
  EXPECT_EQ(statements.has_value(), grouped.whyNot.empty() && !grouped.text.empty());
  return grouped;
}

unsigned countOf(const std::string& text, const std::string& part) {
  unsigned count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(GroupLoops, NothingIsSharedWithoutSuchALoop) {
  Statement loop = loopOf({fills});
  loop.groupLoop = 0;
  EXPECT_EQ(group({loop}).text, "");
  EXPECT_EQ(group({loop}).whyNot, "");
}

TEST(GroupLoops, BarriersStandBetweenStoresAndReads) {
  const Statement stores = evaluate(assign(element("out", i), literal("1")));
  const std::string barrier = "barrier(";
  EXPECT_EQ(countOf(group({loopOf({fills})}).text, barrier), 0U);
  EXPECT_EQ(countOf(group({stores, loopOf({fills})}).text, barrier), 1U);
  EXPECT_EQ(countOf(group({stores, stores, loopOf({fills}), stores}).text, barrier), 2U);
  // What is read in front of a store that another work-item makes.
  const Statement reads = define("float x", element("out", i), "x");
  EXPECT_EQ(countOf(group({reads, loopOf({fills})}).text, barrier), 1U);
  const Statement harmless = define("float x", element("in", i), "x");
  EXPECT_EQ(countOf(group({harmless, loopOf({fills})}).text, barrier), 0U);
}

TEST(GroupLoops, StoresAreTheFirstOnes) {
  const Statement stores = evaluate(assign(element("out", i), literal("1")));
  const std::string text = group({stores, loopOf({fills})}).text;
  EXPECT_NE(text.find("if (muster_lane == 0) {\n  out[i] = 1;\n}\n"), std::string::npos) << text;
}

TEST(GroupLoops, ThePivotIsAPartOfItsOwn) {
  const std::string text = group({loopOf({fills})}, name("k")).text;
  EXPECT_NE(text.find("for (int muster_part = 0; muster_part < 3; ++muster_part) {"), std::string::npos) << text;
  EXPECT_EQ(countOf(text, "barrier("), 1U);
}

TEST(GroupLoops, AnEndInFrontIsAConditionAround) {
  Statement end = choice(binary("<", i, literal("3")), {giveBack()});
  const std::string text = group({end, loopOf({fills})}).text;
  EXPECT_NE(text.find("const int muster_chosen0 = !(!(i < 3));\n  {\n    if (!muster_chosen0) {"), std::string::npos)
      << text;
  EXPECT_EQ(countOf(text, "return"), 0U);
}

// POCL goes wrong with barriers in conditions.
TEST(GroupLoops, CodeWithBarriersIsCutAtThem) {
  const Statement stores = evaluate(assign(element("out", i), literal("1")));
  const Statement reads = define("const float x", element("in", i), "x");
  const std::string text = group({choice(binary("<", i, literal("3")), {reads, stores, loopOf({fills})})}).text;
  EXPECT_NE(text.find("    float x = 0;\n    if (muster_chosen0) {\n      x = in[i];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    }\n    barrier("), std::string::npos) << text;
  EXPECT_EQ(countOf(text, "if (muster_chosen0) {"), 2U) << text;
  EXPECT_EQ(countOf(text, "\n      barrier("), 0U) << text;
}

TEST(GroupLoops, AllHaveWhatALoopHasAddedUp) {
  const Statement sum = define("float sum", literal("3"), "sum"),
                  adds = evaluate(assign(name("sum"), element("in", j), "+=")),
                  stores = evaluate(assign(element("out", i), name("sum")));
  const std::string text = group({sum, loopOf({adds}), loopOf({adds}), stores}).text;
  EXPECT_NE(text.find("const float muster_whole_sum = sum;\n  sum = 0;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("muster_slots_float0[muster_lane] = sum;\n  barrier("), std::string::npos) << text;
  EXPECT_NE(text.find("sum = sum + muster_heads_float0[muster_e];"), std::string::npos) << text;
  EXPECT_NE(text.find("if (muster_lane == 0) {\n  out[i] = sum;\n}\n"), std::string::npos) << text;
  EXPECT_EQ(countOf(text, "barrier("), 4U) << text;
  // What goes from iteration to iteration is added up, also if nothing else asks for it.
  const Statement asks = evaluate(assign(element("out", along), name("sum")));
  EXPECT_NE(group({sum, loopOf({adds, fills})}).text, "");
  EXPECT_EQ(group({sum, loopOf({adds, asks})}, {}, {"sum"}).text, "");
}

TEST(GroupLoops, WhyNot) {
  const Statement sum = define("float sum", literal("0"), "sum");
  const auto adds = [](Expression value) { return evaluate(assign(name("sum"), std::move(value), "+=")); };
  // Not added up, or in a loop that others are around.
  const Statement stores = evaluate(assign(element("out", i), name("sum")));
  const Statement halves = evaluate(assign(name("sum"), binary("/", name("sum"), literal("2"))));
  EXPECT_EQ(group({sum, loopOf({halves}), loopOf({fills}), stores}).whyNot, "another loop in it runs often");
  EXPECT_EQ(group({sum, loopOf({halves}), stores}).text, "");
  Statement around = loopOf({loopOf({adds(element("in", j))})});
  around.groupLoop = 0;
  EXPECT_EQ(group({sum, around, loopOf({fills}), stores}).whyNot, "another loop in it runs often");
  Statement serial = loopOf({adds(element("in", j))});
  serial.groupLoop = 0;
  EXPECT_EQ(group({sum, serial, loopOf({fills})}).whyNot, "another loop in it runs often");
  EXPECT_EQ(group({choice(binary("<", element("out", i), literal("1")), {loopOf({fills})})}).whyNot,
            "what the loop writes decides its course");
  // By way of a variable.
  EXPECT_EQ(group({define("float x", element("out", i), "x"),
                   choice(binary("<", name("x"), literal("1")), {loopOf({fills})})})
                .whyNot,
            "what the loop writes decides its course");
  EXPECT_EQ(group({define("float own[8]", {}, "own"), loopOf({fills})}).whyNot, "it has arrays of its own");
  EXPECT_EQ(group({define("float x", postfix(element("out", i), "++"), "x"), loopOf({fills})}).whyNot,
            "a store gives a value");
  Statement counts = loopOf({fills});
  counts.next = assign(j, literal("2"), "+=");
  EXPECT_EQ(group({counts}).whyNot, "a loop counts otherwise");
}

}  // namespace
}  // namespace muster::plugin
