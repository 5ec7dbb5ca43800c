// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of memories with one more or less.
#include "muster/cap/memory_set.h"

#include "muster/cap/small_vector.h"

namespace muster::cap {

MemorySet MemorySet::with(std::span<const MemoryId> more) const {
  if (contains(more)) return *this;
  SmallVector<MemoryId, 8> all;
  all.reserve(size() + more.size());
  std::set_union(begin(), end(), more.begin(), more.end(), std::back_inserter(all));
  return {all.begin(), std::unique(all.begin(), all.end())};
}

MemorySet MemorySet::without(MemoryId memory) const {
  if (!contains(memory)) return *this;
  SmallVector<MemoryId, 8> left;
  left.reserve(size());
  std::remove_copy(begin(), end(), std::back_inserter(left), memory);
  return {left.begin(), left.end()};
}

}  // namespace muster::cap
