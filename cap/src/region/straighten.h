// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose number of iterations is the same for all values of the outer variables, written so that it shows.
#pragma once

#include "muster/cap/access.h"

namespace muster::cap {

// for (k = i - 1; k <= i + 1; ++k) a[i * m + k] touches what for (k = 0; k <= 2; ++k) a[i * (m + 1) + k - 1] does: no
// bound depends on another variable any more. False, and no change, if there is no such loop, or numbers get too large.
[[nodiscard]] bool straighten(Access& access, IterationSpace& space);

// Is there such a loop?
[[nodiscard]] bool isSlanted(const IterationSpace& space);

}  // namespace muster::cap
