// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RowLoops.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

bool hasPlace(const Statements& statements) {
  bool any = false;
  forEach(statements, [&](const Expression& part) { any |= part.is(ExpressionKind::Prefix, "&"); });
  return any;
}

// What stands behind it may not happen.
static bool mayContinue(const Statement& statement) {
  return statement.kind == StatementKind::Jump || llvm::any_of(statement.body, mayContinue) ||
         llvm::any_of(statement.otherwise, mayContinue);
}

std::optional<RowLoop> firstLoop(const Statements& iteration, const OwnEffects& effects) {
  const auto loop = llvm::find_if(iteration, [](const Statement& s) { return s.kind == StatementKind::For; });
  if (loop == iteration.end()) return std::nullopt;
  RowLoop found{Statements(iteration.begin(), loop), *loop, Statements(std::next(loop), iteration.end())};
  const bool isAlone = effects.changesOwnAlone(found.before) && effects.changesOwnAlone(loop->body);
  return isAlone && !hasPlace(loop->body) ? std::optional(std::move(found)) : std::nullopt;
}

void forEachCertain(const Statements& body, llvm::function_ref<void(const Expression&)> visit) {
  for (const Statement& statement : body) {
    if (mayContinue(statement)) break;
    if (isSimple(statement)) visit(statement.value);
  }
}

static const StagedElement* find(const std::vector<StagedElement>& all, const Expression& element) {
  const auto at = llvm::find_if(all, [&](const StagedElement& known) { return known.element == element; });
  return at == all.end() ? nullptr : &*at;
}

void stage(std::vector<StagedElement>& all, StagedElement element) {
  if (find(all, element.element)) return;
  element.tile = "muster_tile" + std::to_string(all.size());
  all.push_back(std::move(element));
}

std::optional<Expression> stagedIn(const std::vector<StagedElement>& all, const Expression& element) {
  const StagedElement* known = find(all, element);
  return known ? std::optional(subscript(name(known->tile), name(tileColumn))) : std::nullopt;
}

}  // namespace muster::plugin::passes
