// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markers in front of lines that the user did not write, so that they have the number of one that he wrote. A blank at
// their end tells them from other #line directives: who reads the rewritten text needs to see none.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace muster::plugin {

// Stands at the start of a line and is a whole one.
std::string ownLineMarker(unsigned line);
// A marker for every line of `text`.
std::string withOwnLineMarkers(llvm::StringRef text, unsigned line);
std::string withoutOwnLineMarkers(llvm::StringRef text);

}  // namespace muster::plugin
