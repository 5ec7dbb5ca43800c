// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/thread_parts.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::rt {
namespace {

// Enough for all sums: forms that do not fit in 64 bits keep their launch on the host.
using Wide = __int128;

struct Span {
  Wide low = 0, high = 0;
};

Span valuesOf(const std::int64_t* form, std::span<const Span> variables) {
  Span sum = {form[variables.size()], form[variables.size()]};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Wide factor = form[i];
    sum.low += factor * (factor < 0 ? variables[i].high : variables[i].low);
    sum.high += factor * (factor < 0 ? variables[i].low : variables[i].high);
  }
  return sum;
}

// Rounded down.
Wide quotient(Wide number, std::int64_t divisor) { return number / divisor - (number % divisor < 0 ? 1 : 0); }

// Those of the launch's dims.
std::vector<Span> valuesOfDims(const muster_launch& launch) {
  std::vector<Span> values(launch.kernel->n_dims + launch.kernel->n_inner);
  for (unsigned i = 0; i < launch.kernel->n_dims; ++i) {
    const Wide first = launch.dims[i].first, last = first + (Wide{launch.dims[i].count} - 1) * launch.dims[i].step;
    values[i] = {std::min(first, last), std::max(first, last)};
  }
  return values;
}

bool isWritten(const muster_launch& launch, const std::int64_t* forms, unsigned variable) {
  const muster_kernel& kernel = *launch.kernel;
  const std::size_t variables = kernel.n_dims + kernel.n_inner;
  for (unsigned a = 0; a < kernel.n_accesses; ++a, forms += variables + 1) {
    const muster_access& access = kernel.accesses[a];
    const bool known = (access.flags & (MUSTER_ACCESS_UNBOUNDED | MUSTER_ACCESS_ATOMIC)) == 0;
    if (access.mode == MUSTER_WRITE && known && forms[variable] != 0) return true;
  }
  return false;
}

}  // namespace

bool writesPartsOf(const muster_launch& launch, int threads) {
  constexpr int kFew = 8;
  const muster_kernel& kernel = *launch.kernel;
  if (threads <= 1 || kernel.n_inner == 0 || (launch.flags & MUSTER_LAUNCH_HOST) != 0) return false;
  const std::size_t variables = kernel.n_dims + kernel.n_inner;
  const std::int64_t* form = launch.forms;
  const std::int64_t* const accesses = form + kernel.n_inner * MUSTER_INNER_VALUES(variables);
  std::vector<Span> values = valuesOfDims(launch);
  for (unsigned i = 0; i < kernel.n_inner; ++i, form += MUSTER_INNER_VALUES(variables)) {
    const std::int64_t* const most = form + variables + 1;
    const std::int64_t divisor = std::max<std::int64_t>(most[variables + 1], 1);
    const Span least = valuesOf(form, values);
    values[kernel.n_dims + i] = {quotient(least.low, divisor), quotient(valuesOf(most, values).high, divisor)};
    // What may be negative has a form for each way of rounding: that of numbers that are not is the first one.
    const std::int64_t rounds = most[variables] - form[variables];
    const bool divides =
        divisor > 1 && form[0] != 0 && std::equal(form, form + variables, most) && rounds >= 0 && rounds < divisor;
    const Wide parts = quotient(least.high, divisor) - quotient(least.low, divisor) + 1;
    if (divides && parts >= threads && parts % threads == 0 && parts <= kFew * threads &&
        isWritten(launch, accesses, kernel.n_dims + i))
      return true;
  }
  return false;
}

}  // namespace muster::rt
