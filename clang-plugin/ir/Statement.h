// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of a kernel's code (ir/Expression.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/Expression.h"

namespace muster::plugin::ir {

enum class StatementKind {
  Empty,
  Evaluate,  // value
  Define,    // text: type and name; name: the latter; value: what it begins with, or none
  If,        // value, body, otherwise
  For,       // first (a Define or Evaluate, or none), value (none: always), next, body; text: a pragma, or none
  While,     // value, body
  DoWhile,   // body, value
  Switch,    // value, body
  Block,     // body
  Label,     // text, which a statement follows, or the end of a block
  Jump,      // text: `break`, `continue`, `goto name`
  Next,      // what `continue` of the loop that the kernel is made from does
  Return     // value, or none
};

struct Statement {
  StatementKind kind = StatementKind::Empty;
  std::string text = {};
  Expression value = {}, next = {};
  std::vector<Statement> first = {}, body = {}, otherwise = {};
  std::string name = {};
  bool isChained = false;  // `otherwise` is one If, which stands behind `else` in the program, too
  unsigned groupLoop = 0;  // a For that work-items may share: its number in the facts' groupLoops, from 1 on
};

using Statements = std::vector<Statement>;

inline bool isLoop(const Statement& statement) {
  return statement.kind == StatementKind::For || statement.kind == StatementKind::While ||
         statement.kind == StatementKind::DoWhile;
}
// Without other statements inside.
inline bool isSimple(const Statement& statement) {
  return statement.kind == StatementKind::Evaluate || statement.kind == StatementKind::Define;
}
inline Statement evaluate(Expression value) { return {StatementKind::Evaluate, "", std::move(value)}; }
inline Statement define(std::string declaration, Expression value = {}, std::string name = {}) {
  return {StatementKind::Define, std::move(declaration), std::move(value), {}, {}, {}, {}, std::move(name)};
}
inline Statement choice(Expression condition, Statements body) {
  return {StatementKind::If, "", std::move(condition), {}, {}, std::move(body)};
}
inline Statement jump(std::string text) { return {StatementKind::Jump, std::move(text)}; }
inline Statement giveBack(Expression value = {}) { return {StatementKind::Return, "", std::move(value)}; }

}  // namespace muster::plugin::ir
