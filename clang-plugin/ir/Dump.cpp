// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Dump.h"

namespace muster::plugin::ir {

namespace {

const char* wordOf(const Expression& expression) {
  switch (expression.kind()) {
    case ExpressionKind::Name:
    case ExpressionKind::Literal:
    case ExpressionKind::Prefix:
    case ExpressionKind::Binary:
    case ExpressionKind::Assign:
      return "";
    case ExpressionKind::Postfix:
      return "post ";
    case ExpressionKind::Conditional:
      return "choose";
    case ExpressionKind::Comma:
      return "comma";
    case ExpressionKind::Cast:
      return "cast ";
    case ExpressionKind::Call:
      return "call ";
    case ExpressionKind::Subscript:
      return "element";
    case ExpressionKind::Member:
      return "member ";
    case ExpressionKind::Braces:
      return "braces ";
    case ExpressionKind::Designated:
      return "member ";
    case ExpressionKind::Parentheses:
      return "same";
  }
}

const char* wordOf(StatementKind kind) {
  switch (kind) {
    case StatementKind::Empty:
      return "nothing";
    case StatementKind::Evaluate:
      return "do";
    case StatementKind::Define:
      return "define";
    case StatementKind::If:
      return "if";
    case StatementKind::For:
      return "for";
    case StatementKind::While:
      return "while";
    case StatementKind::DoWhile:
      return "do while";
    case StatementKind::Switch:
      return "switch";
    case StatementKind::Block:
      return "block";
    case StatementKind::Label:
      return "label";
    case StatementKind::Jump:
      return "jump";
    case StatementKind::Next:
      return "next";
    case StatementKind::Return:
      return "return";
  }
}

}  // namespace

std::string dump(const Expression& expression) {
  if (expression.parts().empty() && *wordOf(expression) == 0) return expression.text();
  std::string text = "(" + (wordOf(expression) + expression.text());
  for (const Expression& part : expression.parts()) text += " " + dump(part);
  return text + ")";
}

std::string dump(const Statements& statements, unsigned depth) {
  const std::string indent(2 * depth, ' ');
  std::string text;
  for (const Statement& statement : statements) {
    text += indent + wordOf(statement.kind);
    if (!statement.text.empty()) text += " " + statement.text;
    if (statement.value) text += " " + dump(statement.value);
    if (statement.next) text += " then " + dump(statement.next);
    text += "\n";
    for (const Statement& first : statement.first) text += indent + "  from " + dump(Statements{first});
    text += dump(statement.body, depth + 1);
    if (!statement.otherwise.empty()) text += indent + "else\n" + dump(statement.otherwise, depth + 1);
  }
  return text;
}

}  // namespace muster::plugin::ir
