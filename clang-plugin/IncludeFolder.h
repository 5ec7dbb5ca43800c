// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where emitted code finds Muster's headers.
#pragma once

#include <string>

#include "clang/Lex/Preprocessor.h"

namespace muster::plugin {

// The folder of Muster's public headers, beside the plugin's own (also in the build tree); empty if it is not there,
// and the user's -I must name it.
std::string includeFolder();
void addIncludeFolder(clang::Preprocessor& preprocessor);

}  // namespace muster::plugin
