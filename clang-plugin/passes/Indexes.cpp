// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Indexes.h"

#include "ir/Changes.h"
#include "ir/Fold.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace muster::plugin::passes {

using namespace ir;

bool names(const Expression& expression, const std::string& variable) {
  bool any = false;
  forEach(expression, [&](const Expression& part) { any |= part.is(ExpressionKind::Name, variable); });
  return any;
}

std::string rootOf(const Expression& place) {
  if (place.kind() == ExpressionKind::Name) return place.text();
  const bool isPart = place.kind() == ExpressionKind::Subscript || place.kind() == ExpressionKind::Parentheses ||
                      (place.kind() == ExpressionKind::Member && place.text().front() == '.');
  return isPart ? rootOf(place.part(0)) : "";
}

const Expression* rowPlace(const Expression& pointer) {
  const bool isPlace = pointer.is(ExpressionKind::Prefix, "&") && pointer.part(0).kind() == ExpressionKind::Subscript;
  if (isPlace) return &pointer.part(0);
  return pointer.is(ExpressionKind::Binary, "+") ? &pointer : nullptr;
}

std::optional<Expression> madeOf(const Expression& value, const Leaf& leaf) {
  bool is = true;
  const Expression made = rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
    switch (part.kind()) {
      case ExpressionKind::Name:
      case ExpressionKind::Subscript: {
        const std::optional<Expression> known = leaf(part);
        is &= known.has_value();
        return known ? known : part;
      }
      case ExpressionKind::Literal:
      case ExpressionKind::Binary:
      case ExpressionKind::Cast:
      case ExpressionKind::Parentheses:
        return std::nullopt;
      default:
        is &= part.is(ExpressionKind::Prefix, "-");
        return std::nullopt;
    }
  });
  return is ? std::optional(made) : std::nullopt;
}

std::string typeOf(const Statement& definition) {
  llvm::StringRef text = definition.text;
  text.consume_front("const ");
  return text.consume_back(definition.name) ? text.trim().str() : "";
}

bool isWhole(const std::string& type) {
  static constexpr llvm::StringLiteral whole[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  return llvm::is_contained(whole, type);
}

bool keepsSums(const std::string& type) {
  static constexpr llvm::StringLiteral kept[] = {"int", "long", "ulong"};
  return llvm::is_contained(kept, type);
}

bool isInteger(const Expression& value, const IsInteger& isVariable) {
  const auto each = [&](const Expression& part) { return isInteger(part, isVariable); };
  switch (value.kind()) {
    case ExpressionKind::Literal:
      return numberOf(value).has_value();
    case ExpressionKind::Name:
      return isVariable(value.text());
    case ExpressionKind::Cast:
      return isWhole(value.text());
    case ExpressionKind::Prefix:
      return value.text() == "-" && each(value.part(0));
    case ExpressionKind::Parentheses:
    case ExpressionKind::Binary:
      return llvm::all_of(value.parts(), each);
    default:
      return false;
  }
}

namespace {

// Definitions of an iteration, and which variables change.
struct Definitions {
  std::map<std::string, const Statement*> definitions;
  std::set<std::string> changed, counted;  // the latter by the heads of their loops alone
  std::set<std::string> addressed;         // whose parts may be changed elsewhere

  void collect(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::Define && !definitions.try_emplace(statement.name, &statement).second)
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
  void noteChanges(const Expression& value, std::set<std::string>& names) {
    forEach(value, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      // What is done to an element that a pointer leads to does not change the pointer.
      if (target) (target->kind() != ExpressionKind::Name ? addressed : names).insert(rootOf(*target));
    });
  }
  bool changesOnly(const Expression& next, const std::string& name) {
    std::set<std::string> names;
    noteChanges(next, names);
    return names == std::set<std::string>{name};
  }
};

// Made of variables and numbers alone: nothing that memory holds, which may change between two uses.
bool isOfVariables(const Expression& value) {
  switch (value.kind()) {
    case ExpressionKind::Literal:
    case ExpressionKind::Name:
      return true;
    case ExpressionKind::Cast:
    case ExpressionKind::Prefix:
    case ExpressionKind::Parentheses:
    case ExpressionKind::Binary:
      return !value.is(ExpressionKind::Prefix, "*") && llvm::all_of(value.parts(), isOfVariables);
    default:
      return false;
  }
}

bool isPointer(const Statement& definition) {
  const llvm::StringRef text = definition.text;
  return text.contains('*') && !text.contains('[');
}

// A whole number, or a pointer to a row.
bool hasMeaning(const Statement& definition, const IsInteger& isVariable) {
  const Expression& value = definition.value;
  if (keepsSums(typeOf(definition))) return isOfVariables(value) && isInteger(value, isVariable);
  const Expression* place = isPointer(definition) ? rowPlace(value) : nullptr;
  return place && place->part(0).kind() == ExpressionKind::Name && isOfVariables(place->part(1)) &&
         isInteger(place->part(1), isVariable);
}

}  // namespace

