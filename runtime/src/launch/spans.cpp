// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/spans.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace muster::rt {
namespace {

// Bytes that accesses to the parameter lie in, by addresses; nothing: they may be anywhere.
std::optional<Span> bytesOf(const muster_launch& launch, std::span<const Span> values, unsigned parameter) {
  const muster_kernel& kernel = *launch.kernel;
  const std::size_t variables = values.size();
  const std::int64_t* form = launch.forms + kernel.n_inner * MUSTER_INNER_VALUES(variables);
  const auto address = static_cast<Wide>(reinterpret_cast<std::uintptr_t>(launch.arrays[parameter]));
  const Wide size = kernel.arrays[parameter].elem_size;
  Span all{address, address - 1};
  bool any = false;
  for (unsigned i = 0; i < kernel.n_accesses; ++i, form += variables + 1) {
    if (kernel.accesses[i].array != parameter || form[variables] == MUSTER_NO_ACCESS) continue;
    if ((kernel.accesses[i].flags & MUSTER_ACCESS_UNBOUNDED) != 0) return std::nullopt;
    const Span index = valuesOf(form, values);
    const Span bytes{address + index.low * size, address + (index.high + 1) * size - 1};
    all = any ? Span{std::min(all.low, bytes.low), std::max(all.high, bytes.high)} : bytes;
    any = true;
  }
  return all;
}

bool knowsInnerVariables(const muster_launch& launch, std::size_t variables) {
  const std::int64_t* form = launch.forms;
  for (unsigned i = 0; i < launch.kernel->n_inner; ++i, form += MUSTER_INNER_VALUES(variables))
    if (form[2 * (variables + 1)] < 1) return false;
  return true;
}

}  // namespace

Span valuesOf(const std::int64_t* form, std::span<const Span> variables) {
  Span sum = {form[variables.size()], form[variables.size()]};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Wide factor = form[i];
    sum.low += factor * (factor < 0 ? variables[i].high : variables[i].low);
    sum.high += factor * (factor < 0 ? variables[i].low : variables[i].high);
  }
  return sum;
}

std::vector<Span> valuesOfVariables(const muster_launch& launch) {
  const muster_kernel& kernel = *launch.kernel;
  const std::size_t variables = std::size_t{kernel.n_dims} + kernel.n_inner;
  std::vector<Span> values(variables);
  for (unsigned i = 0; i < kernel.n_dims; ++i) {
    const Wide first = launch.dims[i].first, last = first + (Wide{launch.dims[i].count} - 1) * launch.dims[i].step;
    values[i] = {std::min(first, last), std::max(first, last)};
  }
  const std::int64_t* form = launch.forms;
  for (unsigned i = 0; i < kernel.n_inner; ++i, form += MUSTER_INNER_VALUES(variables)) {
    const std::int64_t* const most = form + variables + 1;
    const std::int64_t divisor = std::max<std::int64_t>(most[variables + 1], 1);
    const Wide low = quotient(valuesOf(form, values).low, divisor),
               high = quotient(valuesOf(most, values).high, divisor);
    values[kernel.n_dims + i] = {std::min(low, high), std::max(low, high)};
  }
  return values;
}

bool touchApart(const muster_launch& launch, unsigned a, unsigned b) {
  const std::vector<Span> values = valuesOfVariables(launch);
  if (!knowsInnerVariables(launch, values.size())) return false;
  const std::optional<Span> ofA = bytesOf(launch, values, a), ofB = bytesOf(launch, values, b);
  return ofA && ofB && (ofA->high < ofB->low || ofB->high < ofA->low);
}

}  // namespace muster::rt
