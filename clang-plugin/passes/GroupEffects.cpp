// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/GroupEffects.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

GroupEffects::GroupEffects(const Statements& iteration, const GroupContext& context)
    : context_(context), masks_(iteration, context.memory, {}) {
  note(iteration);
  for (std::size_t before = SIZE_MAX; before != varying_.size();) {
    before = varying_.size();
    findVarying(iteration);
  }
}

void GroupEffects::note(const Statements& statements, bool isShared) {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::Define) {
      definitions_[statement.name].push_back(statement.value);
      const std::string type = typeOf(statement);
      std::string& known = types_.try_emplace(statement.name, type).first->second;
      if (known != type || !LaneMasks::isScalar(type)) known.clear();
      const bool isObject = !llvm::StringRef(statement.text).contains('*') && !LaneMasks::isScalar(type);
      if (isObject && !isShared) objects_.insert(statement.name);
    }
    for (const Expression* value : {&statement.value, &statement.next})
      forEach(*value, [&](const Expression& part) {
        if (part.kind() == ExpressionKind::Assign && part.part(0).kind() == ExpressionKind::Name)
          definitions_[part.part(0).text()].push_back(part.part(1));
      });
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      note(*inside, isShared || statement.groupLoop != 0);
  }
}

bool GroupEffects::givesObject(const Statements& iteration) const {
  bool gives = false;
  forEach(iteration, [&](const Expression& part) {
    if (part.kind() != ExpressionKind::Call) return;
    forEach(part, [&](const Expression& inner) {
      gives |= inner.kind() == ExpressionKind::Name && objects_.count(inner.text()) != 0;
    });
  });
  return gives;
}

std::string GroupEffects::numberTypeOf(const std::string& variable) const {
  const auto known = types_.find(variable);
  return known == types_.end() ? "" : known->second;
}

std::string GroupEffects::wholeTypeOf(const std::string& variable) const {
  const std::string type = numberTypeOf(variable);
  return isWhole(type) ? type : "";
}

std::string GroupEffects::changedOwn(const Expression& part) const {
  const Expression* target = changedBy(part);
  if (!target) return "";
  if (target->kind() == ExpressionKind::Name) return target->text();
  const std::string root = rootOf(*target);
  return masks_.isShared(root) ? "" : root;
}

bool GroupEffects::stores(const Expression& part) const {
  if (part.kind() == ExpressionKind::Call)
    return llvm::any_of(part.parts(), [&](const Expression& argument) { return mayStoreBy(argument); });
  return changedBy(part) && !part.is(ExpressionKind::Prefix, "&") && changedOwn(part).empty();
}

bool GroupEffects::stores(const Statements& statements) const {
  bool any = false;
  forEach(statements, [&](const Expression& part) { any |= stores(part); });
  return any;
}

// A pointer to what no work-item writes: an array, or made from such ones alone.
bool GroupEffects::isReadOnly(const std::string& pointer, unsigned depth) const {
  if (context_.memory.isArray(pointer)) return context_.isRead(pointer);
  const auto known = definitions_.find(pointer);
  if (known == definitions_.end() || depth > 8) return false;
  bool is = true;
  for (const Expression& value : known->second)
    forEach(value, [&](const Expression& part) {
      const bool isPointer = part.kind() == ExpressionKind::Name && masks_.isShared(part.text());
      if (isPointer) is &= isReadOnly(part.text(), depth + 1);
    });
  return is;
}

// Of a pointer that a function gives nothing is known.
bool GroupEffects::readsWritten(const Expression& pointer) const {
  bool any = false;
  forEach(pointer, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Name && masks_.isShared(part.text())) any |= !isReadOnly(part.text());
    any |= part.kind() == ExpressionKind::Call;
  });
  return any;
}

bool GroupEffects::mayStoreBy(const Expression& argument) const {
  const std::string root = rootOf(argument);
  const bool isNumber = argument.kind() == ExpressionKind::Subscript && context_.memory.isArray(root) &&
                        !context_.memory.numbersOf(root).type.empty() && isElementOf(root, argument, context_.memory);
  return readsWritten(isNumber ? argument.part(1) : argument);
}

bool GroupEffects::varies(const Expression& value) const {
  bool any = false;
  forEach(value, [&](const Expression& part) {
    const bool isElement = part.kind() == ExpressionKind::Subscript || part.is(ExpressionKind::Prefix, "*") ||
                           (part.kind() == ExpressionKind::Member && part.text().front() == '-');
    if (part.kind() == ExpressionKind::Name) any |= varying_.count(part.text()) != 0;
    any |= (isElement && readsWritten(part.part(0))) || stores(part);
  });
  return any;
}

void GroupEffects::findVarying(const Statements& statements) {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::Define && statement.value && varies(statement.value))
      varying_.insert(statement.name);
    const bool isChoice = statement.kind == StatementKind::If || isLoop(statement);
    const bool isUneven = isChoice && statement.value && varies(statement.value);
    for (const Expression* value : {&statement.value, &statement.next})
      forEach(*value, [&](const Expression& part) {
        if (varies(part)) varying_.insert(changedOwn(part));
      });
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) {
      if (isUneven) forEach(*inside, [&](const Expression& part) { varying_.insert(changedOwn(part)); });
      findVarying(*inside);
    }
  }
  varying_.erase("");
}

}  // namespace muster::plugin::passes
