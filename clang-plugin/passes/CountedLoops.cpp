// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CountedLoops.h"

#include "ir/Changes.h"
#include "passes/Indexes.h"

namespace muster::plugin::passes {

using namespace ir;

std::optional<LoopHead> headOf(const Statement& loop) {
  if (loop.kind != StatementKind::For || loop.first.size() != 1 || !loop.value || !loop.next) return std::nullopt;
  const Statement& begin = loop.first.front();
  if (begin.kind != StatementKind::Define || !begin.value || !isWhole(typeOf(begin))) return std::nullopt;
  const LoopHead head = {begin.name, begin.value, loop.value.parts().size() == 2 ? loop.value.part(1) : Expression()};
  const bool isUp = (loop.next.is(ExpressionKind::Prefix, "++") || loop.next.is(ExpressionKind::Postfix, "++")) &&
                    loop.next.part(0).is(ExpressionKind::Name, head.variable);
  const bool isTest =
      loop.value.is(ExpressionKind::Binary, "<") && loop.value.part(0).is(ExpressionKind::Name, head.variable);
  return isUp && isTest && !changes(loop.body, head.variable) ? std::optional(head) : std::nullopt;
}

bool isNumber(const Expression& value) {
  return value.kind() == ExpressionKind::Literal && value.prec() == Prec::Primary;
}

}  // namespace muster::plugin::passes
