// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of indexes and what is known of them: each element that a program touches is one that the facts say.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "analysis/facts/Affine.h"
#include "forms.h"

namespace muster::plugin {
namespace {

// An integer expression over i and j as text, and what it is worth in type T; none: the program would be wrong.
template <class T>
class Expressions {
 public:
  explicit Expressions(std::mt19937& random) : random_(random) {}

  struct Expression {
    std::string text;
    std::function<std::optional<T>(T i, T j)> value;
  };

  Expression make(unsigned depth) {
    if (depth == 0) return leaf();
    switch (number(0, 9)) {
      case 0:
      case 1:
        return operation(make(depth - 1), "+", make(depth - 1));
      case 2:
        return operation(make(depth - 1), "-", make(depth - 1));
      case 3:
        return operation(make(depth - 1), "*", constant(-3, 4));
      case 4:
        return operation(make(depth - 1), "/", constant(1, 5));
      case 5:
        return operation(make(depth - 1), "%", constant(1, 9));
      case 6:
        return operation(make(depth - 1), "&", constant(0, 15));
      case 7:
        return operation(make(depth - 1), ">>", constant(0, 3));
      case 8:
        return extremum(make(depth - 1), make(depth - 1));
      default:
        return leaf();
    }
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Expression constant(std::int64_t low, std::int64_t high) {
    const std::int64_t value = std::is_signed_v<T> ? number(low, high) : number(std::max<std::int64_t>(low, 0), high);
    return {"T(" + std::to_string(value) + ")", [value](T, T) { return T(value); }};
  }
  Expression leaf() {
    switch (number(0, 3)) {
      case 0:
        return constant(0, 7);
      case 1:
        return {"j", [](T, T j) { return j; }};
      default:
        return {"i", [](T i, T) { return i; }};
    }
  }
  Expression operation(Expression left, const std::string& op, Expression right) {
    return {"(" + left.text + " " + op + " " + right.text + ")", [=](T i, T j) {
              const auto x = left.value(i, j), y = right.value(i, j);
              return x && y ? compute(*x, op[0], *y) : std::nullopt;
            }};
  }
  Expression extremum(Expression left, Expression right) {
    const bool least = number(0, 1) != 0;
    return {"(" + left.text + (least ? " < " : " > ") + right.text + " ? " + left.text + " : " + right.text + ")",
            [=](T i, T j) -> std::optional<T> {
              const auto x = left.value(i, j), y = right.value(i, j);
              if (!x || !y) return std::nullopt;
              return least ? std::min(*x, *y) : std::max(*x, *y);
            }};
  }
  static std::optional<T> compute(T x, char op, T y) {
    T result = 0;
    bool overflows = false;
    switch (op) {
      case '+':
        overflows = __builtin_add_overflow(x, y, &result);
        break;
      case '-':
        overflows = __builtin_sub_overflow(x, y, &result);
        break;
      case '*':
        overflows = __builtin_mul_overflow(x, y, &result);
        break;
      case '/':
        return y == 0 ? std::nullopt : std::optional<T>(x / y);
      case '%':
        return y == 0 ? std::nullopt : std::optional<T>(x % y);
      case '&':
        return x & y;
      default:
        return x >> y;
    }
    return overflows && std::is_signed_v<T> ? std::nullopt : std::optional<T>(result);  // unsigned numbers wrap
  }

  std::mt19937& random_;
};

// Whether `index` is a value of the form, with values of inner variables from number `next` on that are within their
// bounds. nullopt: there are too many.
std::optional<bool> reaches(const LoopFacts& facts, const AffineExpr& form, std::int64_t index, Values& variables,
                            unsigned& budget) {
  const std::size_t next = variables.size();
  if (next == facts.dims.size() + facts.inner.size()) {
    if (budget-- == 0) return std::nullopt;
    return valueOf(form, variables, {}) == index;
  }
  const InnerFact& inner = facts.inner[next - facts.dims.size()];
  const auto divided = [&](const AffineExpr& bound) {
    const std::int64_t number = valueOf(bound, variables, {}), by = valueOf(inner.divisor, {});
    return number / by - (number % by < 0);
  };
  const bool isUsed = follows(form, next, facts);
  const std::int64_t low = divided(inner.smallest), high = divided(inner.largest);
  for (std::int64_t value = low; value <= (isUsed ? high : low); ++value) {
    variables.push_back(value);
    const auto found = reaches(facts, form, index, variables, budget);
    variables.pop_back();
    if (!found || *found) return found;
  }
  return false;
}

// Whether the loop is launched; else it stays plain, and nothing need be right.
bool isLaunched(const LoopFacts& facts, const std::vector<Values>& iterations) {
  return llvm::all_of(facts.guards, [&](const GuardFact& guard) {
    return llvm::all_of(iterations, [&](const Values& variables) {
      const std::int64_t value = valueOf(guard.form, variables, {});
      return guard.low <= value && value <= guard.high;
    });
  });
}

constexpr std::int64_t kFirst = 2, kEnd = 9;  // of i and j

std::string functionOf(unsigned number, const std::string& index) {
  const std::string from = " = " + std::to_string(kFirst) + "; ", to = " < " + std::to_string(kEnd) + "; ";
  return "void f" + std::to_string(number) +
         "(double *a, const double *b) {\n#pragma omp parallel for collapse(2)\nfor (T i" + from + "i" + to +
         "i++)\nfor (T j" + from + "j" + to + "j++)\na[i * 16 + j] = b[" + index + "];\n}\n";
}

// An index, and the elements that it names in each iteration; none: the program would be wrong.
struct Index {
  std::string text;
  std::vector<Values> iterations;
  Values elements;
};

template <class T>
Index randomIndex(unsigned seed) {
  std::mt19937 random(seed);
  const auto expression = Expressions<T>(random).make(3);
  Index index{expression.text, {}, {}};
  for (std::int64_t i = kFirst; i < kEnd; ++i)
    for (std::int64_t j = kFirst; j < kEnd; ++j) {
      const auto value = expression.value(T(i), T(j));
      // Elements far away are those of a program that wraps.
      if (!value || static_cast<__int128>(*value) > 1'000'000 || static_cast<__int128>(*value) < -1'000'000)
        return {expression.text, {}, {}};
      index.iterations.push_back({i, j});
      index.elements.push_back(static_cast<std::int64_t>(*value));
    }
  return index;
}

// False: the facts do not bound the accesses of b.
bool check(const LoopFacts& facts, const Index& index) {
  EXPECT_FALSE(facts.refusal) << facts.refusal->what;
  EXPECT_EQ(facts.dims.size(), 2u);
  std::vector<const AffineExpr*> forms;
  for (const AccessFact& access : facts.accesses) {
    if (facts.arrays[access.array].var->getName() != "b") continue;
    if (!access.index) return false;
    forms.push_back(&*access.index);
  }
  if (!isLaunched(facts, index.iterations)) return true;
  for (std::size_t k = 0; k < index.elements.size(); ++k) {
    const bool found = llvm::any_of(forms, [&](const AffineExpr* form) {
      Values variables = index.iterations[k];
      unsigned budget = 100'000;
      return reaches(facts, *form, index.elements[k], variables, budget).value_or(true);
    });
    EXPECT_TRUE(found) << "b[" << index.elements[k] << "] in iteration " << k;
    if (!found) break;
  }
  return true;
}

template <class T>
void checkIndexes(const std::string& type) {
  std::vector<Index> indexes;
  std::string code = "using T = " + type + ";\n";
  for (unsigned seed = 0; seed < 300; ++seed) {
    Index index = randomIndex<T>(seed);
    if (index.elements.empty()) continue;
    code += functionOf(indexes.size(), index.text);
    indexes.push_back(std::move(index));
  }
  const AnalysedFile file = analyse(code);
  ASSERT_EQ(file.facts.loops.size(), indexes.size());
  std::size_t bounded = 0;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    SCOPED_TRACE("b[" + indexes[i].text + "]");
    bounded += check(file.facts.loops[i], indexes[i]);
  }
  // Or it tests nothing.
  EXPECT_GE(indexes.size(), 150u);
  EXPECT_GE(bounded * 10, indexes.size() * 6) << bounded << " of " << indexes.size() << " are bounded";
}

TEST(Ranges, OfIntIndexesHoldTheirElements) { checkIndexes<int>("int"); }
TEST(Ranges, OfLongIndexesHoldTheirElements) { checkIndexes<long>("long"); }
TEST(Ranges, OfUnsignedIndexesHoldTheirElements) { checkIndexes<unsigned>("unsigned"); }
TEST(Ranges, OfUnsignedLongIndexesHoldTheirElements) { checkIndexes<unsigned long>("unsigned long"); }

}  // namespace
}  // namespace muster::plugin
