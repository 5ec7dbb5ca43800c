// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves in a plan: single copies, and those that spreads stand for.
#include <algorithm>
#include <iterator>
#include <span>

#include "muster/cap/planner.h"

namespace muster::cap {

bool Spread::reaches(MemoryId memory) const { return memory != from && to.contains(memory); }

std::int64_t Spread::copies() const { return static_cast<std::int64_t>(to.size()) - (to.contains(from) ? 1 : 0); }

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
  std::vector<MemoryId> targets;  // that are asked for, of the spread before
  const Spread* before = nullptr;
  for (const Spread& spread : spreads) {
    if (before == nullptr || spread.to != before->to) {
      targets.clear();
      std::copy_if(spread.to.begin(), spread.to.end(), std::back_inserter(targets), asked);
    }
    before = &spread;
    const std::span<const MemoryId> all(spread.to);
    for (const MemoryId to : asked(spread.from) ? all : targets) {
      if (to != spread.from) found.push_back({spread.array, spread.elemSize, spread.elements, spread.from, to});
    }
  }
  return found;
}

}  // namespace muster::cap
