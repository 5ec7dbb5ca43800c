// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Tiles.h"

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CountedLoops.h"
#include "passes/GroupEffects.h"
#include "passes/InnerLoops.h"
#include "passes/PlainPlaces.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// Of smaller ones several work-items' are in one line of memory for long enough.
constexpr unsigned kFewestBytes = 4;
constexpr double kMostAlone = 32;  // steps of loops that are not in tiles

// An element of an array, and where it lies in a tile.
struct RowElement {
  Element place;
  StagedElement staged;
};

// Arrays that a loop stores to, with the element of each, which every step stores.
struct Store {
  RowElement element;
  std::string carried;
};
using Stores = std::map<std::string, Store>;

class Finder {
 public:
  Finder(const Statements& iteration, const TileContext& context)
      : context_(context),
        memory_(withVariables(iteration, context)),
        effects_(memory_, context.isRead, iteration),
        groupContext_{memory_, context.isRead},
        groupEffects_(iteration, groupContext_) {}

  std::optional<TiledIteration> find(const Statements& iteration) {
    TiledIteration tiled;
    Statements before;
    for (auto at = iteration.begin(); at != iteration.end(); ++at) {
      if (auto loop = rowsIn(*at)) {
        loop->before = std::move(before);
        noteChanged(loop->original.body);
        tiled.hasOwners |= needsOwners_ || llvm::any_of(loop->arrays, [&](const StagedElement& array) {
                             return !context_.isRead(array.array);
                           });
        tiled.loops.push_back(std::move(*loop));
        tiled.behind.assign(std::next(at), iteration.end());
        before.clear();
      } else if (!addBetween(*at, before)) {
        break;
      }
    }
    if (tiled.loops.empty()) return common(iteration);
    return tiled.hasOwners && !isBrief(tiled.behind) ? std::nullopt : std::optional(std::move(tiled));
  }

 private:
  static Memory withVariables(const Statements& iteration, const TileContext& context) {
    Memory memory = context.memory;
    memory.variables = variablesIn(iteration, [&](const std::string& name) {
      return name == context.row || context.memory.constantOf(name) >= 0;
    });
    return memory;
  }

  // Elements that all work-items walk along, in the first loop.
  std::optional<TiledIteration> common(const Statements& iteration) const {
    std::optional<RowLoop> found = firstLoop(iteration, effects_);
    TiledLoop loop;
    if (!found || !readHead(found->loop, loop) || loop.isDown) return std::nullopt;
    stageReads(found->loop.body, {}, loop);
    // Its steps are several copies of the body.
    if (loop.arrays.empty() || hasJump(found->loop.body) || hasLoop(found->loop.body)) return std::nullopt;
    loop.before = std::move(found->before);
    loop.original = loop.loop = std::move(found->loop);
    loop.loop.body = rewritten(loop.original.body, [&](const Expression& part) { return inTile(part, {}, loop); });
    TiledIteration tiled{{std::move(loop)}, std::move(found->behind)};
    return tiled;
  }

  // A loop along rows that work-items have for themselves.
  std::optional<TiledLoop> rowsIn(const Statement& statement) const {
    TiledLoop loop;
    if (!readHead(statement, loop)) return std::nullopt;
    const Statements& body = statement.body;
    Stores stores = storesIn(body, loop);
    if (!stores.empty() && hasJump(body)) return std::nullopt;
    stageReads(body, stores, loop);
    const auto isOwn = [](const StagedElement& array) { return !array.isCommon; };
    if (llvm::none_of(loop.arrays, isOwn)) return std::nullopt;
    carry(body, stores, loop);
    loop.original = loop.loop = statement;
    loop.loop.body = rewritten(body, [&](const Expression& part) { return inTile(part, stores, loop); });
    return hasOwnEffects(loop.loop.body, stores, loop) ? std::optional(std::move(loop)) : std::nullopt;
  }

  // The owners are a quarter of the work-items: they may not be long alone.
  static bool isBrief(const Statements& statements) {
    const InnerLoops loops = countInnerLoops(statements, [](const std::string&) { return -1; });
    return !hasLoop(statements) || (loops.whyNot.empty() && loops.counts.empty() && loops.fixed <= kMostAlone);
  }

