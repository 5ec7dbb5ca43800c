// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second copy of this library in the process, such as one of LD_PRELOAD beside the one that the program is linked
// with: calls would reach now one and now the other.
#pragma once

#include <string>

namespace muster::rt {

// Its file; "": there is none.
[[nodiscard]] std::string otherCopyOfLibrary();

}  // namespace muster::rt
