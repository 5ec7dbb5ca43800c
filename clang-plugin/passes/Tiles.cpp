// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Tiles.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CountedLoops.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// Of smaller ones several work-items' are in one line of memory for long enough.
constexpr unsigned kFewestBytes = 4;

class Finder {
 public:
  explicit Finder(const TileContext& context) : context_(context) {}

  std::optional<TiledLoop> find(const Statements& iteration) {
    memory_ = context_.memory;
    memory_.variables =
        variablesIn(iteration, [&](const std::string& name) { return name == context_.row || isConstant(name); });
    std::optional<RowLoop> found = firstLoop(iteration, OwnEffects(memory_, context_.isRead, iteration));
    if (!found) return std::nullopt;
    TiledLoop tiled{std::move(*found)};
    if (!readHead(tiled)) return std::nullopt;
    forEachCertain(tiled.loop.body, [&](const Expression& value) { collect(value, tiled); });
    if (llvm::all_of(tiled.arrays, [](const StagedElement& array) { return array.isCommon; })) return std::nullopt;
    tiled.loop.body = rewritten(tiled.loop.body, [&](const Expression& part) { return staged(part, tiled); });
    return tiled;
  }

 private:
  // A negative first value could be compared as a number without sign.
  bool readHead(TiledLoop& tiled) const {
    const std::optional<LoopHead> head = headOf(tiled.loop);
    const auto isVariable = [&](const std::string& name) { return isConstant(name); };
    if (!head || !isNumber(head->first) || !isUniform(head->end) || !isInteger(head->end, isVariable)) return false;
    tiled.variable = head->variable, tiled.first = head->first, tiled.end = head->end;
    return true;
  }

  bool isConstant(const std::string& name) const { return memory_.constantOf(name) >= 0; }

  // Made of numbers and of what has one value in the launch.
  bool isUniform(const Expression& value) const {
    const auto constant = [&](const Expression& part) {
      const bool is = part.kind() == ExpressionKind::Name && isConstant(part.text());
      return is ? std::optional(part) : std::nullopt;
    };
    return madeOf(value, constant).has_value();
  }

  // An index by the row's and the loop's variables and launch constants alone.
  std::optional<Expression> plain(const Expression& value, const std::string& variable, unsigned depth = 0) const {
    if (depth >= 8) return std::nullopt;
    return madeOf(value, [&](const Expression& part) -> std::optional<Expression> {
      if (part.kind() != ExpressionKind::Name) return std::nullopt;
      if (part.text() == context_.row || part.text() == variable || isConstant(part.text())) return part;
      const auto meaning = memory_.variables.meanings.find(part.text());
      const auto type = memory_.variables.integers.find(part.text());
      if (meaning == memory_.variables.meanings.end() || type == memory_.variables.integers.end()) return std::nullopt;
      const auto known = plain(meaning->second, variable, depth + 1);
      return known ? std::optional(cast(type->second, parentheses(*known))) : std::nullopt;
    });
  }

  // The same of an element, or of a pointer to a row.
  std::optional<Expression> plainPlace(const Expression& place, const std::string& variable, unsigned depth = 0) const {
    if (place.kind() == ExpressionKind::Name) {
      if (memory_.isArray(place.text())) return place;
      const auto meaning = memory_.variables.meanings.find(place.text());
      if (meaning == memory_.variables.meanings.end() || depth > 8) return std::nullopt;
      const auto known = plainPlace(meaning->second, variable, depth + 1);
      return known ? std::optional(parentheses(*known)) : std::nullopt;
    }
    if (place.is(ExpressionKind::Prefix, "&")) {
      const auto known = plainPlace(place.part(0), variable, depth);
      return known ? std::optional(prefix("&", *known)) : std::nullopt;
    }
    if (place.kind() != ExpressionKind::Subscript && !place.is(ExpressionKind::Binary, "+")) return std::nullopt;
    const auto base = plainPlace(place.part(0), variable, depth);
    const auto index = plain(place.part(1), variable);
    if (!base || !index) return std::nullopt;
    return place.kind() == ExpressionKind::Subscript ? subscript(*base, *index) : binary("+", *base, *index);
  }

  // The row's variable is multiplied by something: neighbours are further than an element apart.
  bool isStrided(const Expression& row) const {
    bool isMultiplied = false;
    forEach(row, [&](const Expression& part) {
      isMultiplied |= part.is(ExpressionKind::Binary, "*") && names(part, context_.row);
    });
    bool isBare = false;
    const auto look = [&](auto&& self, const Expression& part) -> void {
      isBare |= part.is(ExpressionKind::Name, context_.row);
      if (part.is(ExpressionKind::Binary, "*")) return;
      for (const Expression& inner : part.parts()) self(self, inner);
    };
    look(look, row);
    return isMultiplied && !isBare;
  }

  // Elements that each iteration of the loop reads.
  void collect(const Expression& value, TiledLoop& tiled) const {
    std::vector<Expression> reads;
    certainReads(value, reads);
    for (const Expression& read : reads) {
      const auto row = rowOf(read, tiled.variable);
      if (row) stage(tiled.arrays, *row);
    }
  }

  // The array and the row of an element that each step of the loop takes from the next place: of a[i * n + k], of x[k],
  // or of row[k] where row is a + i * n.
  std::optional<StagedElement> rowOf(const Expression& value, const std::string& variable) const {
    const auto element =
        elementOf(value, variable, memory_, [&](const Expression& part) { return !names(part, variable); });
    const bool isIt = element && element->sum.column == 1 && context_.isRead(element->array);
    if (!isIt || memory_.numbersOf(element->array).bytes < kFewestBytes) return std::nullopt;
    Expression row = literal("0");
    for (const Expression& term : element->sum.terms) row = binary("+", row, term);
    const auto known = plain(row, variable), whole = plainPlace(value, variable);
    if (!known || !whole) return std::nullopt;
    const bool isCommon = !names(*known, context_.row);
    if (!isCommon && !isStrided(*known)) return std::nullopt;
    return StagedElement{element->array, "", *whole, isCommon};
  }

  std::optional<Expression> staged(const Expression& part, const TiledLoop& tiled) const {
    const auto row = rowOf(part, tiled.variable);
    return row ? stagedIn(tiled.arrays, row->element) : std::nullopt;
  }

  const TileContext& context_;
  Memory memory_;
};

}  // namespace

std::optional<TiledLoop> tileRows(const Statements& iteration, const TileContext& context) {
  return Finder(context).find(iteration);
}

}  // namespace muster::plugin::passes
