// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Contractions.h"

#include <algorithm>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CopyNames.h"
#include "passes/PlainPlaces.h"
#include "passes/RowLoops.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

using Mask = LaneMasks::Mask;

constexpr unsigned kWideBytes = 8, kFewestBytes = 4;

class Contractor {
 public:
  Contractor(const Statements& iteration, ContractionContext& context)
      : iteration_(iteration), context_(prepared(context, iteration)), masks_(iteration, context.memory, bits()) {}

  std::optional<Contraction> make(unsigned lanes) {
    if (!LaneMasks::mayStandIn(iteration_) || masks_.givesOwn(iteration_)) return std::nullopt;
    const auto parts = firstLoop(iteration_, OwnEffects(context_.memory, context_.isRead, iteration_));
    if (!parts || !readHead(parts->loop) || !mayBeCut(*parts) || !takeCounters(parts->before)) return std::nullopt;
    made_.separator = separatorFor(iteration_);
    if (!takeReads(parts->loop.body)) return std::nullopt;
    const auto isAlong = [](unsigned axis) { return [axis](const ContractedRead& read) { return read.axis == axis; }; };
    if (llvm::none_of(made_.reads, isAlong(0)) || llvm::none_of(made_.reads, isAlong(1))) return std::nullopt;
    setLanes(lanes);
    made_.before = expanded(parts->before, false);
    made_.step = expanded(parts->loop.body, true);
    made_.rest = parts->loop;
    made_.rest.first = {restBegins()};
    made_.rest.body = expanded(parts->loop.body, false);
    for (const Lane& lane : lanesAlong(axes(), masks_.all()))
      made_.behind.emplace_back(lane, copyOf(parts->behind, lane));
    return std::move(made_);
  }

 private:
  static ContractionContext& prepared(ContractionContext& context, const Statements& iteration) {
    context.memory.variables = variablesIn(iteration, [&](const std::string& name) {
      return name == context.axes[0].counter || name == context.axes[1].counter || context.memory.constantOf(name) >= 0;
    });
    return context;
  }
  std::vector<std::pair<std::string, Mask>> bits() const {
    return {{context_.axes[0].variable, 1}, {context_.axes[1].variable, 2}};
  }
  std::vector<LaneAxis> axes() const { return {context_.axes.begin(), context_.axes.end()}; }

  // All work-items of a group run it together. A negative first value could be compared as a number without sign.
  bool readHead(const Statement& loop) {
    const std::optional<LoopHead> head = anyHeadOf(loop);
    const auto isVariable = [&](const std::string& name) {
      return context_.memory.constantOf(name) >= 0 || context_.memory.variables.integers.count(name) != 0;
    };
    if (!head || !isNumber(head->first) || masks_.of(head->end) != 0 || !isInteger(head->end, isVariable)) return false;
    const auto type = context_.memory.variables.integers.find(head->variable);
    if (type == context_.memory.variables.integers.end()) return false;
    made_.head = *head, made_.type = type->second;
    bool isFixed = true;
    forEach(head->end, [&](const Expression& part) {
      isFixed &=
          part.kind() != ExpressionKind::Name || (part.text() != head->variable && !changes(loop.body, part.text()));
      isFixed &= part.kind() != ExpressionKind::Subscript && part.kind() != ExpressionKind::Call;
    });
    return isFixed;
  }

  // What stands in front of it is done by lanes that are none, too. What stands behind it is done lane by lane: it
  // changes nothing that several have in common.
  bool mayBeCut(const RowLoop& parts) const {
    if (hasLoop(parts.loop.body) || hasJump(parts.loop.body) || hasLoop(parts.behind)) return false;
    if (changesCommon(parts.behind, masks_.all())) return false;
    for (const Statement& statement : parts.loop.body)
      if (!isSimple(statement) && changesCommon({statement}, masks_.of(statement))) return false;
    return llvm::all_of(parts.before, ir::isSimple) && llvm::all_of(parts.behind, [&](const Statement& statement) {
             return statement.kind == StatementKind::Define || masks_.of(statement) == masks_.all();
           });
  }

