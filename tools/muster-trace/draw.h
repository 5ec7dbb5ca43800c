// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "trace.h"

namespace muster::trace {

// The timeline of all ranks as SVG, of at most about a megabyte.
[[nodiscard]] std::string toSvg(const Trace& trace);

}  // namespace muster::trace
