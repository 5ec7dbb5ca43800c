// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read whole and replaced whole, so that no reader ever sees half of one.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "muster/cdm/status.h"

namespace muster::cdm {

// "" if there is no such file or it cannot be read: a cache that has nothing to say. Throws nothing but for memory.
std::string readFile(const std::filesystem::path& file);
// Writes to a name beside it and renames. `mode`: who may use it, less the umask; by default its owner alone.
Status replaceFile(const std::filesystem::path& file, const std::string& content, mode_t mode = 0600);

}  // namespace muster::cdm