  // Whether code that is done once for each lane of the mask changes a variable that several of them have in common. A
  // variable of its own is defined anew for each.
  bool changesCommon(const Statements& code, Mask lanes) const {
    std::set<std::string> own;
    const auto define = [&](auto&& self, const Statements& statements) -> void {
      for (const Statement& statement : statements) {
        if (statement.kind == StatementKind::Define) own.insert(statement.name);
        for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) self(self, *inside);
      }
    };
    define(define, code);
    bool changes = false;
    forEach(code, [&](const Expression& part) {
      const Expression* target = changedBy(part);
      const std::string root = target ? rootOf(*target) : "";
      changes |= masks_.isOwn(root) && own.count(root) == 0 && (lanes & ~masks_.of(root)) != 0;
    });
    return changes;
  }

  bool takeCounters(const Statements& before) {
    for (unsigned axis = 0; axis < 2; ++axis) {
      const auto counter =
          llvm::find_if(before, [&](const Statement& each) { return each.name == context_.axes[axis].counter; });
      if (counter == before.end() || changes(iteration_, counter->name)) return false;
      made_.counters[axis] = *counter;
    }
    return true;
  }

  // Elements of one axis are read from tiles, those of none from memory. False: there are others.
  bool takeReads(const Statements& body) {
    std::vector<Expression> certain;
    for (const Statement& statement : body) certainReads(statement.value, certain);
    bool areKnown = true;
    forEach(body, [&](const Expression& part) {
      areKnown &= !part.is(ExpressionKind::Prefix, "*");
      if (part.kind() != ExpressionKind::Subscript || masks_.of(part) == 0) return;
      const std::string root = rootOf(part);
      const bool isRow = context_.memory.isArray(root) && !isElementOf(root, part, context_.memory);
      if (masks_.isShared(root) && !isRow) areKnown &= llvm::is_contained(certain, part) && take(part);
    });
    return areKnown;
  }

  bool take(const Expression& read) {
    const Mask mask = masks_.of(read);
    const std::string& variable = made_.head.variable;
    const PlainPlaces places(context_.memory,
                             {variable, context_.axes[0].counter, context_.axes[1].counter, context_.outer});
    // A variable of the iteration may follow the column.
    const auto along = [&](const std::string& column) {
      return elementOf(read, column, context_.memory, [&](const Expression& part) {
        const auto known = places.index(part);
        return known && !names(*known, column);
      });
    };
    const unsigned axis = mask == 1 ? 0 : 1;
    auto element = along(variable);
    auto next = ContractedRead::Next::Neither;
    if (element && element->sum.column == 1) {
      next = ContractedRead::Next::Step;
    } else if (const auto beside = along(context_.axes[axis].counter)) {
      element = beside;
      if (beside->sum.column == 1 && !context_.axes[axis].column.empty()) next = ContractedRead::Next::Lane;
    }
    if (mask == masks_.all() || !element || !context_.isRead(element->array)) return false;
    const unsigned bytes = context_.memory.numbersOf(element->array).bytes;
    if (bytes < kFewestBytes) return false;
    const auto plain = places.place(read);
    if (!plain || !names(*plain, variable)) return false;
    widest_ = std::max(widest_, bytes);
    const auto isIt = [&](const ContractedRead& known) { return known.element == *plain; };
    auto known = llvm::find_if(made_.reads, isIt);
    if (known == made_.reads.end()) {
      made_.reads.push_back({axis, next, element->array, *plain, {}});
      known = std::prev(made_.reads.end());
    }
    spelled_.emplace_back(read, known - made_.reads.begin());
    return true;
  }

  void setLanes(unsigned lanes) {
    made_.lanes = {widest_ >= kWideBytes ? lanes / 2 : lanes, lanes};
    for (unsigned axis = 0; axis < 2; ++axis) context_.axes[axis].lanes = made_.lanes[axis];
    for (ContractedRead& read : made_.reads)
      for (unsigned lane = 0; lane < made_.lanes[read.axis]; ++lane)
        read.own.push_back("muster_own" + std::to_string(&read - made_.reads.data()) + "_" + std::to_string(lane));
  }

  std::string nameFor(const std::string& variable, const Lane& lane) const {
    const Mask mask = masks_.of(variable);
    std::string text = variable;
    for (unsigned axis = 0; axis < 2; ++axis)
      if (mask >> axis & 1) text += made_.separator + std::to_string(lane[axis]);
    return text;
  }

  Expression valueFor(const Expression& value, const Lane& lane, bool isStaged) const {
    return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      if (part.kind() == ExpressionKind::Name) return name(nameFor(part.text(), lane));
      if (part.kind() != ExpressionKind::Subscript || !isStaged) return std::nullopt;
      const auto known = llvm::find_if(spelled_, [&](const auto& read) { return read.first == part; });
      if (known == spelled_.end()) return std::nullopt;
      const ContractedRead& read = made_.reads[known->second];
      return name(read.own[lane[read.axis]]);
    });
  }

  Statements copyOf(const Statements& statements, const Lane& lane, bool isStaged = false) const {
    return renamed(
        statements, [&](const std::string& name) { return nameFor(name, lane); },
        [&](const Expression& value) { return valueFor(value, lane, isStaged); });
  }

  // Each statement for all lanes that differ in it, and then the next one.
  Statements expanded(const Statements& statements, bool isStaged) const {
    Statements all;
    for (const Statement& statement : statements)
      for (const Lane& lane : lanesAlong(axes(), masks_.of(statement)))
        for (Statement& copy : copyOf({statement}, lane, isStaged)) all.push_back(std::move(copy));
    return all;
  }

  Statement restBegins() const {
    const Expression begin = cast(made_.type, name(tileBegin));
    if (made_.head.isOutside) return evaluate(assign(name(made_.head.variable), begin));
    return define(made_.type + " " + made_.head.variable, begin, made_.head.variable);
  }

  const Statements& iteration_;
  ContractionContext& context_;
  const LaneMasks masks_;
  unsigned widest_ = 0;
  std::vector<std::pair<Expression, std::size_t>> spelled_;  // reads as the loop has them, and their numbers
  Contraction made_;
};

}  // namespace

std::optional<Contraction> contraction(const Statements& iteration, ContractionContext context, unsigned lanes) {
  return Contractor(iteration, context).make(lanes);
}

}  // namespace muster::plugin::passes
