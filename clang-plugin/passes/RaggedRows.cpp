// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RaggedRows.h"

#include "ir/Changes.h"
#include "passes/CountedLoops.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

constexpr unsigned kDeepest = 8;

class RaggedFinder {
 public:
  RaggedFinder(const TileContext& context, const Statements& iteration) : context_(context), memory_(context.memory) {
    memory_.variables =
        variablesIn(iteration, [&](const std::string& name) { return name == context_.row || isConstant(name); });
  }

  std::optional<RaggedLoop> find(const Statements& iteration) {
    std::optional<RowLoop> found = firstLoop(iteration, OwnEffects(memory_, context_.isRead, iteration));
    const std::optional<LoopHead> head = found ? headOf(found->loop) : std::nullopt;
    if (!head) return std::nullopt;
    RaggedLoop ragged{std::move(*found)};
    const Statements& body = ragged.loop.body;
    ragged.first = head->first, ragged.end = head->end;
    variable_ = head->variable;
    if (!isRowsOwn(head->first) || !isKept(head->first, body) || !isKept(head->end, body)) return std::nullopt;
    findWholes(ragged.before, iteration), findWholes(body, iteration);
    forEachCertain(body, [&](const Expression& value) { collect(value, ragged); });
    if (ragged.elements.empty()) return std::nullopt;
    ragged.body = rewritten(body, [&](const Expression& part) { return staged(part, ragged); });
    return ragged;
  }

 private:
  bool isConstant(const std::string& name) const { return memory_.constantOf(name) >= 0; }

  // Variables with whole numbers that stay what they are defined as.
  void findWholes(const Statements& statements, const Statements& iteration) {
    for (const Statement& statement : statements)
      if (statement.kind == StatementKind::Define && statement.value && isWhole(typeOf(statement)) &&
          !changes(iteration, statement.name))
        wholes_[statement.name] = &statement;
  }

  // Each row begins elsewhere.
  bool isRowsOwn(const Expression& first) const {
    bool is = false;
    forEach(first, [&](const Expression& part) {
      is |=
          part.kind() == ExpressionKind::Subscript || (part.kind() == ExpressionKind::Name && !isConstant(part.text()));
    });
    return is;
  }

  // It has one value in the whole loop, and may be asked for by all work-items.
  bool isKept(const Expression& bound, const Statements& body) const {
    return madeOf(bound,
                  [&](const Expression& part) { return isKeptPart(part, body) ? std::optional(part) : std::nullopt; })
        .has_value();
  }
  bool isKeptPart(const Expression& part, const Statements& body) const {
    if (part.kind() == ExpressionKind::Name) return part.text() != variable_ && !changes(body, part.text());
    const Expression& base = part.part(0);
    const bool isBase = base.kind() == ExpressionKind::Subscript
                            ? isKeptPart(base, body)
                            : base.kind() == ExpressionKind::Name && context_.isRead(base.text());
    return isBase && isKept(part.part(1), body);
  }

  // A place or an index by the loop's variable, launch constants, and elements at such places alone. None: it is made
  // of something else.
  std::optional<Expression> common(const Expression& value, unsigned depth = 0) const {
    if (depth > kDeepest) return std::nullopt;
    return madeOf(value, [&](const Expression& part) -> std::optional<Expression> {
      if (part.kind() == ExpressionKind::Subscript) return commonElement(part, depth + 1);
      if (part.text() == variable_ || isConstant(part.text())) return part;
      const auto meaning = wholes_.find(part.text());
      const auto known = meaning != wholes_.end() ? common(meaning->second->value, depth + 1) : std::nullopt;
      return known ? std::optional(cast(typeOf(*meaning->second), parentheses(*known))) : std::nullopt;
    });
  }

  // The array behind a pointer that is one for all rows.
  std::optional<Expression> commonBase(const Expression& base, unsigned depth) const {
    if (depth > kDeepest) return std::nullopt;
    if (base.kind() == ExpressionKind::Subscript) return commonElement(base, depth);
    if (base.kind() != ExpressionKind::Name) return std::nullopt;
    if (memory_.isArray(base.text())) return context_.isRead(base.text()) ? std::optional(base) : std::nullopt;
    const auto meaning = memory_.variables.meanings.find(base.text());
    const Expression* place = meaning == memory_.variables.meanings.end() ? nullptr : rowPlace(meaning->second);
    if (!place) return std::nullopt;
    const auto array = commonBase(place->part(0), depth + 1);
    const auto index = common(place->part(1), depth + 1);
    return array && index ? std::optional(parentheses(binary("+", *array, *index))) : std::nullopt;
  }

  std::optional<Expression> commonElement(const Expression& element, unsigned depth = 0) const {
    if (element.kind() != ExpressionKind::Subscript || depth > kDeepest) return std::nullopt;
    const auto base = commonBase(element.part(0), depth + 1), index = common(element.part(1), depth + 1);
    return base && index ? std::optional(subscript(*base, *index)) : std::nullopt;
  }

  static std::string arrayOf(const Expression& element) {
    std::string array;
    forEach(element.part(0), [&](const Expression& part) {
      if (array.empty() && part.kind() == ExpressionKind::Name) array = part.text();
    });
    return array;
  }

  // The array of the element, or of one by which it is found, whose place moves by one with the variable; "": none.
  std::string arrayAlong(const Expression& element) const {
    std::string array;
    forEach(element, [&](const Expression& part) {
      const auto fixed = [&](const Expression& term) { return !names(term, variable_); };
      const auto known = elementOf(part, variable_, memory_, fixed);
      if (known && known->sum.column == 1) array = known->array;
    });
    return array;
  }

  // Elements that each iteration of the loop reads, those by which others are found with these.
  void collect(const Expression& value, RaggedLoop& ragged) const {
    if (!value) return;
    const auto element = commonElement(value);
    const std::string along = element ? arrayAlong(*element) : "";
    if (!along.empty()) {
      const std::string array = arrayOf(*element);
      if (!memory_.numbersOf(array).type.empty() && isElementOf(array, *element, memory_)) {
        ragged.along = along;
        stage(ragged.elements, {array, "", *element, true});
        return;
      }
    }
    if (value.is(ExpressionKind::Assign, "=")) return collect(value.part(1), ragged);
    for (const Expression& part : value.parts()) {
      collect(part, ragged);
      if (isChoice(value)) break;
    }
  }

  std::optional<Expression> staged(const Expression& part, const RaggedLoop& ragged) const {
    const auto element = commonElement(part);
    return element ? stagedIn(ragged.elements, *element) : std::nullopt;
  }

  const TileContext& context_;
  Memory memory_;
  std::string variable_;
  std::map<std::string, const Statement*> wholes_;
};

}  // namespace

std::optional<RaggedLoop> stageRows(const Statements& iteration, const TileContext& context) {
  return RaggedFinder(context, iteration).find(iteration);
}

}  // namespace muster::plugin::passes
