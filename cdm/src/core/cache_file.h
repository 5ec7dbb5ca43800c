// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of the cache directory: read whole, replaced whole, so that no reader ever sees half of one.
#pragma once

#include <filesystem>
#include <string>

#include "muster/cdm/status.h"

namespace muster::cdm {

// "" if there is no such file or it cannot be read: a cache that has nothing to say.
std::string readCacheFile(const std::filesystem::path& file);
// Writes to a temporary name in the same folder and renames.
Status writeCacheFile(const std::filesystem::path& file, const std::string& content);

}  // namespace muster::cdm
