// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaneMasks.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

LaneMasks::LaneMasks(const Statements& iteration, const Memory& memory,
                     const std::vector<std::pair<std::string, Mask>>& axes)
    : memory_(memory) {
  for (const auto& [variable, bit] : axes) masks_[variable] = bit, all_ |= bit;
  noteOwn(iteration);
  for (bool changes = true; changes;) {
    const auto before = masks_;
    spread(iteration);
    changes = before != masks_;
  }
}

static bool mayStand(const Statement& statement, bool isInLoop) {
  isInLoop |= isLoop(statement);
  switch (statement.kind) {
    case StatementKind::Define:
      return !statement.name.empty();
    case StatementKind::Jump:
      return isInLoop && (statement.text == "break" || statement.text == "continue");
    case StatementKind::Switch:
    case StatementKind::Label:
    case StatementKind::Next:
    case StatementKind::Return:
      return false;
    default:
      break;
  }
  const auto inside = [&](const Statement& part) { return mayStand(part, isInLoop); };
  return llvm::all_of(statement.first, inside) && llvm::all_of(statement.body, inside) &&
         llvm::all_of(statement.otherwise, inside);
}

bool LaneMasks::mayStandIn(const Statements& iteration) {
  return llvm::all_of(iteration, [](const Statement& statement) { return mayStand(statement, false); });
}

bool LaneMasks::jumpsOut(const Statement& statement) {
  return statement.kind == StatementKind::Jump || (!isLoop(statement) && (llvm::any_of(statement.body, jumpsOut) ||
                                                                          llvm::any_of(statement.otherwise, jumpsOut)));
}

bool LaneMasks::isScalar(const std::string& type) {
  static constexpr llvm::StringLiteral scalars[] = {"char", "uchar", "short", "ushort", "int",
                                                    "uint", "long",  "ulong", "float",  "double"};
  return llvm::is_contained(scalars, type);
}

bool LaneMasks::givesOwn(const Expression& argument) const {
  if (argument.kind() == ExpressionKind::Name) return objects_.count(argument.text()) != 0;
  if (argument.is(ExpressionKind::Prefix, "&")) return false;  // it counts as changed
  const bool isNumber = argument.kind() == ExpressionKind::Subscript &&
                        argument.part(0).kind() == ExpressionKind::Name && arrays_.count(argument.part(0).text()) != 0;
  if (isNumber) return givesOwn(argument.part(1));
  return llvm::any_of(argument.parts(), [&](const Expression& part) { return givesOwn(part); });
}

bool LaneMasks::givesOwn(const Statements& iteration) const {
  bool gives = false;
  forEach(iteration, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Call)
      gives |= llvm::any_of(part.parts(), [&](const Expression& argument) { return givesOwn(argument); });
  });
  return gives;
}

void LaneMasks::noteOwn(const Statements& statements) {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::Define) {
      masks_.try_emplace(statement.name, 0);
      own_.insert(statement.name);
      const llvm::StringRef text = statement.text;
      if (text.contains('*')) pointers_.insert(statement.name);
      const std::size_t brackets = text.count('[');
      if (brackets == 1 && !text.contains('*')) arrays_.insert(statement.name);
      if (brackets > 0 || !isScalar(typeOf(statement))) objects_.insert(statement.name);
    }
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) noteOwn(*inside);
  }
}

const Expression* LaneMasks::changedOutside(const Expression& value) const {
  const Expression* target = value.is(ExpressionKind::Prefix, "&") ? nullptr : changedBy(value);
  return target && !isOwn(rootOf(*target)) ? target : nullptr;
}

LaneMasks::Mask LaneMasks::of(const std::string& variable) const {
  const auto known = masks_.find(variable);
  return known == masks_.end() ? 0 : known->second;
}

LaneMasks::Mask LaneMasks::of(const Expression& value) const {
  Mask mask = 0;
  forEach(value, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Name) mask |= of(part.text());
    if (changedOutside(part)) mask |= all_;  // each lane has its own effects
  });
  return mask;
}

LaneMasks::Mask LaneMasks::of(const Statement& statement) const {
  Mask mask = of(statement.value) | of(statement.next);
  if (statement.kind == StatementKind::Define) mask |= of(statement.name);
  for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
    for (const Statement& part : *inside) mask |= of(part);
  return mask;
}

bool LaneMasks::isTogether(const Statement& statement) const {
  return !isSimple(statement) && of(statement.value) == 0 && of(statement.next) == 0 &&
         llvm::all_of(statement.first, [&](const Statement& first) { return of(first) == 0; });
}

void LaneMasks::mark(const Statements& statements, Mask mask) {
  const auto change = [&](const Expression& part) {
    const Expression* target = changedBy(part);
    const std::string root = target ? rootOf(*target) : "";
    if (isOwn(root)) masks_[root] |= mask;
  };
  for (const Statement& statement : statements) {
    forEach(statement.value, change), forEach(statement.next, change);
    if (statement.kind == StatementKind::Define) masks_[statement.name] |= mask;
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) mark(*inside, mask);
  }
}

void LaneMasks::spread(const Statements& statements) {
  for (const Statement& statement : statements) {
    if (isTogether(statement))
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) spread(*inside);
    else
      mark({statement}, of(statement));
  }
}

}  // namespace muster::plugin::passes
