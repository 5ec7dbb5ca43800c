// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace muster::cdm {

// "15.6 KiB"; thread-safe.
[[nodiscard]] std::string formatByteCount(std::uint64_t bytes);

}  // namespace muster::cdm
