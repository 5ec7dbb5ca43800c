// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads memory of this process that may not be there, without a fault.
#pragma once

#include <cstddef>

namespace muster::rt {

// False: not all of [from, from + bytes) can be read.
bool readSafely(const void* from, std::size_t bytes, void* into);

}  // namespace muster::rt
