// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace muster::rt {

// The process may only have so much address space: what is not needed is not reserved.
bool addressesAreCounted();

}  // namespace muster::rt
