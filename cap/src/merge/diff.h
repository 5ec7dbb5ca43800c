// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diffs: what a chunk changed of the elements that others may change too, as bytes. Positions count the contested
// elements of one part of a merge, in ascending order, so gaps between them in the array cost nothing. They are encoded
// in blocks of 65,536 positions, each in the smallest of three ways; blocks without a change take no room. A diff takes
// at most twice the changed bytes and 5 % of all contested ones, and 64 bytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cdm/status.h"
#include "muster/cdm/transport.h"

namespace muster::cap {

inline constexpr std::uint32_t diffBlock = 65536;
// Elements that one diff can be over.
inline constexpr std::uint32_t maxDiffElements = std::uint32_t{1} << 30;

// Of what a diff is: both sides know it from the plan.
struct DiffShape {
  std::uint32_t elements = 0;  // at most maxDiffElements
  std::uint32_t elemSize = 0;  // bytes
};

struct Changes {
  std::vector<std::uint32_t> positions;  // ascending
  std::span<const std::byte> values;     // one after the other
};

// Appends the diff of `changes` to `to`.
void appendDiff(cdm::Bytes& to, const DiffShape& shape, const Changes& changes);
// More than any diff of this shape takes.
[[nodiscard]] std::uint64_t maxDiffBytes(const DiffShape& shape);

// Takes a diff from the front of `from`; the values lie where they were. Errc::protocol for anything that appendDiff
// could not have written for this shape. `positions`: memory for the result's, of any contents.
[[nodiscard]] Result<Changes> takeDiff(std::span<const std::byte>& from, const DiffShape& shape,
                                       std::vector<std::uint32_t> positions = {});

}  // namespace muster::cap
