// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/InnerLoops.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// constant + sum of factor * name
struct Linear {
  double constant = 0;
  std::map<unsigned, double> factors;

  void add(const Linear& other, double times) {
    constant += times * other.constant;
    for (const auto& [number, factor] : other.factors) factors[number] += times * factor;
  }
  bool isConstant() const {
    return llvm::all_of(factors, [](const auto& entry) { return entry.second == 0; });
  }
};

// `k = first; k < end; k += step`, in any spelling.
struct Loop {
  std::string variable;
  Linear count, middle;  // of the variable's values
};

class Counter {
 public:
  explicit Counter(llvm::function_ref<int(const std::string&)> constantOf) : constantOf_(constantOf) {}

  InnerLoops count(const Statements& body) {
    InnerLoops loops;
    loops.fixed = timesOf(body, loops);
    return loops;
  }

 private:
  std::optional<Linear> linear(const Expression& value) const {
    switch (value.kind()) {
      case ExpressionKind::Literal: {
        long long number = 0;
        if (llvm::StringRef(value.text()).consumeInteger(10, number)) return std::nullopt;
        return Linear{static_cast<double>(number), {}};
      }
      case ExpressionKind::Name: {
        const auto loop = middles_.find(value.text());
        if (loop != middles_.end()) return loop->second;
        const int number = constantOf_(value.text());
        if (number < 0) return std::nullopt;
        return Linear{0, {{static_cast<unsigned>(number), 1}}};
      }
      case ExpressionKind::Parentheses:
      case ExpressionKind::Cast:
        return linear(value.part(0));
      case ExpressionKind::Prefix: {
        auto inner = linear(value.part(0));
        if (!inner || value.text() != "-") return std::nullopt;
        Linear negative;
        negative.add(*inner, -1);
        return negative;
      }
      case ExpressionKind::Binary:
        return combined(value);
      default:
        return std::nullopt;
    }
  }

  std::optional<Linear> combined(const Expression& value) const {
    auto left = linear(value.part(0)), right = linear(value.part(1));
    if (!left || !right) return std::nullopt;
    const std::string& op = value.text();
    Linear result;
    if (op == "+" || op == "-") {
      result = *left;
      result.add(*right, op == "+" ? 1 : -1);
    } else if (op == "*" && left->isConstant()) {
      result.add(*right, left->constant);
    } else if ((op == "*" || (op == "/" && right->constant != 0)) && right->isConstant()) {
      result.add(*left, op == "*" ? right->constant : 1 / right->constant);
    } else {
      return std::nullopt;
    }
    return result;
  }

  // By how much it changes the variable that it names; 0: something else.
  double stepOf(const Expression& next, const std::string& variable) const {
    if (!next) return 0;
    const bool counts = next.kind() == ExpressionKind::Prefix || next.kind() == ExpressionKind::Postfix;
    if (!counts && next.kind() != ExpressionKind::Assign) return 0;
    if (!next.part(0).is(ExpressionKind::Name, variable)) return 0;
    if (counts) return next.text() == "++" ? 1 : next.text() == "--" ? -1 : 0;
    const auto by = linear(next.part(1));
    if (!by || !by->isConstant()) return 0;
    return next.text() == "+=" ? by->constant : next.text() == "-=" ? -by->constant : 0;
  }

  std::optional<Loop> loopOf(const Statement& statement) const {
    if (statement.kind != StatementKind::For || statement.first.size() != 1 || !statement.value) return std::nullopt;
    const Statement& begin = statement.first.front();
    const bool assigns = begin.kind == StatementKind::Evaluate && begin.value.is(ExpressionKind::Assign, "=") &&
                         begin.value.part(0).kind() == ExpressionKind::Name;
    if (!assigns && (begin.kind != StatementKind::Define || !begin.value)) return std::nullopt;
    Loop loop;
    loop.variable = assigns ? begin.value.part(0).text() : begin.name;
    const Expression& test = statement.value;
    if (test.kind() != ExpressionKind::Binary || !test.part(0).is(ExpressionKind::Name, loop.variable))
      return std::nullopt;
    const auto first = linear(assigns ? begin.value.part(1) : begin.value), end = linear(test.part(1));
    const double step = stepOf(statement.next, loop.variable);
    const bool isUp = step > 0 && llvm::StringRef(test.text()).starts_with("<") && test.text() != "<<";
    const bool isDown = step < 0 && llvm::StringRef(test.text()).starts_with(">") && test.text() != ">>";
    if (!first || !end || (!isUp && !isDown) || changes(statement.body, loop.variable)) return std::nullopt;
    loop.count.add(*end, 1 / step);
    loop.count.add(*first, -1 / step);
    loop.middle.add(*first, 0.5);
    loop.middle.add(*end, 0.5);
    if (llvm::StringRef(test.text()).ends_with("=")) loop.count.constant += 1 / std::abs(step);
    return loop;
  }

  // How often the innermost code of the statements runs, by constants alone; loops with others go to `loops`.
  double timesOf(const Statements& statements, InnerLoops& loops) {
    double all = 0;
    for (const Statement& statement : statements) {
      const bool repeats = statement.kind == StatementKind::While || statement.kind == StatementKind::DoWhile;
      if (repeats) loops.whyNot = "the body has a loop without a count";
      const std::optional<Loop> loop = loopOf(statement);
      if (loop)
        middles_[loop->variable] = loop->middle;
      else if (statement.kind == StatementKind::For)
        loops.whyNot = "the body has a loop whose bounds are no launch constants";
      double times = timesOf(statement.body, loops);
      if (loop && loop->count.isConstant())
        times *= std::max(1.0, loop->count.constant);
      else if (loop)
        loops.counts.push_back({loop->count.constant, {loop->count.factors.begin(), loop->count.factors.end()}});
      all += times + timesOf(statement.otherwise, loops) - 2;
    }
    return all + 1;
  }

  llvm::function_ref<int(const std::string&)> constantOf_;
  std::map<std::string, Linear> middles_;  // of the variables of loops around, and of earlier ones
};

}  // namespace

InnerLoops countInnerLoops(const Statements& body, llvm::function_ref<int(const std::string&)> constantOf) {
  return Counter(constantOf).count(body);
}

InnerLoops countLoop(const Statement& loop, llvm::function_ref<int(const std::string&)> constantOf) {
  Statement bare = loop;
  bare.body.clear();
  return countInnerLoops({bare}, constantOf);
}

}  // namespace muster::plugin::passes
