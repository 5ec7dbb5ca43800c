// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Tiles.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CountedLoops.h"
#include "passes/OwnEffects.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// Of smaller ones several work-items' are in one line of memory for long enough.
constexpr unsigned kFewestBytes = 4;

class Finder {
 public:
  explicit Finder(const TileContext& context) : context_(context) {}

  std::optional<TiledLoop> find(const Statements& iteration) {
    const auto loop = llvm::find_if(iteration, [](const Statement& s) { return s.kind == StatementKind::For; });
    if (loop == iteration.end()) return std::nullopt;
    TiledLoop tiled;
    tiled.before.assign(iteration.begin(), loop);
    tiled.behind.assign(std::next(loop), iteration.end());
    tiled.loop = *loop;
    memory_ = context_.memory;
    memory_.variables =
        variablesIn(iteration, [&](const std::string& name) { return name == context_.row || isConstant(name); });
    const OwnEffects effects(memory_, context_.isRead, iteration);
    if (!effects.changesOwnAlone(tiled.before) || !effects.changesOwnAlone(loop->body) || hasPlace(loop->body) ||
        !readHead(tiled))
      return std::nullopt;
    for (const Statement& statement : loop->body) {
      if (mayContinue(statement)) break;
      if (statement.kind == StatementKind::Evaluate || statement.kind == StatementKind::Define)
        collect(statement.value, tiled);
    }
    if (llvm::all_of(tiled.arrays, [](const TiledLoop::Array& array) { return array.isCommon; })) return std::nullopt;
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
    bool is = true;
    forEach(value, [&](const Expression& part) {
      switch (part.kind()) {
        case ExpressionKind::Name:
          is &= isConstant(part.text());
          break;
        case ExpressionKind::Literal:
        case ExpressionKind::Binary:
        case ExpressionKind::Cast:
        case ExpressionKind::Parentheses:
          break;
        default:
          is &= part.is(ExpressionKind::Prefix, "-");
      }
    });
    return is;
  }

  // An index by the row's and the loop's variables and launch constants alone.
  std::optional<Expression> plain(const Expression& value, const std::string& variable, unsigned depth = 0) const {
    bool isPlain = depth < 8;
    const Expression inner = rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      switch (part.kind()) {
        case ExpressionKind::Name: {
          if (part.text() == context_.row || part.text() == variable || isConstant(part.text())) return part;
          const auto meaning = memory_.variables.meanings.find(part.text());
          const auto type = memory_.variables.integers.find(part.text());
          const bool isKnown = meaning != memory_.variables.meanings.end() && type != memory_.variables.integers.end();
          const auto known = isKnown ? plain(meaning->second, variable, depth + 1) : std::nullopt;
          isPlain &= known.has_value();
          return known ? cast(type->second, parentheses(*known)) : part;
        }
        case ExpressionKind::Literal:
        case ExpressionKind::Binary:
        case ExpressionKind::Cast:
        case ExpressionKind::Parentheses:
          return std::nullopt;
        default:
          isPlain &= part.is(ExpressionKind::Prefix, "-");
          return std::nullopt;
      }
    });
    return isPlain ? std::optional(inner) : std::nullopt;
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
      if (!row) continue;
      const auto isIt = [&](const TiledLoop::Array& array) { return array.element == row->element; };
      if (llvm::any_of(tiled.arrays, isIt)) continue;
      tiled.arrays.push_back(
          {row->name, "muster_tile" + std::to_string(tiled.arrays.size()), row->element, row->isCommon});
    }
  }

  // The array and the row of an element that each step of the loop takes from the next place: of a[i * n + k], of x[k],
  // or of row[k] where row is a + i * n.
  std::optional<TiledLoop::Array> rowOf(const Expression& value, const std::string& variable) const {
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
    return TiledLoop::Array{element->array, "", *whole, isCommon};
  }

  std::optional<Expression> staged(const Expression& part, const TiledLoop& tiled) const {
    const auto row = rowOf(part, tiled.variable);
    if (!row) return std::nullopt;
    for (const TiledLoop::Array& array : tiled.arrays)
      if (array.element == row->element) return subscript(name(array.tile), name(tileColumn));
    return std::nullopt;
  }

  const TileContext& context_;
  Memory memory_;
};

}  // namespace

std::optional<TiledLoop> tileRows(const Statements& iteration, const TileContext& context) {
  return Finder(context).find(iteration);
}

}  // namespace muster::plugin::passes
