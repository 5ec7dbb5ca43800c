// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CountedLoops.h"

#include "ir/Changes.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

// "+" or "-".
static bool counts(const char* direction, const Expression& next, const std::string& variable) {
  const std::string sign = direction, twice = sign + sign;
  const Expression counter = name(variable), one = literal("1");
  return next == prefix(twice.c_str(), counter) || next == postfix(counter, twice.c_str()) ||
         next == assign(counter, one, sign + "=") || next == assign(counter, binary(sign, counter, one));
}

std::optional<LoopHead> anyHeadOf(const Statement& loop) {
  if (loop.kind != StatementKind::For || loop.first.size() != 1 || !loop.value || !loop.next) return std::nullopt;
  const Statement& begin = loop.first.front();
  LoopHead head;
  if (begin.kind == StatementKind::Define) {
    if (!begin.value || !isWhole(typeOf(begin))) return std::nullopt;
    head.variable = begin.name, head.first = begin.value;
  } else {
    if (!begin.value.is(ExpressionKind::Assign, "=") || begin.value.part(0).kind() != ExpressionKind::Name)
      return std::nullopt;
    head.variable = begin.value.part(0).text(), head.first = begin.value.part(1), head.isOutside = true;
  }
  head.isInclusive = loop.value.is(ExpressionKind::Binary, "<=");
  const bool isTest = (head.isInclusive || loop.value.is(ExpressionKind::Binary, "<")) &&
                      loop.value.part(0).is(ExpressionKind::Name, head.variable);
  if (!isTest || !counts("+", loop.next, head.variable) || changes(loop.body, head.variable)) return std::nullopt;
  head.end = loop.value.part(1);
  return head;
}

std::optional<LoopHead> headOf(const Statement& loop) {
  const std::optional<LoopHead> head = anyHeadOf(loop);
  return head && !head->isInclusive && !head->isOutside ? head : std::nullopt;
}

std::optional<LoopHead> downHeadOf(const Statement& loop) {
  if (loop.kind != StatementKind::For || loop.first.size() != 1 || !loop.value || !loop.next) return std::nullopt;
  const Statement& begin = loop.first.front();
  const std::string type = typeOf(begin);
  if (begin.kind != StatementKind::Define || !begin.value || (type != "int" && type != "long")) return std::nullopt;
  LoopHead head{begin.name, begin.value, {}, loop.value.is(ExpressionKind::Binary, ">=")};
  const bool isTest = (head.isInclusive || loop.value.is(ExpressionKind::Binary, ">")) &&
                      loop.value.part(0).is(ExpressionKind::Name, head.variable);
  if (!isTest || !counts("-", loop.next, head.variable) || changes(loop.body, head.variable)) return std::nullopt;
  head.end = loop.value.part(1);
  return head;
}

bool isNumber(const Expression& value) {
  return value.kind() == ExpressionKind::Literal && value.prec() == Prec::Primary;
}

}  // namespace muster::plugin::passes
