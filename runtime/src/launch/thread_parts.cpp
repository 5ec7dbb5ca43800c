// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/thread_parts.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "launch/spans.h"

namespace muster::rt {
namespace {

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
  const std::vector<Span> values = valuesOfVariables(launch);
  for (unsigned i = 0; i < kernel.n_inner; ++i, form += MUSTER_INNER_VALUES(variables)) {
    const std::int64_t* const most = form + variables + 1;
    const std::int64_t divisor = std::max<std::int64_t>(most[variables + 1], 1);
    const Span least = valuesOf(form, values);
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
