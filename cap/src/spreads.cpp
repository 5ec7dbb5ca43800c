// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves in a plan: single copies, and those that spreads stand for.
#include <algorithm>

#include "muster/cap/planner.h"

namespace muster::cap {

bool Spread::reaches(MemoryId memory) const {
  return memory != from && std::binary_search(to->begin(), to->end(), memory);
}

std::int64_t Spread::copies() const {
  return static_cast<std::int64_t>(to->size()) - (std::binary_search(to->begin(), to->end(), from) ? 1 : 0);
}

std::int64_t Plan::bytesMoved() const {
  std::int64_t bytes = 0;
  for (const Copy& copy : copies) bytes += copy.bytes();
  for (const Spread& spread : spreads) bytes += spread.bytes();
  return bytes;
}

std::vector<Copy> Plan::copiesOf(const std::function<bool(MemoryId)>& asked) const {
  std::vector<Copy> found;
  for (const Copy& copy : copies) {
    if (asked(copy.from) || asked(copy.to)) found.push_back(copy);
  }
  const MemorySet* known = nullptr;
  MemorySet targets;  // among *known
  for (const Spread& spread : spreads) {
    if (spread.to.get() != known) {
      known = spread.to.get();
      targets.clear();
      std::copy_if(known->begin(), known->end(), std::back_inserter(targets), asked);
    }
    for (const MemoryId to : asked(spread.from) ? *known : targets) {
      if (to != spread.from) found.push_back({spread.array, spread.elemSize, spread.elements, spread.from, to});
    }
  }
  return found;
}

}  // namespace muster::cap
