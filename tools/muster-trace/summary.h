// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "trace.h"

namespace muster::trace {

// Tables of at most 100 columns.
[[nodiscard]] std::string toText(const Trace& trace);

// "1.250 s", "3.200 ms"
[[nodiscard]] std::string duration(std::int64_t nanoseconds);
// The end of a long path or name, behind dots.
[[nodiscard]] std::string tail(const std::string& text, std::size_t width);

}  // namespace muster::trace
