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
                       const Statements& iteration)
    : memory_(memory), isRead_(std::move(isRead)) {
  notePointers(iteration);
}

void OwnEffects::notePointers(const Statements& statements) {
  for (const Statement& statement : statements) {
    const llvm::StringRef text = statement.text;
    if (statement.kind == StatementKind::Define && text.contains('*')) {
      const bool isPlain = text.count('*') == 1 && !text.contains('[');
      pointers_.try_emplace(statement.name, isPlain).first->second &= isPlain;
    }
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) notePointers(*inside);
  }
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

// A pointer by which a function might write. A row of an array is one, and so may be a member of an object.
bool OwnEffects::givesPointer(const Expression& argument) const {
  if (argument.is(ExpressionKind::Prefix, "&")) return true;
  if (argument.kind() == ExpressionKind::Name)
    return memory_.isArray(argument.text()) || pointers_.count(argument.text()) != 0;
  if (argument.kind() == ExpressionKind::Call) return false;
  if (argument.kind() == ExpressionKind::Subscript) {
    const std::string root = rootOf(argument);
    if (memory_.isArray(root)) return !isElementOf(root, argument, memory_);
    const auto pointer = pointers_.find(root);
    return pointer != pointers_.end() && !(pointer->second && argument.part(0).kind() == ExpressionKind::Name);
  }
  if (argument.kind() == ExpressionKind::Member) {
    const std::string root = rootOf(argument);
    return root.empty() || pointers_.count(root) != 0 || (memory_.isArray(root) && !isRead_(root));
  }
  return llvm::any_of(argument.parts(), [&](const Expression& part) { return givesPointer(part); });
}

}  // namespace muster::plugin::passes
