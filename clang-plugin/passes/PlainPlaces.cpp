// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PlainPlaces.h"

namespace muster::plugin::passes {

using namespace ir;

static constexpr unsigned kDeepest = 8;  // definitions of definitions

std::optional<Expression> PlainPlaces::index(const Expression& value, unsigned depth) const {
  if (depth >= kDeepest) return std::nullopt;
  return madeOf(value, [&](const Expression& part) -> std::optional<Expression> {
    if (part.kind() != ExpressionKind::Name) return std::nullopt;
    if (variables_.count(part.text()) != 0 || memory_.constantOf(part.text()) >= 0) return part;
    const auto meaning = memory_.variables.meanings.find(part.text());
    const auto type = memory_.variables.integers.find(part.text());
    if (meaning == memory_.variables.meanings.end() || type == memory_.variables.integers.end()) return std::nullopt;
    const auto known = index(meaning->second, depth + 1);
    return known ? std::optional(cast(type->second, parentheses(*known))) : std::nullopt;
  });
}

std::optional<Expression> PlainPlaces::place(const Expression& value, unsigned depth) const {
  if (value.kind() == ExpressionKind::Name) {
    if (memory_.isArray(value.text())) return value;
    const auto meaning = memory_.variables.meanings.find(value.text());
    if (meaning == memory_.variables.meanings.end() || depth > kDeepest) return std::nullopt;
    const auto known = place(meaning->second, depth + 1);
    return known ? std::optional(parentheses(*known)) : std::nullopt;
  }
  if (value.is(ExpressionKind::Prefix, "&")) {
    const auto known = place(value.part(0), depth);
    return known ? std::optional(prefix("&", *known)) : std::nullopt;
  }
  if (value.kind() != ExpressionKind::Subscript && !value.is(ExpressionKind::Binary, "+")) return std::nullopt;
  const auto base = place(value.part(0), depth), at = index(value.part(1));
  if (!base || !at) return std::nullopt;
  return value.kind() == ExpressionKind::Subscript ? subscript(*base, *at) : binary("+", *base, *at);
}

}  // namespace muster::plugin::passes
