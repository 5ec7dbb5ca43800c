// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A log stays short because an access makes older ones superfluous: whoever conflicts with those conflicts with it
// too, and it comes after them.
#include "stream/hazards.h"

#include <algorithm>

namespace muster::cdm {

void AccessLog::conflicts(const ByteRange& range, bool write, Clock& after) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const Access& access = accesses_[i];
    if (!(write || access.write) || !range.overlaps(access.range)) continue;
    std::uint64_t& newest = after[static_cast<std::size_t>(access.lane)];
    newest = std::max(newest, access.number);
  }
}

void AccessLog::add(const ByteRange& range, bool write, Lane lane, std::uint64_t number, const Clock& completed) {
  if (range.empty()) return;
  const auto superfluous = [&](const Access& access) {
    if (access.number <= completed[static_cast<std::size_t>(access.lane)]) return true;
    // A read is in order with older reads of its own lane only.
    return range.contains(access.range) && (write || (!access.write && access.lane == lane));
  };
  Access* const begin = accesses_.data();
  size_ = static_cast<std::size_t>(std::remove_if(begin, begin + size_, superfluous) - begin);
  if (size_ == capacity) coarsen();
  accesses_[size_++] = {range, number, lane, write};
}

// One access per lane: the hull of them all, as new as the newest.
void AccessLog::coarsen() {
  std::array<Access, lanes> merged;
  for (std::size_t i = 0; i < size_; ++i) {
    const Access& access = accesses_[i];
    Access& into = merged[static_cast<std::size_t>(access.lane)];
    if (into.number == 0) {
      into = access;
      continue;
    }
    into.range = {std::min(into.range.begin, access.range.begin), std::max(into.range.end, access.range.end)};
    into.number = std::max(into.number, access.number);
    into.write |= access.write;
  }
  size_ = 0;
  for (const Access& access : merged)
    if (access.number != 0) accesses_[size_++] = access;
}

}  // namespace muster::cdm
