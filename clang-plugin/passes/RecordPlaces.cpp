// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RecordPlaces.h"

#include <utility>

#include "ir/Changes.h"
#include "ir/Fold.h"

namespace muster::plugin::passes {

using namespace ir;

RecordPlaces::RecordPlaces(const Statements& iteration, const Memory& memory, IsArray isRecords, IsArray isOnlyRead)
    : memory_(memory), isRecords_(std::move(isRecords)), isOnlyRead_(std::move(isOnlyRead)) {
  forEach(iteration, [&](const Expression& part) {
    if (part.is(ExpressionKind::Prefix, "&") && part.part(0).kind() == ExpressionKind::Name)
      addressed_.insert(part.part(0).text());
  });
}

bool RecordPlaces::isRecords(const Expression& array) const {
  return array.kind() == ExpressionKind::Name && isRecords_(array.text());
}

static bool isArrow(const Expression& member) { return member.text().front() == '-'; }

std::optional<RecordPlace> RecordPlaces::placeOf(const Expression& value) const {
  switch (value.kind()) {
    case ExpressionKind::Parentheses:
      return placeOf(value.part(0));
    case ExpressionKind::Member: {
      auto place = isArrow(value) ? pointedTo(value.part(0)) : placeOf(value.part(0));
      if (place && !place->isUnknown) place->member += "." + value.text().substr(isArrow(value) ? 2 : 1);
      return place;
    }
    case ExpressionKind::Subscript: {
      if (isRecords(value.part(0))) return RecordPlace{value.part(0).text(), value.part(1), ""};
      auto place = placeOf(value.part(0));
      if (!place || place->member.empty()) return std::nullopt;
      const auto number = numberOf(value.part(1));
      place->isUnknown |= !number || number->value < 0;
      if (!place->isUnknown) place->member += "[" + std::to_string(number->value) + "]";
      return place;
    }
    default:
      return value.is(ExpressionKind::Prefix, "*") ? pointedTo(value.part(0)) : std::nullopt;
  }
}

std::optional<RecordPlace> RecordPlaces::pointedTo(const Expression& pointer) const {
  if (pointer.kind() == ExpressionKind::Parentheses) return pointedTo(pointer.part(0));
  if (pointer.is(ExpressionKind::Prefix, "&")) return placeOf(pointer.part(0));
  if (pointer.kind() != ExpressionKind::Name) return std::nullopt;
  const auto meaning = memory_.variables.meanings.find(pointer.text());
  if (meaning == memory_.variables.meanings.end()) return std::nullopt;
  const Expression* place = rowPlace(meaning->second);
  if (!place || !isRecords(place->part(0))) return std::nullopt;
  return RecordPlace{place->part(0).text(), place->part(1), ""};
}

// ---- visits ----

void RecordPlaces::visit(llvm::ArrayRef<Statement> statements, bool isCertain, Touch touch, Mention mention) const {
  for (const Statement& statement : statements) {
    const bool isReached = isSimple(statement) || statement.kind == StatementKind::If;
    const auto pointed =
        statement.kind == StatementKind::Define ? pointedTo(name(statement.name)) : std::optional<RecordPlace>();
    visit(pointed ? pointed->index : statement.value, RecordMode::Read, isCertain && isReached, touch, mention);
    visit(statement.next, RecordMode::Read, false, touch, mention);
    for (const Statements* part : {&statement.first, &statement.body, &statement.otherwise})
      visit(*part, false, touch, mention);
  }
}

void RecordPlaces::visit(const Expression& value, RecordMode mode, bool isCertain, Touch touch, Mention mention) const {
  if (!value) return;
  const auto inside = [&](const Expression& part, RecordMode how, bool certain) {
    visit(part, how, certain, touch, mention);
  };
  if (const auto place = placeOf(value)) {
    touch(RecordAccess{*place, mode, isCertain});
    forEachIndex(value, [&](const Expression& index) { inside(index, RecordMode::Read, isCertain); });
    return;
  }
  if (value.kind() == ExpressionKind::Name) return mention(value.text());
  if (value.kind() == ExpressionKind::Assign) {
    inside(value.part(0), value.text() == "=" ? RecordMode::Store : RecordMode::Update, isCertain);
    return inside(value.part(1), RecordMode::Read, isCertain);
  }
  const RecordMode how = value.is(ExpressionKind::Prefix, "&") ? RecordMode::Address
                         : changedBy(value)                    ? RecordMode::Update
                                                               : RecordMode::Read;
  bool isFirst = true;
  for (const Expression& part : value.parts()) {
    inside(part, how, isCertain && (isFirst || !isChoice(value)));
    isFirst = false;
  }
}

void RecordPlaces::forEachIndex(const Expression& place, llvm::function_ref<void(const Expression&)> visit) const {
  if (place.kind() == ExpressionKind::Subscript) visit(place.part(1));
  if (place.kind() != ExpressionKind::Name)
    forEachIndex(place.part(0), visit);
  else if (const auto pointed = pointedTo(place))
    visit(pointed->index);
}

bool RecordPlaces::isFixed(const Expression& index, const Statements& statements) const {
  bool is = true;
  forEach(index, [&](const Expression& part) {
    const bool isPart = part.kind() == ExpressionKind::Literal || part.kind() == ExpressionKind::Cast ||
                        part.kind() == ExpressionKind::Parentheses || part.kind() == ExpressionKind::Binary ||
                        (part.kind() == ExpressionKind::Subscript && isOnlyRead_(rootOf(part)));
    is &= part.kind() == ExpressionKind::Name ? addressed_.count(part.text()) == 0 && !changes(statements, part.text())
                                              : isPart;
  });
  return is;
}

// ---- other names ----

Statements RecordPlaces::renamed(const Statements& statements, IsPlace isIt, const Expression& whole) const {
  return rewritten(statements, [&](const Expression& part) { return std::optional(renamed(part, isIt, whole)); });
}

Expression RecordPlaces::renamed(const Expression& value, IsPlace isIt, const Expression& whole) const {
  return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
    const bool isAddress = part.is(ExpressionKind::Prefix, "&");
    const auto place = placeOf(isAddress ? part.part(0) : part);
    if (!place) return std::nullopt;
    if (isAddress) return prefix("&", withIndexesRenamed(part.part(0), isIt, whole));
    return isIt(*place) ? inRecord(part, whole) : withIndexesRenamed(part, isIt, whole);
  });
}

