// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/facts/Values.h"

#include <algorithm>

namespace muster::plugin {

bool samePointer(const Pointer& left, const Pointer& right) {
  if (left.local != right.local || left.array != right.array || left.inside != right.inside) return false;
  if (left.field != right.field) return false;
  if (left.inside && (left.before != right.before || left.ahead != right.ahead)) return false;
  if (left.offset.has_value() != right.offset.has_value()) return false;
  return !left.offset || (sameForm(*left.offset, *right.offset) && left.offset->guards == right.offset->guards);
}

// Bounds that hold for either value.
static std::vector<AffineExpr> common(const std::vector<AffineExpr>& left, const std::vector<AffineExpr>& right) {
  std::vector<AffineExpr> result;
  for (AffineExpr bound : left)
    for (const AffineExpr& other : right)
      if (sameForm(bound, other)) {
        bound.guards.insert(other.guards.begin(), other.guards.end());
        result.push_back(bound);
        break;
      }
  return result;
}

static Value alternatives(const Value& left, const Value& right) {
  Value result{left.forms, left.pointers};
  if (left.forms.empty() != right.forms.empty() || left.pointers.empty() != right.pointers.empty()) return {};
  for (const AffineExpr& form : right.forms) {
    auto known = std::find_if(result.forms.begin(), result.forms.end(),
                              [&](const AffineExpr& other) { return sameForm(other, form); });
    if (known == result.forms.end())
      result.forms.push_back(form);
    else
      known->guards.insert(form.guards.begin(), form.guards.end());
  }
  for (const Pointer& pointer : right.pointers)
    if (std::none_of(left.pointers.begin(), left.pointers.end(),
                     [&](const Pointer& p) { return samePointer(p, pointer); }))
      result.pointers.push_back(pointer);
  if (result.forms.size() > mostAlternatives || result.pointers.size() > mostAlternatives) return {};
  return result;
}

Value unite(const Value& left, const Value& right) {
  Value result = alternatives(left, right);
  for (const auto& [field, value] : left.members)
    if (const auto other = right.members.find(field); other != right.members.end())
      result.members[field] = unite(value, other->second);
  if (!result.pointers.empty() || result.forms.size() == 1) return result;
  result.atLeast = common(left.lowBounds(), right.lowBounds());
  result.atMost = common(left.highBounds(), right.highBounds());
  return result;
}

std::optional<Polynomial> extremeOf(AffineExpr form, bool upper, const std::vector<LoopVariable>& variables,
                                    Grows grows) {
  while (!form.factors.empty()) {
    const auto [number, factor] = *form.factors.rbegin();
    const std::optional<bool> isUp = grows(variables[number], factor);
    if (!isUp) return std::nullopt;
    const auto& bound = *isUp == upper ? variables[number].most : variables[number].least;
    if (!bound || !bound->guards.empty()) return std::nullopt;
    auto replaced = substitute(form, number, *bound);
    if (!replaced) return std::nullopt;
    form = *replaced;
  }
  return form.constant;
}

}  // namespace muster::plugin
