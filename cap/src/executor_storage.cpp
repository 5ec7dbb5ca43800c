// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of arrays in a device's memory.
#include "executor_storage.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cap {
namespace {

std::size_t bytesOf(const Interval& elements, const ArrayInfo& array) {
  return static_cast<std::size_t>(elements.size()) * array.elemSize;
}

std::size_t offsetIn(const Interval& window, std::int64_t element, const ArrayInfo& array) {
  return static_cast<std::size_t>(element - window.lo) * array.elemSize;
}

// Half of what is needed as spare room on the side to which the window grew.
Interval withRoom(const Interval& before, const Interval& needed, std::int64_t count) {
  const std::int64_t room = needed.size() / 2;
  Interval roomy = needed;
  if (needed.lo < before.lo) roomy.lo = std::max<std::int64_t>(0, needed.lo - room);
  if (needed.hi > before.hi) roomy.hi = std::min(count, needed.hi + room);
  return roomy;
}

}  // namespace

const Window* DeviceStorage::find(std::uint32_t array) const {
  const auto found = windows_.find(array);
  return found == windows_.end() ? nullptr : &found->second;
}

Status DeviceStorage::ensure(const ArrayInfo& array, const Interval& wanted, const IntervalSet& held) {
  if (wanted.empty()) return {};
  const auto found = windows_.find(array.id);
  if (found != windows_.end() && found->second.elements.contains(wanted)) return {};
  Window window = found == windows_.end() ? Window{} : found->second;
  if (device_.info().hostAddressable) {
    MUSTER_TRY(place(window, array));
  } else {
    MUSTER_TRY(grow(window, array, wanted, held));
  }
  windows_[array.id] = window;
  return {};
}

Status DeviceStorage::place(Window& window, const ArrayInfo& array) {
  window.elements = {0, array.count};
  const std::size_t bytes = bytesOf(window.elements, array);
  Result<cdm::BufferId> buffer = inPlace_ ? device_.wrap(array.host, bytes) : device_.allocate(bytes);
  if (!buffer.ok()) return buffer.status().at("array " + array.name);
  window.buffer = *buffer;
  return {};
}

Status DeviceStorage::grow(Window& window, const ArrayInfo& array, const Interval& wanted, const IntervalSet& held) {
  const Interval kept = held.intersect(window.elements).hull();
  const Interval needed = kept.empty() ? wanted : wanted.hull(kept);
  Interval elements = window.grown && !kept.empty() ? withRoom(kept, needed, array.count) : needed;
  Result<cdm::BufferId> buffer = allocate(array, elements);
  if (!buffer.ok() && buffer.status().code() == Errc::outOfMemory && elements != needed) {
    elements = needed;
    buffer = allocate(array, elements);
  }
  if (!buffer.ok()) return buffer.status();
  if (window.buffer != 0) {
    MUSTER_TRY(copyHeld(window, *buffer, elements, array, held));
    MUSTER_TRY(device_.finish());
    MUSTER_TRY(device_.release(window.buffer));
    used_ -= sizes_[array.id];
    window.grown = true;
  }
  sizes_[array.id] = bytesOf(elements, array);
  window.buffer = *buffer;
  window.elements = elements;
  return {};
}

Result<cdm::BufferId> DeviceStorage::allocate(const ArrayInfo& array, const Interval& elements) {
  const std::uint64_t bytes = bytesOf(elements, array);
  const auto refuse = [&](const std::string& why) {
    return Status(Errc::outOfMemory,
                  fmt::format("no memory for array {}: {} bytes are needed for its elements [{}, {}) of {}, arrays use "
                              "{} bytes already ({}). Use more devices or ranks, leave this device out with "
                              "MUSTER_DEVICES, or make the arrays smaller",
                              array.name, bytes, elements.lo, elements.hi, array.count, used_, why));
  };
  if (limit_ != 0 && used_ + bytes > limit_) return refuse(fmt::format("MUSTER_LIMIT_MEM allows {}", limit_));
  Result<cdm::BufferId> buffer = device_.allocate(bytes);
  if (buffer.ok()) {
    used_ += bytes;
  } else if (buffer.status().code() == Errc::outOfMemory) {
    return refuse(buffer.status().message());
  }
  return buffer;
}

Status DeviceStorage::copyHeld(const Window& from, cdm::BufferId to, const Interval& toWindow, const ArrayInfo& array,
                               const IntervalSet& held) {
  for (const Interval& piece : held.intersect(from.elements)) {
    const auto copied = device_.copy(from.buffer, offsetIn(from.elements, piece.lo, array), to,
                                     offsetIn(toWindow, piece.lo, array), bytesOf(piece, array));
    if (!copied.ok()) return copied.status();
  }
  return {};
}

Status DeviceStorage::release(std::uint32_t array) {
  const auto found = windows_.find(array);
  if (found == windows_.end()) return {};
  MUSTER_TRY(device_.finish());
  MUSTER_TRY(device_.release(found->second.buffer));
  windows_.erase(found);
  if (const auto size = sizes_.find(array); size != sizes_.end()) {
    used_ -= size->second;
    sizes_.erase(size);
  }
  return {};
}

}  // namespace muster::cap
