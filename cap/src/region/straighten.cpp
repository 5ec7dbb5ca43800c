// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Substitution of inner variables: x = smallest + x'.
#include "region/straighten.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace muster::cap {

namespace {

std::int64_t coefficient(const AffineForm& form, std::size_t variable) {
  return variable < form.coefficients.size() ? form.coefficients[variable] : 0;
}

// `v`: the variable's own number; its bounds may use earlier ones only.
bool isSlanted(const InnerVariable& variable, std::size_t v) {
  if (variable.divisor != 1) return false;
  const std::size_t used = std::max(variable.smallest.coefficients.size(), variable.largest.coefficients.size());
  bool constant = true;
  for (std::size_t u = 0; u < used; ++u) {
    const std::int64_t c = coefficient(variable.smallest, u);
    if (c != coefficient(variable.largest, u) || (c != 0 && u >= v)) return false;
    constant = constant && c == 0;
  }
  return !constant;
}

// form with variable `v` replaced by `by` + v.
bool substitute(AffineForm& form, std::size_t v, const AffineForm& by) {
  const std::int64_t c = coefficient(form, v);
  if (c == 0) return true;
  const auto addProduct = [c](std::int64_t& sum, std::int64_t factor) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(c, factor, &product) && !__builtin_add_overflow(sum, product, &sum);
  };
  for (std::size_t u = 0; u < std::min(by.coefficients.size(), v); ++u) {
    if (!addProduct(form.coefficients[u], by.coefficients[u])) return false;
  }
  return addProduct(form.constant, by.constant);
}

// Which inner variables the index uses, directly or through bounds.
std::vector<bool> neededInner(const AffineForm& index, const std::vector<InnerVariable>& inner, std::size_t dims) {
  std::vector<bool> needed(inner.size());
  const auto note = [&](const AffineForm& form) {
    for (std::size_t i = 0; i < inner.size(); ++i) needed[i] = needed[i] || coefficient(form, dims + i) != 0;
  };
  note(index);
  for (std::size_t i = inner.size(); i-- > 0;) {
    if (!needed[i]) continue;
    note(inner[i].smallest);
    note(inner[i].largest);
  }
  return needed;
}

}  // namespace

bool isSlanted(const IterationSpace& space) {
  for (std::size_t i = 0; i < space.inner.size(); ++i) {
    if (isSlanted(space.inner[i], space.dims.size() + i)) return true;
  }
  return false;
}

bool straighten(Access& access, IterationSpace& space) {
  AffineForm index = access.index;
  std::vector<InnerVariable> inner = space.inner;
  bool changed = false;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const std::size_t v = space.dims.size() + i;
    if (!isSlanted(inner[i], v)) continue;
    const AffineForm by = inner[i].smallest;
    std::int64_t last = 0;
    if (__builtin_sub_overflow(inner[i].largest.constant, by.constant, &last)) return false;
    if (!substitute(index, v, by)) return false;
    for (std::size_t later = i + 1; later < inner.size(); ++later) {
      if (!substitute(inner[later].smallest, v, by) || !substitute(inner[later].largest, v, by)) return false;
    }
    inner[i] = {{{}, 0}, {{}, last}};
    changed = true;
  }
  // A loop around the access that the index does not show any more would be taken for one beside it.
  const std::size_t dims = space.dims.size();
  if (!changed || neededInner(index, inner, dims) != neededInner(access.index, space.inner, dims)) return false;
  access.index = std::move(index);
  space.inner = std::move(inner);
  return true;
}

}  // namespace muster::cap
