// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Changes.h"

#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::ir {

void forEach(const Expression& expression, llvm::function_ref<void(const Expression&)> visit) {
  if (!expression) return;
  visit(expression);
  for (const Expression& part : expression.parts()) forEach(part, visit);
}

void forEach(const Statements& statements, llvm::function_ref<void(const Expression&)> visit) {
  for (const Statement& statement : statements) {
    forEach(statement.value, visit);
    forEach(statement.next, visit);
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) forEach(*inside, visit);
  }
}

const Expression* changedBy(const Expression& expression) {
  const bool isIt = expression.kind() == ExpressionKind::Assign || expression.kind() == ExpressionKind::Postfix ||
                    expression.is(ExpressionKind::Prefix, "++") || expression.is(ExpressionKind::Prefix, "--") ||
                    expression.is(ExpressionKind::Prefix, "&");
  return isIt ? &expression.part(0) : nullptr;
}

bool changes(const Statements& statements, llvm::StringRef variable) {
  bool any = false;
  forEach(statements, [&](const Expression& part) {
    const Expression* target = changedBy(part);
    any |= target && target->is(ExpressionKind::Name, variable);
  });
  return any;
}

bool isChoice(const Expression& expression) {
  return expression.kind() == ExpressionKind::Conditional || expression.is(ExpressionKind::Binary, "&&") ||
         expression.is(ExpressionKind::Binary, "||");
}

Expression rewritten(const Expression& expression, Change change) {
  if (!expression) return expression;
  if (std::optional<Expression> other = change(expression)) return *other;
  std::vector<Expression> parts;
  for (const Expression& part : expression.parts()) parts.push_back(rewritten(part, change));
  if (llvm::ArrayRef<Expression>(parts) == expression.parts()) return expression;
  return {expression.kind(), expression.text(), std::move(parts), expression.prec()};
}

Statements rewritten(const Statements& statements, Change change) {
  Statements copies = statements;
  for (Statement& statement : copies) {
    statement.value = rewritten(statement.value, change);
    statement.next = rewritten(statement.next, change);
    for (Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      *inside = rewritten(*inside, change);
  }
  return copies;
}

bool hasLoop(const Statements& statements) {
  return llvm::any_of(statements, [](const Statement& statement) {
    return isLoop(statement) || hasLoop(statement.body) || hasLoop(statement.otherwise);
  });
}

bool hasJump(const Statements& statements) {
  return llvm::any_of(statements, [](const Statement& statement) {
    return statement.kind == StatementKind::Jump || statement.kind == StatementKind::Next ||
           statement.kind == StatementKind::Return || statement.kind == StatementKind::Label ||
           hasJump(statement.body) || hasJump(statement.otherwise);
  });
}

void resolveNext(Statements& statements, const Statement& jump) {
  for (Statement& statement : statements) {
    if (statement.kind == StatementKind::Next) statement = jump;
    for (Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) resolveNext(*inside, jump);
  }
}

}  // namespace muster::plugin::ir
