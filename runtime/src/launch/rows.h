// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tables of rows, and tables of such tables, have in common.
#pragma once

#include <string>

#include "muster/abi.h"

namespace muster::rt {

// Where loops always run as they stand, and tables are not looked at.
bool insideChunk();
// Notes for the report why a launch over the rows of an array is the plain loop.
void noteUnevenRows(const muster_kernel& kernel, unsigned parameter, const std::string& why,
                    const char* wanted = "evenly spaced");

}  // namespace muster::rt
