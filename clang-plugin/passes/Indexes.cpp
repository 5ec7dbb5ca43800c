// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Indexes.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::passes {

using namespace ir;

bool names(const Expression& expression, const std::string& variable) {
  bool any = false;
  forEach(expression, [&](const Expression& part) { any |= part.is(ExpressionKind::Name, variable); });
  return any;
}

namespace {

// Definitions of an iteration, and which variables change.
struct Definitions {
  Meanings meanings;
  std::set<std::string> changed, counted;  // the latter by the heads of their loops alone

  void collect(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::Define && !meanings.try_emplace(statement.name, statement.value).second)
        changed.insert(statement.name);
      const bool counts = statement.kind == StatementKind::For && statement.first.size() == 1 &&
                          statement.first.front().kind == StatementKind::Define;
      noteChanges(statement.value, changed);
      if (counts && changesOnly(statement.next, statement.first.front().name))
        counted.insert(statement.first.front().name);
      else
        noteChanges(statement.next, changed);
      for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) collect(*inside);
    }
  }

 private:
  static void noteChanges(const Expression& value, std::set<std::string>& names) {
    forEach(value, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      if (target && target->kind() == ExpressionKind::Name) names.insert(target->text());
    });
  }
  static bool changesOnly(const Expression& next, const std::string& name) {
    std::set<std::string> names;
    noteChanges(next, names);
    return names == std::set<std::string>{name};
  }
};

}  // namespace

// What a loop counts has one value for all that its body defines.
Meanings meaningsIn(const Statements& iteration) {
  Definitions found;
  found.collect(iteration);
  Meanings meanings;
  for (const auto& [name, value] : found.meanings)
    if (value && !found.changed.count(name) && !found.counted.count(name) &&
        llvm::none_of(found.changed, [&](const std::string& other) { return names(value, other); }))
      meanings.emplace(name, value);
  return meanings;
}

static std::optional<std::int64_t> numberOf(const Expression& value) {
  std::int64_t number = 0;
  llvm::StringRef text = value.text();
  if (value.kind() != ExpressionKind::Literal || text.consumeInteger(10, number) ||
      text.find_first_not_of("uUlL") != llvm::StringRef::npos)
    return std::nullopt;
  return number;
}

// Where sums beyond the type's range do not come back as others that are close to each other.
static bool keepsSums(const std::string& type) {
  static constexpr llvm::StringLiteral kept[] = {"int", "uint", "long", "ulong"};
  return llvm::is_contained(kept, type);
}

void IndexSum::add(const IndexSum& other, std::int64_t sign) {
  column += sign * other.column, constant += sign * other.constant;
  for (const Expression& term : other.terms) terms.push_back(sign > 0 ? term : prefix("-", term));
}

std::optional<IndexSum> indexSum(const Expression& index, const std::string& column, const Meanings& meanings,
                                 const IsFixed& isFixed) {
  const auto sumOf = [&](const Expression& part) { return indexSum(part, column, meanings, isFixed); };
  if (const auto number = numberOf(index)) return IndexSum{0, *number, {}};
  if (index.is(ExpressionKind::Name, column)) return IndexSum{1, 0, {}};
  const bool adds = index.is(ExpressionKind::Binary, "+") || index.is(ExpressionKind::Binary, "-");
  if (adds) {
    std::optional<IndexSum> left = sumOf(index.part(0)), right = sumOf(index.part(1));
    if (!left || !right) return std::nullopt;
    left->add(*right, index.text() == "+" ? 1 : -1);
    return left;
  }
  if (index.kind() == ExpressionKind::Parentheses || (index.kind() == ExpressionKind::Cast && keepsSums(index.text())))
    return sumOf(index.part(0));
  if (isFixed(index)) return IndexSum{0, 0, {index}};
  const auto meaning = index.kind() == ExpressionKind::Name ? meanings.find(index.text()) : meanings.end();
  return meaning != meanings.end() ? sumOf(meaning->second) : std::nullopt;
}

bool isMultiple(const Expression& value, std::int64_t of, const Meanings& meanings,
                const std::function<int(const std::string&)>& constantOf, std::set<unsigned>& constants) {
  const auto each = [&](const Expression& part) { return isMultiple(part, of, meanings, constantOf, constants); };
  if (const auto number = numberOf(value)) return *number % of == 0;
  switch (value.kind()) {
    case ExpressionKind::Name: {
      if (const int number = constantOf(value.text()); number >= 0) return constants.insert(number), true;
      const auto meaning = meanings.find(value.text());
      return meaning != meanings.end() && each(meaning->second);
    }
    case ExpressionKind::Parentheses:
      return each(value.part(0));
    case ExpressionKind::Cast:
      return keepsSums(value.text()) && each(value.part(0));
    case ExpressionKind::Prefix:
      return value.text() == "-" && each(value.part(0));
    case ExpressionKind::Binary:
      if (value.text() == "*") return each(value.part(1)) || each(value.part(0));
      return (value.text() == "+" || value.text() == "-") && each(value.part(0)) && each(value.part(1));
    default:
      return false;
  }
}

}  // namespace muster::plugin::passes
