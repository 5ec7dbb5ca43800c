// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Elements.h"

#include <cstring>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace muster::plugin::passes {

using namespace ir;

bool isSame(const Element& one, const Element& other) {
  return one.array == other.array && one.sum.column == other.sum.column && one.sum.constant == other.sum.constant &&
         one.sum.terms == other.sum.terms;
}

// Adds an index of arrays that are so many elements apart.
static bool add(Element& element, const Expression& index, std::int64_t stride, const std::string& column,
                const Memory& memory, const IsFixed& isFixed) {
  std::optional<IndexSum> sum = indexSum(
      index, column, memory.variables, [&](const std::string& name) { return memory.constantOf(name) >= 0; }, isFixed);
  if (!sum) return false;
  if (stride != 1) {
    for (Expression& term : sum->terms)
      term = binary("*", cast("long", parentheses(term)), literal(std::to_string(stride)));
    sum->constant *= stride, sum->column *= stride;
  }
  element.sum.add(*sum, 1);
  return true;
}

std::optional<Element> elementOf(const Expression& value, const std::string& column, const Memory& memory,
                                 const IsFixed& isFixed) {
  if (value.kind() != ExpressionKind::Subscript) return std::nullopt;
  std::vector<Expression> indexes = {value.part(1)};  // the last one first
  Expression base = value.part(0);
  for (; base.kind() == ExpressionKind::Subscript; base = base.part(0)) indexes.push_back(base.part(1));
  Element element;
  // Pointers to rows, and `next = row + n`.
  while (indexes.size() == 1 && base.kind() == ExpressionKind::Name) {
    const auto meaning = memory.variables.meanings.find(base.text());
    if (meaning == memory.variables.meanings.end()) break;
    const Expression* place = rowPlace(meaning->second);
    if (!place || !add(element, place->part(1), 1, column, memory, isFixed)) return std::nullopt;
    base = place->part(0);
  }
  if (base.kind() != ExpressionKind::Name || !memory.isArray(base.text())) return std::nullopt;
  element.array = base.text();
  const std::vector<std::uint64_t> lengths = memory.numbersOf(element.array).lengths;
  if (indexes.size() != lengths.size() + 1) return std::nullopt;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (i > 0) stride *= static_cast<std::int64_t>(lengths[lengths.size() - i]);
    if (!add(element, indexes[i], stride, column, memory, isFixed)) return std::nullopt;
  }
  return element;
}

bool canBeAligned(const Element& element, std::int64_t width, const Memory& memory, Alignment& alignment) {
  std::set<unsigned> constants;
  const bool is = llvm::all_of(element.sum.terms, [&](const Expression& term) {
    return isMultiple(term, width, memory.variables, memory.constantOf, constants);
  });
  if (!is || memory.numbersOf(element.array).type.empty()) return false;
  alignment.multiples.insert(constants.begin(), constants.end());
  alignment.arrays.insert(element.array);
  return true;
}

bool isElementOf(const std::string& array, const Expression& place, const Memory& memory) {
  std::size_t indexes = 0;
  for (Expression base = place; base.kind() == ExpressionKind::Subscript; base = base.part(0)) ++indexes;
  return indexes == memory.numbersOf(array).lengths.size() + 1;
}

static bool isArrayOrRow(const Expression& argument, const Memory& memory) {
  if (argument.kind() == ExpressionKind::Name) return memory.isArray(argument.text());
  const std::string root = argument.kind() == ExpressionKind::Subscript ? rootOf(argument) : "";
  if (memory.isArray(root)) return !isElementOf(root, argument, memory);
  return llvm::any_of(argument.parts(), [&](const Expression& part) { return isArrayOrRow(part, memory); });
}

bool givesArray(const Expression& value, const Memory& memory) {
  bool gives = false;
  forEach(value, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Call)
      gives |= llvm::any_of(part.parts(), [&](const Expression& argument) { return isArrayOrRow(argument, memory); });
  });
  return gives;
}

void certainReads(const Expression& value, std::vector<Expression>& reads) {
  if (!value) return;
  const bool isPlace = value.is(ExpressionKind::Prefix, "&") && value.part(0).kind() == ExpressionKind::Subscript;
  if (isPlace) return certainReads(value.part(0).part(1), reads);
  if (value.kind() == ExpressionKind::Subscript) reads.push_back(value);
  if (value.is(ExpressionKind::Assign, "=")) return certainReads(value.part(1), reads);
  for (const Expression& part : value.parts()) {
    certainReads(part, reads);
    if (isChoice(value)) break;
  }
}

Statement wideLoad(const std::string& name, const std::string& type, std::int64_t width, Expression first) {
  const std::string wide = type + std::to_string(width);
  return define("const " + wide + " " + name,
                target(cast("__global const " + wide + " *", addressOf(std::move(first)))), name);
}

Expression partOfWide(const std::string& name, std::int64_t number) {
  return member(ir::name(name), "s" + llvm::utohexstr(number));
}

Expression partOfWide(const std::string& name, std::int64_t number, const std::string& type) {
  const Expression part = partOfWide(name, number);
  return type == "uchar" || type == "char" ? call("muster_" + type, {part}) : part;
}

bool isOpaqueByte(const Expression& value) {
  return value.is(ExpressionKind::Call, "muster_uchar") || value.is(ExpressionKind::Call, "muster_char");
}

Expression withBytesForFunctions(const Expression& value) {
  return rewritten(value, [](const Expression& part) -> std::optional<Expression> {
    if (part.kind() != ExpressionKind::Call || isOpaqueByte(part)) return std::nullopt;
    std::vector<Expression> arguments;
    for (const Expression& argument : part.parts()) {
      Expression given = withBytesForFunctions(argument);
      const bool isByte = isOpaqueByte(given);
      arguments.push_back(isByte ? cast(given.text().substr(std::strlen("muster_")), given) : std::move(given));
    }
    return call(part.text(), std::move(arguments));
  });
}

Statement wideStore(const std::string& type, std::int64_t width, Expression first, std::vector<Expression> values) {
  const std::string wide = type + std::to_string(width);
  return evaluate(assign(target(cast("__global " + wide + " *", addressOf(std::move(first)))),
                         call(maker(wide), std::move(values))));
}

}  // namespace muster::plugin::passes
