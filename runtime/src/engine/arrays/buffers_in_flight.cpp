// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/arrays/buffers_in_flight.h"

#include <atomic>
#include <utility>

namespace muster::rt {

std::uint64_t BuffersInFlight::begin(Buffer buffer) {
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t number = ++last;
  const std::lock_guard lock(mutex_);
  buffers_.emplace(number, std::move(buffer));
  return number;
}

void BuffersInFlight::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  buffers_.erase(number);
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

}  // namespace muster::rt
