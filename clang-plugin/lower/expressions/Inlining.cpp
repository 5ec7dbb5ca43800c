// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/expressions/Inlining.h"

#include <map>

#include "ir/Changes.h"

namespace muster::plugin::lower {

using namespace ir;

// Of an argument that may stand in several places.
static constexpr unsigned kMostRepeated = 5;

bool hasNoEffect(const Expression& value) {
  bool isSo = true;
  forEach(value, [&](const Expression& part) {
    const bool isCall = part.kind() == ExpressionKind::Call || part.kind() == ExpressionKind::Braces;
    isSo &=
        !isCall && part.kind() != ExpressionKind::Comma && (!changedBy(part) || part.is(ExpressionKind::Prefix, "&"));
  });
  return isSo;
}

static bool mayRepeat(const Expression& argument) {
  unsigned nodes = 0;
  bool reads = false;
  forEach(argument, [&](const Expression& part) {
    ++nodes;
    reads |= part.kind() == ExpressionKind::Subscript || part.is(ExpressionKind::Prefix, "*");
  });
  return nodes <= kMostRepeated && !reads;
}

std::optional<Expression> inlined(const Function& function, const std::vector<Expression>& arguments) {
  if (!function.value || function.parameters.size() != arguments.size()) return std::nullopt;
  std::map<std::string, const Expression*> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) given[function.parameters[i]] = &arguments[i];
  std::map<std::string, unsigned> uses;
  bool isAddressed = false;
  forEach(function.value, [&](const Expression& part) {
    if (part.kind() == ExpressionKind::Name) ++uses[part.text()];
    isAddressed |= part.is(ExpressionKind::Prefix, "&") && part.part(0).kind() == ExpressionKind::Name &&
                   given.count(part.part(0).text()) != 0;
  });
  if (isAddressed) return std::nullopt;
  for (const auto& [name, argument] : given) {
    const bool isAddress = argument->is(ExpressionKind::Prefix, "&");
    if (!hasNoEffect(*argument)) return std::nullopt;
    if (uses[name] > 1 && !mayRepeat(isAddress ? argument->part(0) : *argument)) return std::nullopt;
  }
  return rewritten(function.value, [&](const Expression& part) -> std::optional<Expression> {
    const bool isTarget = part.is(ExpressionKind::Prefix, "*");
    const Expression& inner = isTarget ? part.part(0) : part;
    if (inner.kind() != ExpressionKind::Name) return std::nullopt;
    const auto found = given.find(inner.text());
    if (found == given.end()) return std::nullopt;
    const Expression& argument = *found->second;
    return isTarget ? target(argument) : argument;
  });
}

}  // namespace muster::plugin::lower
