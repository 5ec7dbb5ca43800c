// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why somebody waited: what ended when the wait did, and, of a message, what its sender did before.
#pragma once

#include <string>
#include <vector>

#include "trace.h"

namespace muster::trace {

struct Wait {
  const Event* event = nullptr;
  std::string reason;
};
// The longest first.
[[nodiscard]] std::vector<Wait> largestWaits(const Trace& trace, std::size_t count);

}  // namespace muster::trace
