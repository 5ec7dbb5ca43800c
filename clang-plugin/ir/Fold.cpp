// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Fold.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace muster::plugin::ir {

static bool isInRange(std::int64_t value, bool isLong, bool isUnsigned) {
  if (isLong) return !isUnsigned || value >= 0;
  return isUnsigned ? llvm::isUInt<32>(static_cast<std::uint64_t>(value)) : llvm::isInt<32>(value);
}

std::optional<Number> numberOf(const Expression& value) {
  if (!value || value.kind() != ExpressionKind::Literal) return std::nullopt;
  llvm::StringRef text = value.text();
  Number number;
  if (text.size() > 1 && text.front() == '0' && llvm::isDigit(text[1])) return std::nullopt;  // octal
  if (text.consumeInteger(10, number.value)) return std::nullopt;
  number.isUnsigned = text.consume_front("u") || text.consume_front("U");
  number.isLong = text.consume_front("L") || text.consume_front("l");
  if (!text.empty()) return std::nullopt;
  if (!number.isLong) number.isLong = !isInRange(number.value, false, number.isUnsigned);
  return isInRange(number.value, number.isLong, number.isUnsigned) ? std::optional(number) : std::nullopt;
}

Expression literalOf(const Number& number) {
  const char* suffix = number.isUnsigned ? (number.isLong ? "UL" : "U") : (number.isLong ? "L" : "");
  return literal(std::to_string(number.value) + suffix, number.value < 0 ? Prec::Unary : Prec::Primary);
}

static std::optional<std::int64_t> computed(llvm::StringRef op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (op == "+") return llvm::AddOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (op == "-") return llvm::SubOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (op == "*") return llvm::MulOverflow(left, right, result) ? std::nullopt : std::optional(result);
  if (op == "/" && right != 0 && right != -1) return left / right;
  if (op == "%" && right != 0 && right != -1) return left % right;
  return std::nullopt;
}

static std::optional<bool> compared(llvm::StringRef op, std::int64_t left, std::int64_t right) {
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == "&&") return left != 0 && right != 0;
  if (op == "||") return left != 0 || right != 0;
  return std::nullopt;
}

// A negative number that becomes one without sign is left alone, and so is all that overflows.
static std::optional<Number> combined(llvm::StringRef op, const Number& left, const Number& right) {
  Number result{0, left.isLong || right.isLong, false};
  for (const Number& side : {left, right}) result.isUnsigned |= side.isUnsigned && side.isLong == result.isLong;
  if (result.isUnsigned && (left.value < 0 || right.value < 0)) return std::nullopt;
  if (const auto truth = compared(op, left.value, right.value)) return Number{*truth ? 1 : 0};
  const auto value = computed(op, left.value, right.value);
  if (!value || !isInRange(*value, result.isLong, result.isUnsigned)) return std::nullopt;
  result.value = *value;
  return result;
}

static std::optional<Number> converted(llvm::StringRef type, const Number& from) {
  Number number{from.value, type == "long" || type == "ulong", type == "uint" || type == "ulong"};
  const bool is = number.isLong || number.isUnsigned || type == "int";
  return is && isInRange(number.value, number.isLong, number.isUnsigned) ? std::optional(number) : std::nullopt;
}

static std::optional<Number> numberOfParts(const Expression& value) {
  switch (value.kind()) {
    case ExpressionKind::Parentheses:
      return numberOf(value.part(0));
    case ExpressionKind::Cast: {
      const auto from = numberOf(value.part(0));
      return from ? converted(value.text(), *from) : std::nullopt;
    }
    case ExpressionKind::Prefix: {
      const auto from = value.text() == "-" ? numberOf(value.part(0)) : std::nullopt;
      return from ? combined("-", {0, from->isLong, from->isUnsigned}, *from) : std::nullopt;
    }
    case ExpressionKind::Binary: {
      const auto left = numberOf(value.part(0)), right = numberOf(value.part(1));
      return left && right ? combined(value.text(), *left, *right) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Expression folded(const Expression& expression) {
  if (!expression || expression.parts().empty()) return expression;
  std::vector<Expression> parts;
  for (const Expression& part : expression.parts()) parts.push_back(folded(part));
  Expression with{expression.kind(), expression.text(), std::move(parts), expression.prec()};
  const auto number = numberOfParts(with);
  return number ? literalOf(*number) : with;
}

}  // namespace muster::plugin::ir
