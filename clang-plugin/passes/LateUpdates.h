// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several iterations of a loop that only updates elements, as a histogram's: what they read first, then their updates.
// A work-item then waits for all of its reads together. Updates are done in any order as it is.
//
//   h[key[i]]++;     const long at0 = key[i0], at1 = key[i1]; h[at0]++; h[at1]++;
#pragma once

#include <optional>
#include <string>

#include "ir/Statement.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace muster::plugin::passes {

// `counter`: the iteration's number; that of a lane is greater by the lane's number times `stride`. None: the iteration
// has more than definitions and updates, or what it updates by has to be read. `isArray`: names of kernels' arrays.
std::optional<ir::Statements> updatesLast(const ir::Statements& iteration, unsigned lanes, const std::string& counter,
                                          const std::string& stride,
                                          llvm::function_ref<bool(const std::string&)> isArray);

}  // namespace muster::plugin::passes
