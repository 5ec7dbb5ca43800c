// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a kernel's text cannot have for its own things because it is CUDA C++ as well.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace muster::plugin::lower {

// C++'s keywords, and what CUDA has in every function.
bool isWordOfCuda(llvm::StringRef name);
// Functions, and types that are no vectors of OpenCL's, which are there without a header.
bool isFunctionOfCuda(llvm::StringRef name);

}  // namespace muster::plugin::lower
