// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "storage/host_pins.h"

#include <iterator>
#include <span>
#include <utility>

namespace muster::cap {

void HostPins::noteCopy(cdm::ComputeDevice& device, const ArrayInfo& array, std::byte* part, std::size_t bytes) {
  constexpr std::size_t kMostParts = 4096;  // programs may copy other parts each time
  if (bytes < leastBytes) return;
  const Key key{array.id, &device, part};
  const auto found = parts_.find(key);
  if (found == parts_.end()) {
    if (parts_.size() < kMostParts) parts_.emplace(key, Part{bytes, 1, nullptr});
    return;
  }
  Part& known = found->second;
  if (known.pinned != nullptr) return;
  if (known.bytes != bytes) known = {bytes, 0, nullptr};
  if (known.copies > copiesBefore) return;
  if (++known.copies <= copiesBefore || bytes > mostBytes_ - locked_ || overlapsLocked(key, bytes)) return;
  if (array.pages.keep) array.pages.keep();
  // An error only means that copies go on as they did.
  if (auto pinned = device.pin(std::span(part, bytes)); pinned.ok()) {
    known.pinned = std::move(*pinned);
    locked_ += bytes;
  }
}

// Drivers need not lock memory twice.
bool HostPins::overlapsLocked(const Key& key, std::size_t bytes) const {
  const auto isOf = [&](const auto& entry) {
    return entry.first.array == key.array && entry.first.device == key.device;
  };
  const auto after = parts_.upper_bound(key);
  for (auto at = after; at != parts_.end() && isOf(*at) && at->first.part < key.part + bytes; ++at)
    if (at->second.pinned != nullptr) return true;
  for (auto at = parts_.find(key); at != parts_.begin() && isOf(*std::prev(at));) {
    --at;
    if (at->second.pinned != nullptr) return at->first.part + at->second.bytes > key.part;
  }
  return false;
}

void HostPins::forget(std::uint32_t array) {
  const auto first = parts_.lower_bound({array, nullptr, nullptr});
  auto end = first;
  for (; end != parts_.end() && end->first.array == array; ++end)
    if (end->second.pinned != nullptr) locked_ -= end->second.bytes;
  parts_.erase(first, end);
}

}  // namespace muster::cap