// What a loop counts has one value for all that its body defines.
Variables variablesIn(const Statements& iteration, const IsInteger& isInteger) {
  Definitions found;
  found.collect(iteration);
  for (const auto& [name, definition] : found.definitions)
    if (found.addressed.count(name) && !isPointer(*definition)) found.changed.insert(name);
  Variables variables;
  for (const auto& [name, definition] : found.definitions)
    if (const std::string type = typeOf(*definition); isWhole(type)) variables.integers.emplace(name, type);
  const auto isVariable = [&](const std::string& name) {
    return variables.integers.count(name) != 0 || isInteger(name);
  };
  for (const auto& [name, definition] : found.definitions)
    if (definition->value && !found.changed.count(name) && !found.counted.count(name) &&
        hasMeaning(*definition, isVariable) &&
        llvm::none_of(found.changed, [&](const std::string& other) { return names(definition->value, other); }))
      variables.meanings.emplace(name, definition->value);
  return variables;
}

void IndexSum::add(const IndexSum& other, std::int64_t sign) {
  column += sign * other.column, constant += sign * other.constant;
  for (const Expression& term : other.terms) terms.push_back(sign > 0 ? term : prefix("-", term));
}

static std::optional<IndexSum> timesOf(std::optional<IndexSum> sum, std::int64_t times) {
  if (!sum || llvm::MulOverflow(sum->column, times, sum->column) ||
      llvm::MulOverflow(sum->constant, times, sum->constant))
    return std::nullopt;
  for (Expression& term : sum->terms) term = binary("*", literalOf({times}), parentheses(term));
  return sum;
}

std::optional<IndexSum> indexSum(const Expression& index, const std::string& column, const Variables& variables,
                                 const IsInteger& isConstant, const IsFixed& isFixed) {
  const auto sumOf = [&](const Expression& part) { return indexSum(part, column, variables, isConstant, isFixed); };
  const auto isVariable = [&](const std::string& name) {
    return name == column || variables.integers.count(name) != 0 || isConstant(name);
  };
  if (const auto number = numberOf(index)) return IndexSum{0, number->value, {}};
  if (index.is(ExpressionKind::Name, column)) return IndexSum{1, 0, {}};
  const bool adds = index.is(ExpressionKind::Binary, "+") || index.is(ExpressionKind::Binary, "-");
  if (adds) {
    std::optional<IndexSum> left = sumOf(index.part(0)), right = sumOf(index.part(1));
    if (!left || !right) return std::nullopt;
    left->add(*right, index.text() == "+" ? 1 : -1);
    return left;
  }
  if (index.kind() == ExpressionKind::Parentheses ||
      (index.kind() == ExpressionKind::Cast && keepsSums(index.text()) && isInteger(index.part(0), isVariable)))
    return sumOf(index.part(0));
  if (isFixed(index)) return IndexSum{0, 0, {index}};
  if (index.is(ExpressionKind::Binary, "*"))
    for (const unsigned side : {0, 1})
      if (const auto times = numberOf(index.part(side))) return timesOf(sumOf(index.part(1 - side)), times->value);
  const auto meaning =
      index.kind() == ExpressionKind::Name ? variables.meanings.find(index.text()) : variables.meanings.end();
  return meaning != variables.meanings.end() ? sumOf(meaning->second) : std::nullopt;
}

bool isMultiple(const Expression& value, std::int64_t of, const Variables& variables,
                const std::function<int(const std::string&)>& constantOf, std::set<unsigned>& constants) {
  const auto each = [&](const Expression& part) { return isMultiple(part, of, variables, constantOf, constants); };
  const auto isVariable = [&](const std::string& name) {
    return variables.integers.count(name) != 0 || constantOf(name) >= 0;
  };
  if (const auto number = numberOf(value)) return number->value % of == 0;
  switch (value.kind()) {
    case ExpressionKind::Name: {
      if (const int number = constantOf(value.text()); number >= 0) return constants.insert(number), true;
      const auto meaning = variables.meanings.find(value.text());
      return meaning != variables.meanings.end() && each(meaning->second);
    }
    case ExpressionKind::Parentheses:
      return each(value.part(0));
    case ExpressionKind::Cast:  // to one of at least 32 bits, which keeps that a number is a multiple
      return (keepsSums(value.text()) || value.text() == "uint") && isInteger(value.part(0), isVariable) &&
             each(value.part(0));
    case ExpressionKind::Prefix:
      return value.text() == "-" && each(value.part(0));
    case ExpressionKind::Binary:
      if (!isInteger(value, isVariable)) return false;
      if (value.text() == "*") return each(value.part(1)) || each(value.part(0));
      return (value.text() == "+" || value.text() == "-") && each(value.part(0)) && each(value.part(1));
    default:
      return false;
  }
}

}  // namespace muster::plugin::passes
