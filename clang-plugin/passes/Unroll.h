// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that read elements along memory, four steps at a time: the four elements come by one access of up to 16 bytes.
// Wider ones would take too many registers (decision 0033).
//
//   for (k = 0; k < n; ++k) s += a[i * n + k] * x;
#pragma once

#include "ir/Statement.h"
#include "muster/chunk.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

inline constexpr std::int64_t unrolledSteps = MUSTER_SCHEDULE_STEPS;

// The code with such loops; what they ask of a launch is added. Steps stay in their order.
ir::Statements unrollAlongMemory(const ir::Statements& code, const Memory& memory, Alignment& alignment);

}  // namespace muster::plugin::passes
