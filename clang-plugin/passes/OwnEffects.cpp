// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/OwnEffects.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

static bool staysInside(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::Empty:
    case StatementKind::Evaluate:
    case StatementKind::Define:
      return true;
    case StatementKind::Jump:
      return statement.text == "continue";
    case StatementKind::If:
    case StatementKind::Block:
      return llvm::all_of(statement.body, staysInside) && llvm::all_of(statement.otherwise, staysInside);
    default:
      return false;
  }
}

OwnEffects::OwnEffects(const Memory& memory, std::function<bool(const std::string& name)> isRead,
                       const Statements& before)
    : memory_(memory), isRead_(std::move(isRead)) {
  for (const Statement& statement : before)
    if (statement.kind == StatementKind::Define && statement.value) definitions_[statement.name] = statement.value;
}

bool OwnEffects::changesOwnAlone(const Statements& statements) const {
  bool isAlone = true;
  forEach(statements, [&](const Expression& part) {
    const Expression* target = changedBy(part);
    const bool isPlace = part.is(ExpressionKind::Prefix, "&") && isElementRead(part.part(0));
    isAlone &= !target || isPlace || target->kind() == ExpressionKind::Name;
    if (part.kind() == ExpressionKind::Call)
      for (const Expression& argument : part.parts()) isAlone &= !givesPointer(argument);
  });
  return isAlone && llvm::all_of(statements, staysInside);
}

bool OwnEffects::isElementRead(const Expression& element) const {
  Expression base = element;
  while (base.kind() == ExpressionKind::Subscript) base = base.part(0);
  return element.kind() == ExpressionKind::Subscript && base.kind() == ExpressionKind::Name && isRead_(base.text());
}

// A pointer by which a function might write.
bool OwnEffects::givesPointer(const Expression& argument) const {
  if (argument.is(ExpressionKind::Prefix, "&")) return true;
  if (argument.kind() == ExpressionKind::Name)
    return memory_.isArray(argument.text()) || definitions_.count(argument.text()) == 0
               ? memory_.isArray(argument.text())
               : givesPointer(definitions_.at(argument.text()));
  if (argument.kind() == ExpressionKind::Subscript || argument.kind() == ExpressionKind::Call) return false;
  return llvm::any_of(argument.parts(), [&](const Expression& part) { return givesPointer(part); });
}

bool hasPlace(const Statements& statements) {
  bool any = false;
  forEach(statements, [&](const Expression& part) { any |= part.is(ExpressionKind::Prefix, "&"); });
  return any;
}

bool mayContinue(const Statement& statement) {
  return statement.kind == StatementKind::Jump || llvm::any_of(statement.body, mayContinue) ||
         llvm::any_of(statement.otherwise, mayContinue);
}

}  // namespace muster::plugin::passes
