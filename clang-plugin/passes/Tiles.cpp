// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Tiles.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CountedLoops.h"
#include "passes/PlainPlaces.h"

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
    // The steps of common elements are several copies of the body.
    if (tiled.arrays.empty() || (tiled.isCommon() && (hasJump(tiled.loop.body) || hasLoop(tiled.loop.body))))
      return std::nullopt;
    tiled.original = tiled.loop;
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
    const PlainPlaces plain(memory_, {context_.row, variable});
    const auto known = plain.index(row), whole = plain.place(value);
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
