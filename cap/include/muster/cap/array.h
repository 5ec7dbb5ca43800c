// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to know of a managed array besides where its newest elements are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/cap/region.h"

namespace muster::cap {

// Which of the bytes [lo, hi) of an array's host memory nobody ever touched, in ascending parts of at least `least`
// bytes. They are zero, and reading them would only make the system find memory for them. Asked in any thread, before
// copies from that memory, of elements that nobody else may write then.
using UntouchedBytes = std::function<std::vector<Interval>(const Interval& bytes, std::int64_t least)>;

// What rank 0 knows of the pages of an array's host memory.
struct HostPages {
  UntouchedBytes untouched{};  // empty: all of them may have been written
  // Called before devices remember where the pages lie in the machine: they must not be exchanged for others until the
  // array is released. Any thread.
  std::function<void()> keep{};
};

struct ArrayInfo {
  std::uint32_t id = 0;
  std::uint32_t elemSize = 0;  // bytes
  std::int64_t count = 0;      // elements
  std::string name;            // for messages: "u (jacobi.cpp:7)"
  std::byte* host = nullptr;   // on rank 0: its bytes, always accessible for the runtime
  HostPages pages{};
};

}  // namespace muster::cap
