// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of an array's bytes.
#pragma once

#include <cstddef>

namespace muster::rt {

struct ByteRange {
  std::size_t lo = 0, hi = 0;  // bytes [lo, hi) of the array
  bool operator==(const ByteRange&) const = default;
};

}  // namespace muster::rt
