// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LoopSums.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

const Expression& bare(const Expression& value) {
  return value.kind() == ExpressionKind::Parentheses ? bare(value.part(0)) : value;
}

bool hasTwice(SumOperator op) {
  return op == SumOperator::Least || op == SumOperator::Most || op == SumOperator::And || op == SumOperator::Or;
}

// What one variable becomes in a loop.
class SumReader {
 public:
  explicit SumReader(std::string variable) : variable_(std::move(variable)) {}

  // Each time the variable stands somewhere is a part of such an operation.
  std::optional<SumOperator> read(const Statement& loop) {
    if (names(loop.value, variable_) || names(loop.next, variable_)) return std::nullopt;
    for (const Statements* inside : {&loop.first, &loop.body})
      for (const Statement& statement : *inside) look(statement);
    return isSum_ ? op_ : std::nullopt;
  }

 private:
  void look(const Statement& statement) {
    if (isExtreme(statement)) return;
    for (const Expression* value : {&statement.value, &statement.next})
      if (*value && names(*value, variable_) && !(statement.kind == StatementKind::Evaluate && isCombined(*value)))
        isSum_ = false;
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      for (const Statement& part : *inside) look(part);
  }

  bool isVariable(const Expression& value) const { return bare(value).is(ExpressionKind::Name, variable_); }
  bool isFree(const Expression& value) const { return !names(value, variable_); }

  bool take(SumOperator op) {
    isSum_ &= !op_ || *op_ == op;
    op_ = op;
    return true;
  }

  // if (x > most) most = x;
  bool isExtreme(const Statement& statement) {
    if (statement.kind != StatementKind::If || !statement.otherwise.empty() || statement.body.size() != 1) return false;
    const Statement& then = statement.body.front();
    if (then.kind != StatementKind::Evaluate || !then.value.is(ExpressionKind::Assign, "=")) return false;
    return isVariable(then.value.part(0)) && takeExtreme(statement.value, then.value.part(1), name(variable_));
  }

  // The value that is taken where the condition holds, and the other one: one is the variable.
  bool takeExtreme(const Expression& condition, const Expression& yes, const Expression& no) {
    const Expression& compared = bare(condition);
    if (compared.kind() != ExpressionKind::Binary) return false;
    const llvm::StringRef op = compared.text();
    const bool isMore = op == ">" || op == ">=", isLess = op == "<" || op == "<=";
    const Expression &left = bare(compared.part(0)), &right = bare(compared.part(1));
    const Expression &one = bare(yes), &other = bare(no);
    if ((!isMore && !isLess) || isVariable(one) == isVariable(other)) return false;
    if (!isFree(isVariable(one) ? other : one)) return false;
    const bool isSame = left == one && right == other, isTurned = left == other && right == one;
    if (!isSame && !isTurned) return false;
    return take(isMore == isSame ? SumOperator::Most : SumOperator::Least);
  }

  bool isCombined(const Expression& value) {
    if (value.kind() == ExpressionKind::Comma)
      return llvm::all_of(value.parts(), [&](const Expression& part) { return isFree(part) || isCombined(part); });
    if ((value.is(ExpressionKind::Prefix, "++") || value.is(ExpressionKind::Postfix, "++") ||
         value.is(ExpressionKind::Prefix, "--") || value.is(ExpressionKind::Postfix, "--")) &&
        isVariable(value.part(0)))
      return take(SumOperator::Add);
    if (value.kind() != ExpressionKind::Assign || !isVariable(value.part(0))) return false;
    if (value.text() == "=") return isCombination(value.part(1));
    return isFree(value.part(1)) && takeOperator(llvm::StringRef(value.text()).drop_back());
  }

  bool takeOperator(llvm::StringRef op) {
    if (op == "+" || op == "-") return take(SumOperator::Add);
    if (op == "*") return take(SumOperator::Multiply);
    if (op == "&") return take(SumOperator::And);
    if (op == "|") return take(SumOperator::Or);
    return op == "^" && take(SumOperator::Xor);
  }

  // The variable's new value.
  bool isCombination(const Expression& value) {
    const Expression& whole = bare(value);
    if (whole.kind() == ExpressionKind::Conditional) return takeExtreme(whole.part(0), whole.part(1), whole.part(2));
    if (whole.kind() == ExpressionKind::Call) return isExtremeCall(whole);
    if (whole.kind() != ExpressionKind::Binary) return false;
    const Expression &left = whole.part(0), &right = whole.part(1);
    const bool mayTurn = whole.text() != "-";
    const Expression& inside = isFree(right) ? left : right;
    if (!isFree(isFree(right) ? right : left) || (&inside == &right && !mayTurn)) return false;
    if (!isVariable(inside) && !(isSum(whole) && isSum(bare(inside)) && isCombination(inside))) return false;
    return takeOperator(whole.text());
  }

  static bool isSum(const Expression& value) {
    return value.kind() == ExpressionKind::Binary && (value.text() == "+" || value.text() == "-");
  }

  bool isExtremeCall(const Expression& value) {
    if (value.parts().size() != 2) return false;
    const llvm::StringRef function = value.text();
    const bool isMost = function == "fmax" || function == "max" || function.starts_with("muster_max_"),
               isLeast = function == "fmin" || function == "min" || function.starts_with("muster_min_");
    const Expression &left = value.part(0), &right = value.part(1);
    const bool isOne = (isVariable(left) && isFree(right)) || (isVariable(right) && isFree(left));
    return isOne && (isMost || isLeast) && take(isMost ? SumOperator::Most : SumOperator::Least);
  }

  const std::string variable_;
  std::optional<SumOperator> op_;
  bool isSum_ = true;
};

}  // namespace

Expression startOf(const LoopSum& sum) {
  if (hasTwice(sum.op)) return {};
  return literal(sum.op == SumOperator::Multiply ? "1" : "0");
}

Expression combined(const LoopSum& sum, const Expression& left, const Expression& right) {
  switch (sum.op) {
    case SumOperator::Least:
    case SumOperator::Most:
      return conditional(binary(sum.op == SumOperator::Most ? ">" : "<", right, left), right, left);
    case SumOperator::Add:
      return binary("+", left, right);
    case SumOperator::Multiply:
      return binary("*", left, right);
    case SumOperator::And:
      return binary("&", left, right);
    case SumOperator::Or:
      return binary("|", left, right);
    case SumOperator::Xor:
      return binary("^", left, right);
  }
  return left;
}

std::optional<std::vector<LoopSum>> sumsOf(const Statement& loop, const std::set<std::string>& variables,
                                           const std::function<std::string(const std::string&)>& typeOf) {
  std::vector<LoopSum> sums;
  for (const std::string& variable : variables) {
    const std::string type = typeOf(variable);
    const std::optional<SumOperator> op = SumReader(variable).read(loop);
    if (type.empty() || !op) return std::nullopt;
    sums.push_back({variable, type, *op});
  }
  return sums;
}

}  // namespace muster::plugin::passes