  // What work-items do between loops: all of them where it concerns nobody else, or the owners.
  bool addBetween(const Statement& statement, Statements& before) {
    if (!LaneMasks::mayStandIn({statement}) || !isBrief({statement})) return false;
    bool isOwners = groupEffects_.stores(Statements{statement}) || !effects_.changesOwnAlone({statement});
    forEach(Statements{statement}, [&](const Expression& part) {
      isOwners |= groupEffects_.varies(part);
      isOwners |= part.kind() == ExpressionKind::Name && owners_.count(part.text()) != 0;
    });
    needsOwners_ |= isOwners;
    if (!isOwners) {
      before.push_back(statement);
      return true;
    }
    Statement own = statement;
    if (statement.kind == StatementKind::Define) {
      if (!statement.value) return false;
      const std::string type = typeOf(statement);
      if (!LaneMasks::isScalar(type)) return false;
      before.push_back(define(type + " " + statement.name, literal("0"), statement.name));
      own = evaluate(assign(name(statement.name), statement.value));
    }
    noteChanged({own});
    before.push_back(choice(name(tileOwner), {std::move(own)}));
    return true;
  }

  // Variables that have their values in the owners alone: nobody else may go where these lead.
  void noteChanged(const Statements& code) {
    forEach(code, [&](const Expression& part) {
      if (const Expression* target = changedBy(part)) owners_.insert(rootOf(*target));
    });
  }

  // A negative first value could be compared as a number without sign.
  bool readHead(const Statement& loop, TiledLoop& tiled) const {
    const std::optional<LoopHead> up = headOf(loop), down = up ? std::nullopt : downHeadOf(loop);
    const auto isWholeUniform = [&](const Expression& value) {
      return isUniform(value) && isInteger(value, [&](const std::string& name) { return isConstant(name); });
    };
    const bool is = up ? isNumber(up->first) && isWholeUniform(up->end)
                       : down && isWholeUniform(down->first) && isNumber(down->end);
    if (!is) return false;
    const LoopHead& head = up ? *up : *down;
    tiled.variable = head.variable, tiled.first = head.first, tiled.end = head.end;
    tiled.isDown = !up, tiled.isInclusive = head.isInclusive;
    return true;
  }

  // What each step stores to a row of its own.
  Stores storesIn(const Statements& body, const TiledLoop& loop) const {
    Stores stores;
    for (auto at = body.begin(); at != body.end(); ++at) {
      if (at->kind != StatementKind::Evaluate || at->value.kind() != ExpressionKind::Assign) continue;
      std::optional<RowElement> element = rowOf(at->value.part(0), loop.variable);
      if (!element || element->staged.isCommon || context_.isRead(element->place.array)) continue;
      const std::string array = element->place.array;
      const auto reads = [&](const Expression& part) {
        const auto other = rowOf(part, loop.variable);
        return other && other->staged.element == element->staged.element;
      };
      bool isRead = at->value.text() != "=";
      forEach(Statements(body.begin(), at), [&](const Expression& part) { isRead |= reads(part); });
      forEach(at->value.part(1), [&](const Expression& part) { isRead |= reads(part); });
      element->staged.isLoaded = isRead, element->staged.isStored = true;
      stores.try_emplace(array, Store{std::move(*element), ""});
    }
    return stores;
  }

  // Elements along rows that each step reads.
  void forEachRead(const Statements& body, const TiledLoop& loop,
                   llvm::function_ref<void(const RowElement&)> visit) const {
    forEachCertain(body, [&](const Expression& value) {
      std::vector<Expression> reads;
      certainReads(value, reads);
      for (const Expression& read : reads)
        if (const auto row = rowOf(read, loop.variable)) visit(*row);
    });
  }

  void stageReads(const Statements& body, const Stores& stores, TiledLoop& loop) const {
    for (const auto& [array, store] : stores) stage(loop.arrays, store.element.staged);
    forEachRead(body, loop, [&](const RowElement& row) {
      if (stores.count(row.place.array) == 0) stage(loop.arrays, row.staged);
    });
  }

