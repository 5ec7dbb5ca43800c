// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/arrays/buffers_in_flight.h"

#include <algorithm>
#include <utility>

namespace muster::rt {

std::uint64_t BuffersInFlight::begin(Buffer buffer) {
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t number = ++last;
  const std::lock_guard lock(mutex_);
  atAlias_ += buffer.atAlias ? 1 : 0;
  buffers_.emplace(number, std::move(buffer));
  return number;
}

void BuffersInFlight::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(number);
  if (found == buffers_.end()) return;
  atAlias_ -= found->second.atAlias ? 1 : 0;
  buffers_.erase(found);
}

bool BuffersInFlight::empty() const {
  const std::lock_guard lock(mutex_);
  return buffers_.empty();
}

std::optional<BuffersInFlight::Clash> BuffersInFlight::clashOf(const cap::LaunchSpec& spec) const {
  const std::lock_guard lock(mutex_);
  if (buffers_.empty() || spec.space.dims.empty()) return {};
  for (const cap::Access& access : spec.accesses) {
    const cap::ArrayUse& use = spec.arrays[access.array];
    if (use.absent) continue;
    std::optional<cap::AccessRegion> region;  // asked for once it matters
    for (const auto& [number, buffer] : buffers_) {
      if (buffer.array != use.array || (!buffer.fills && access.mode == cap::AccessMode::read)) continue;
      if (!region) region = regionOf(access, spec.space, 0, spec.space.dims.front().count, use.offset, use.count);
      if (!region->exact) break;
      const cap::IntervalSet common = region->elements.intersect(buffer.elements);
      if (!common.empty()) return Clash{access, common.hull().lo, buffer};
    }
  }
  return {};
}

std::optional<BuffersInFlight::Buffer> BuffersInFlight::lostBy(const cap::Plan& plan,
                                                               std::span<const cap::ArrayUse> arrays) const {
  if (atAlias_ == 0) return {};
  const std::lock_guard lock(mutex_);
  const auto isHeld = [&](const cap::Chunk& chunk, const Buffer& buffer) {
    if (chunk.memory == cap::hostMemory) return false;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].array == buffer.array && chunk.writes[i].overlaps(buffer.elements)) return true;
    return false;
  };
  const auto isMerged = [](const cap::Merge& merge, const Buffer& buffer) {
    return merge.array == buffer.array && std::ranges::any_of(merge.parts, [&](const cap::Merge::Part& part) {
             return part.elements.overlaps(buffer.elements);
           });
  };
  for (const auto& [number, buffer] : buffers_) {
    if (!buffer.atAlias) continue;
    if (std::ranges::any_of(plan.chunks, [&](const cap::Chunk& chunk) { return isHeld(chunk, buffer); }) ||
        std::ranges::any_of(plan.merges, [&](const cap::Merge& merge) { return isMerged(merge, buffer); }))
      return buffer;
  }
  return {};
}

void BuffersInFlight::keepOffAlias(std::uint32_t array) {
  const std::lock_guard lock(mutex_);
  offAlias_.insert(array);
}

bool BuffersInFlight::mayFillAlias(std::uint32_t array) const {
  const std::lock_guard lock(mutex_);
  return !offAlias_.contains(array);
}

}  // namespace muster::rt
