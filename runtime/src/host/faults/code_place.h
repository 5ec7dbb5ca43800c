// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file an instruction of this process comes from, by /proc/self/maps. Async-signal-safe.
#pragma once

#include <cstdint>

namespace muster::rt {

struct CodePlace {
  char file[256] = {};        // empty: none
  std::uintptr_t offset = 0;  // from where the file's first part is mapped: what addr2line takes
  bool ofProgram = false;     // the file is the program itself, no library
};

[[nodiscard]] CodePlace placeOfCode(const void* instruction);

}  // namespace muster::rt
