// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which values a launch's forms lie. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/abi.h"

namespace muster::rt {

// Enough for all sums: forms that do not fit in 64 bits keep their launch on the host.
using Wide = __int128;

struct Span {
  Wide low = 0, high = 0;  // both included
};

[[nodiscard]] Span valuesOf(const std::int64_t* form, std::span<const Span> variables);
// Of all variables of the launch: its dims, which are not empty, then inner variables as far as they have any values.
[[nodiscard]] std::vector<Span> valuesOfVariables(const muster_launch& launch);
// Rounded down.
[[nodiscard]] inline Wide quotient(Wide number, std::int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}

// Whether two array parameters of the launch surely touch no element in common.
[[nodiscard]] bool touchApart(const muster_launch& launch, unsigned a, unsigned b);

}  // namespace muster::rt