  // The element that the step before has stored, if each step reads it.
  void carry(const Statements& body, Stores& stores, TiledLoop& loop) const {
    forEachRead(body, loop, [&](const RowElement& row) {
      const auto store = stores.find(row.place.array);
      if (store == stores.end() || !store->second.carried.empty() || !isBefore(row, store->second, loop)) return;
      const std::string type = memory_.numbersOf(store->first).type;
      store->second.carried = "muster_carried" + std::to_string(loop.carried.size());
      loop.carried.push_back({store->second.carried, store->first, type, row.staged.element});
    });
  }

  static bool isBefore(const RowElement& row, const Store& store, const TiledLoop& loop) {
    const IndexSum &here = store.element.place.sum, &other = row.place.sum;
    return other.terms == here.terms && other.constant == here.constant + (loop.isDown ? 1 : -1);
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

  // The array and the row of an element that each step of the loop takes from the next place: of a[i * n + k], of x[k],
  // or of row[k] where row is a + i * n.
  std::optional<RowElement> rowOf(const Expression& value, const std::string& variable) const {
    auto element = elementOf(value, variable, memory_, [&](const Expression& part) { return !names(part, variable); });
    if (!element || element->sum.column != 1 || memory_.numbersOf(element->array).bytes < kFewestBytes)
      return std::nullopt;
    Expression row = literal("0");
    for (const Expression& term : element->sum.terms) row = binary("+", row, term);
    const PlainPlaces plain(memory_, {context_.row, variable});
    const auto known = plain.index(row), whole = plain.place(value);
    if (!known || !whole) return std::nullopt;
    const bool isCommon = !names(*known, context_.row);
    if (isCommon ? !context_.isRead(element->array) : !isStrided(*known)) return std::nullopt;
    StagedElement staged{element->array, "", *whole, isCommon};
    return RowElement{std::move(*element), std::move(staged)};
  }

  // What stands for an element in the loop.
  std::optional<Expression> inTile(const Expression& part, const Stores& stores, const TiledLoop& loop) const {
    const auto row = rowOf(part, loop.variable);
    if (!row) return std::nullopt;
    const auto store = stores.find(row->place.array);
    if (store != stores.end() && !store->second.carried.empty() && isBefore(*row, store->second, loop))
      return name(store->second.carried);
    return stagedIn(loop.arrays, row->staged.element);
  }

  static bool isTile(const Expression& part, const StagedElement& array) {
    return part == subscript(name(array.tile), name(tileColumn));
  }

  // The steps change what is their work-item's, and of tiles what they store. Nothing else leads to arrays that they
  // store to.
  bool hasOwnEffects(const Statements& body, const Stores& stores, const TiledLoop& loop) const {
    bool isOwn = true;
    forEach(body, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      if (!target) return;
      for (const StagedElement& array : loop.arrays) isOwn &= array.isStored || !isTile(*target, array);
      for (const CarriedElement& element : loop.carried) isOwn &= !target->is(ExpressionKind::Name, element.name);
    });
    const Statements own = rewritten(body, [&](const Expression& part) -> std::optional<Expression> {
      for (const StagedElement& array : loop.arrays)
        if (isTile(part, array)) return name(array.tile);
      return std::nullopt;
    });
    isOwn &= effects_.changesOwnAlone(own) && !hasPlace(own);
    forEach(own, [&](const Expression& part) {
      if (stores.empty() || part.kind() != ExpressionKind::Name) return;
      isOwn &= stores.count(part.text()) == 0;
      isOwn &= memory_.isArray(part.text()) || !groupEffects_.mayReachWritten(part.text());
    });
    return isOwn;
  }

  const TileContext& context_;
  const Memory memory_;
  const OwnEffects effects_;
  const GroupContext groupContext_;
  const GroupEffects groupEffects_;
  bool needsOwners_ = false;  // something between loops does
  std::set<std::string> owners_;
};

}  // namespace

std::optional<TiledIteration> tileRows(const Statements& iteration, const TileContext& context) {
  return Finder(iteration, context).find(iteration);
}

}  // namespace muster::plugin::passes
