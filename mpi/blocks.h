// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a datatype one behind the other, as blocks. Pure.
#pragma once

#include "abi.h"

namespace muster::mpi {

// Blocks that touch become one.
inline void append(std::vector<Block>& blocks, std::ptrdiff_t first, std::size_t bytes) {
  if (!blocks.empty() && blocks.back().first + static_cast<std::ptrdiff_t>(blocks.back().bytes) == first)
    blocks.back().bytes += bytes;
  else
    blocks.push_back({first, bytes});
}

// `count` elements, the first one `at` bytes from the address.
inline void append(std::vector<Block>& blocks, const Layout& element, std::ptrdiff_t at, std::ptrdiff_t count) {
  const bool touch = count > 0 && element.blocks.size() == 1 &&
                     static_cast<std::ptrdiff_t>(element.blocks[0].bytes) == element.extent;
  if (touch)  // such as a billion bytes
    return append(blocks, at + element.blocks[0].first, element.blocks[0].bytes * static_cast<std::size_t>(count));
  for (std::ptrdiff_t i = 0; i < count; ++i)
    for (const Block& block : element.blocks) append(blocks, at + i * element.extent + block.first, block.bytes);
}

}  // namespace muster::mpi
