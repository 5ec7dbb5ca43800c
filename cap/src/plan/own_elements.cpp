// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements belong to one iteration alone, by the access maps.
#include <algorithm>
#include <cstdlib>

#include "muster/cap/planner.h"

namespace muster::cap {
namespace {

// Beyond that, products of it might overflow. No array is so large.
constexpr std::int64_t largest = std::int64_t{1} << 40;

bool isSmall(std::int64_t value) { return value >= -largest && value <= largest; }

// In logical iterations; none where an inner variable takes part.
std::optional<cdm::OwnElement> elementOf(const AffineForm& index, const IterationSpace& space) {
  const std::size_t dims = space.dims.size();
  cdm::OwnElement element;
  if (dims > element.coefficients.size() || !isSmall(index.constant)) return std::nullopt;
  element.constant = index.constant;
  for (std::size_t v = 0; v < index.coefficients.size(); ++v) {
    const std::int64_t coefficient = index.coefficients[v];
    if (v >= dims && coefficient != 0) return std::nullopt;
    if (v >= dims) continue;
    const Dim& dim = space.dims[v];
    std::int64_t first = 0;
    if (!isSmall(coefficient) || !isSmall(dim.first) || !isSmall(dim.step) ||
        __builtin_mul_overflow(coefficient, dim.first, &first) ||
        __builtin_mul_overflow(coefficient, dim.step, &element.coefficients[v]) ||
        __builtin_add_overflow(element.constant, first, &element.constant) || !isSmall(element.coefficients[v]) ||
        !isSmall(element.constant))
      return std::nullopt;
  }
  return element;
}

// Each dimension leads beyond all that the nearer ones reach together.
bool isApart(const cdm::OwnElement& element, const std::vector<Dim>& dims) {
  std::vector<std::pair<std::int64_t, std::int64_t>> strides;  // and counts
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d].count > 1) strides.emplace_back(std::abs(element.coefficients[d]), dims[d].count);
  std::ranges::sort(strides);
  std::int64_t reach = 0;
  for (const auto& [stride, count] : strides) {
    std::int64_t length = 0;
    if (stride <= reach || __builtin_mul_overflow(stride, count - 1, &length) ||
        __builtin_add_overflow(reach, length, &reach))
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::optional<cdm::OwnElement>> ownElements(const LaunchSpec& spec) {
  std::vector<std::optional<cdm::OwnElement>> own(spec.arrays.size());
  std::vector<bool> isNone(spec.arrays.size());
  for (const Access& access : spec.accesses) {
    const auto element = access.unbounded || access.atomic || access.ordered || access.mode == AccessMode::update
                             ? std::nullopt
                             : elementOf(access.index, spec.space);
    auto& known = own[access.array];
    if (!element || (known && *known != *element)) isNone[access.array] = true;
    known = element;
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    if (isNone[i] || (own[i] && !isApart(*own[i], spec.space.dims))) own[i].reset();
  return own;
}

}  // namespace muster::cap
