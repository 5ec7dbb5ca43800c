// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Accumulators.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// Changes to variables, and definitions of others with these names.
bool changesAny(const Statements& statements, const Expression& place) {
  bool any = false;
  forEach(place, [&](const Expression& part) {
    any |= part.kind() == ExpressionKind::Name && changes(statements, part.text());
  });
  for (const Statement& statement : statements) {
    any |= statement.kind == StatementKind::Define && names(place, statement.name);
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      any |= changesAny(*inside, place);
  }
  return any;
}

bool mentions(const Statements& statements, const std::string& array) {
  bool any = false;
  forEach(statements, [&](const Expression& part) { any |= part.is(ExpressionKind::Name, array); });
  return any;
}

// The value of a store as a definition gives it: that of `a += b` is `a + (b)`.
Expression valueOf(const Expression& store) {
  if (store.text() == "=") return store.part(1);
  return binary(llvm::StringRef(store.text()).drop_back(), store.part(0), parentheses(store.part(1)));
}

class Accumulators {
 public:
  Accumulators(const Statements& iteration, const Memory& memory) : memory_(memory) { noteUses(iteration); }

  Statements promoted(Statements statements) {
    for (Statement& statement : statements)
      statement.body = promoted(std::move(statement.body)),
      statement.otherwise = promoted(std::move(statement.otherwise));
    for (std::size_t at = 0; at < statements.size(); ++at)
      if (const Expression* place = placeOf(statements[at]))
        if (const std::size_t next = changeBehind(statements, at, *place)) promote(statements, at, next);
    return statements;
  }
  unsigned count() const { return count_; }

 private:
  void noteUses(const Statements& statements) {
    for (const Statement& statement : statements) {
      noteUses(statement.value), noteUses(statement.next);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) noteUses(*inside);
    }
  }
  // Where something else than elements of an array is named, a pointer may lead to what a loop adds up.
  void noteUses(const Expression& value) {
    if (!value) return;
    const std::string array = value.kind() == ExpressionKind::Subscript ? rootOf(value) : "";
    if (memory_.isArray(array) && isElementOf(array, value, memory_)) {
      for (Expression part = value; part.kind() == ExpressionKind::Subscript; part = part.part(0))
        noteUses(part.part(1));
      return;
    }
    if (value.kind() == ExpressionKind::Name) others_.insert(value.text());
    if (value.is(ExpressionKind::Prefix, "&")) others_.insert(rootOf(value.part(0)));
    for (const Expression& part : value.parts()) noteUses(part);
  }

  // Of the element that the statement stores into, whose index is made of variables alone.
  const Expression* placeOf(const Statement& statement) const {
    const Expression& value = statement.value;
    if (statement.kind != StatementKind::Evaluate || !value || value.kind() != ExpressionKind::Assign) return nullptr;
    const Expression& place = value.part(0);
    const std::string array = place.kind() == ExpressionKind::Subscript ? rootOf(place) : "";
    if (!memory_.isArray(array) || others_.count(array) || memory_.numbersOf(array).type.empty()) return nullptr;
    for (Expression part = place; part.kind() == ExpressionKind::Subscript; part = part.part(0)) {
      const auto isVariable = [](const Expression& leaf) {
        return leaf.kind() == ExpressionKind::Name ? std::optional(leaf) : std::nullopt;
      };
      if (!madeOf(part.part(1), isVariable)) return nullptr;
    }
    return &place;
  }

  // The number of the loop or the condition that changes the element, and nothing else of the array; 0: there is none.
  // It is the next statement that names the array.
  std::size_t changeBehind(const Statements& statements, std::size_t at, const Expression& place) const {
    const std::string array = rootOf(place);
    for (std::size_t next = at + 1; next < statements.size(); ++next) {
      const Statements one = {statements[next]};
      if (changesAny(one, place) || hasJump(one)) return 0;
      if (!mentions(one, array)) continue;
      const bool isOne = statements[next].kind == StatementKind::For || statements[next].kind == StatementKind::If;
      return isOne && namesAlone(statements[next], place) ? next : 0;
    }
    return 0;
  }

  bool namesAlone(const Statement& statement, const Expression& place) const {
    const std::string array = rootOf(place);
    bool isAlone = true, isChanged = false;
    forEach(Statements{statement}, [&](const Expression& part) {
      if (const Expression* target = changedBy(part)) isChanged |= *target == place;
      if (part.kind() == ExpressionKind::Subscript && rootOf(part) == array && isElementOf(array, part, memory_))
        isAlone &= part == place;
    });
    return isAlone && isChanged;
  }

  void promote(Statements& statements, std::size_t at, std::size_t next) {
    const Expression store = statements[at].value;
    const Expression& place = store.part(0);
    const std::string variable = "muster_a" + std::to_string(count_++);
    statements[at] = define(memory_.numbersOf(rootOf(place)).type + " " + variable, valueOf(store), variable);
    Statement changed = rewritten(Statements{statements[next]}, [&](const Expression& part) {
                          return part.kind() == ExpressionKind::Subscript && part == place
                                     ? std::optional(name(variable))
                                     : std::nullopt;
                        }).front();
    const auto end = statements.insert(statements.begin() + next + 1, evaluate(assign(place, name(variable))));
    // What is read for a condition is read in any case.
    if (changed.kind == StatementKind::If && readsArrays(changed.value)) {
      const std::string chosen = "muster_if" + std::to_string(count_);
      Statement condition =
          define("const int " + chosen, conditional(changed.value, literal("1"), literal("0")), chosen);
      changed.value = name(chosen);
      statements.insert(end, std::move(changed));
      statements[next] = std::move(condition);
    } else {
      statements[next] = std::move(changed);
    }
  }

  bool readsArrays(const Expression& value) const {
    bool any = false;
    forEach(value, [&](const Expression& part) {
      any |= part.kind() == ExpressionKind::Name && memory_.isArray(part.text());
    });
    return any;
  }

  const Memory& memory_;
  std::set<std::string> others_;  // names that stand alone
  unsigned count_ = 0;
};

}  // namespace

std::optional<Statements> accumulatedApart(const Statements& iteration, const Memory& memory) {
  Accumulators accumulators(iteration, memory);
  Statements code = accumulators.promoted(iteration);
  return accumulators.count() > 0 ? std::optional(std::move(code)) : std::nullopt;
}

}  // namespace muster::plugin::passes
