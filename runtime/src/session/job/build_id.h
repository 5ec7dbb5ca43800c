// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells two builds of a program or library apart.
#pragma once

#include <string>

namespace muster::rt {

// The linker's build id as hex; a hash of the file where there is none.
[[nodiscard]] std::string executableBuildId();
[[nodiscard]] std::string runtimeBuildId();

}  // namespace muster::rt
