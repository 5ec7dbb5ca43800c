// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an array lies, a part of its bytes, and what the program may do with a page of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::rt {

struct ByteRange {
  std::size_t lo = 0, hi = 0;  // bytes [lo, hi) of the array
  bool operator==(const ByteRange&) const = default;
};

// Where an array lies. `bytes` may be more than were asked for.
struct ArrayExtent {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  friend bool operator==(const ArrayExtent&, const ArrayExtent&) = default;
};

enum class PageAccess : std::uint8_t { none, read, readWrite };

}  // namespace muster::rt
