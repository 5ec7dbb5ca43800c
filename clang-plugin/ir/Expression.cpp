// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Expression.h"

#include "llvm/ADT/StringSwitch.h"

namespace muster::plugin::ir {

namespace {

Prec precedenceOf(llvm::StringRef op) {
  return llvm::StringSwitch<Prec>(op)
      .Cases("*", "/", "%", Prec::Multiplicative)
      .Cases("+", "-", Prec::Additive)
      .Cases("<<", ">>", Prec::Shift)
      .Cases("<", ">", "<=", ">=", Prec::Relational)
      .Cases("==", "!=", Prec::Equality)
      .Case("&", Prec::BitAnd)
      .Case("^", Prec::BitXor)
      .Case("|", Prec::BitOr)
      .Case("&&", Prec::LogicalAnd)
      .Default(Prec::LogicalOr);
}

}  // namespace

Expression::Expression(ExpressionKind kind, std::string text, std::vector<Expression> parts, Prec prec)
    : node_(std::make_shared<const Node>(Node{kind, prec, std::move(text), std::move(parts)})) {}

bool operator==(const Expression& left, const Expression& right) {
  if (!left || !right) return !left && !right;
  return left.is(right.kind(), right.text()) && left.parts() == right.parts();
}

Expression name(std::string text) { return {ExpressionKind::Name, std::move(text), {}, Prec::Primary}; }

Expression literal(std::string text, Prec prec) { return {ExpressionKind::Literal, std::move(text), {}, prec}; }

Expression prefix(const char* op, Expression operand) {
  return {ExpressionKind::Prefix, op, {std::move(operand)}, Prec::Unary};
}

Expression postfix(Expression operand, const char* op) {
  return {ExpressionKind::Postfix, op, {std::move(operand)}, Prec::Postfix};
}

Expression binary(llvm::StringRef op, Expression left, Expression right) {
  return {ExpressionKind::Binary, op.str(), {std::move(left), std::move(right)}, precedenceOf(op)};
}

Expression assign(Expression target, Expression value, llvm::StringRef op) {
  return {ExpressionKind::Assign, op.str(), {std::move(target), std::move(value)}, Prec::Assignment};
}

Expression conditional(Expression condition, Expression yes, Expression no) {
  return {ExpressionKind::Conditional, "", {std::move(condition), std::move(yes), std::move(no)}, Prec::Conditional};
}

Expression comma(std::vector<Expression> parts) {
  if (parts.size() == 1) return parts.front();
  return {ExpressionKind::Comma, "", std::move(parts), Prec::Comma};
}

Expression cast(std::string type, Expression operand) {
  return {ExpressionKind::Cast, std::move(type), {std::move(operand)}, Prec::Unary};
}

Expression call(std::string function, std::vector<Expression> arguments) {
  return {ExpressionKind::Call, std::move(function), std::move(arguments), Prec::Postfix};
}

Expression subscript(Expression pointer, Expression index) {
  return {ExpressionKind::Subscript, "", {std::move(pointer), std::move(index)}, Prec::Postfix};
}

Expression member(Expression object, const std::string& name) {
  return {ExpressionKind::Member, "." + name, {std::move(object)}, Prec::Postfix};
}

Expression arrow(Expression pointer, const std::string& name) {
  return {ExpressionKind::Member, "->" + name, {std::move(pointer)}, Prec::Postfix};
}

Expression braces(std::vector<Expression> parts, std::string type) {
  return {ExpressionKind::Braces, std::move(type), std::move(parts), Prec::Postfix};
}

std::string maker(const std::string& type) { return std::string(makerName) + "(" + type + ")"; }

Expression designated(const std::string& name, Expression value) {
  return {ExpressionKind::Designated, "." + name, {std::move(value)}, Prec::Assignment};
}

Expression parentheses(Expression inner) {
  return {ExpressionKind::Parentheses, "", {std::move(inner)}, Prec::Primary};
}

Expression target(Expression pointer) {
  if (pointer.is(ExpressionKind::Prefix, "&")) return pointer.part(0);
  return prefix("*", std::move(pointer));
}

Expression addressOf(Expression object) {
  if (object.is(ExpressionKind::Prefix, "*")) return object.part(0);
  return prefix("&", std::move(object));
}

}  // namespace muster::plugin::ir