Expression RecordPlaces::withIndexesRenamed(const Expression& place, IsPlace isIt, const Expression& whole) const {
  if (place.kind() == ExpressionKind::Name) return place;
  std::vector<Expression> parts(place.parts().begin(), place.parts().end());
  parts[0] = withIndexesRenamed(parts[0], isIt, whole);
  if (place.kind() == ExpressionKind::Subscript) parts[1] = renamed(parts[1], isIt, whole);
  return {place.kind(), place.text(), std::move(parts), place.prec()};
}

// `p[i].a.b` is `whole.a.b`.
Expression RecordPlaces::inRecord(const Expression& value, const Expression& whole) {
  const auto pointed = [&](Expression pointer) {
    while (pointer.kind() == ExpressionKind::Parentheses) pointer = pointer.part(0);
    return pointer.is(ExpressionKind::Prefix, "&") ? inRecord(pointer.part(0), whole) : whole;
  };
  const Expression& inner = value.part(0);
  switch (value.kind()) {
    case ExpressionKind::Parentheses:
      return inRecord(inner, whole);
    case ExpressionKind::Member:
      return isArrow(value) ? member(pointed(inner), value.text().substr(2))
                            : member(inRecord(inner, whole), value.text().substr(1));
    case ExpressionKind::Subscript:
      return inner.kind() == ExpressionKind::Name ? whole : subscript(inRecord(inner, whole), value.part(1));
    default:
      return pointed(inner);
  }
}

}  // namespace muster::plugin::passes
