// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock of the runtime: while it is held, the thread may not fault.
#pragma once

#include <mutex>

#include "host/system/runtime_section.h"

namespace muster::rt {

struct Locked : RuntimeSection {
  explicit Locked(std::mutex& mutex) : guard(mutex) {}
  std::lock_guard<std::mutex> guard;
};

}  // namespace muster::rt
