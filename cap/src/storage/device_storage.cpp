// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of arrays in a device's memory.
#include "storage/device_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "muster/cdm/host_allocation.h"

namespace muster::cap {
namespace {

std::size_t bytesOf(const Interval& elements, const ArrayInfo& array) {
  return static_cast<std::size_t>(elements.size()) * array.elemSize;
}

std::size_t offsetIn(const Interval& window, std::int64_t element, const ArrayInfo& array) {
  return static_cast<std::size_t>(element - window.lo) * array.elemSize;
}

// From an element on before which there are whole lines of memory: in a buffer, too, elements lie where wide accesses
// are aligned, as they do in the whole array. Large elements have no wide accesses.
Interval aligned(const Interval& elements, const ArrayInfo& array) {
  constexpr std::size_t line = 128, largest = 32 * line;
  const std::size_t together = std::lcm(line, std::size_t{array.elemSize});
  if (together > largest) return elements;
  const auto step = static_cast<std::int64_t>(together / array.elemSize);
  return {elements.lo / step * step, elements.hi};
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

struct DeviceStorage::Rescue {
  IntervalSet pieces;
  cdm::PinnedMemory memory;  // the pieces one after the other
};

const Window* DeviceStorage::find(std::uint32_t array) const {
  const auto found = windows_.find(array);
  return found == windows_.end() ? nullptr : &found->second;
}

Status DeviceStorage::ensure(const ArrayInfo& array, const Interval& wanted, const IntervalSet& held, Growth growth) {
  if (wanted.empty()) return {};
  const auto found = windows_.find(array.id);
  if (found != windows_.end() && found->second.elements.contains(wanted)) return {};
  Window window = found == windows_.end() ? Window{} : found->second;
  if (device_.info().hostAddressable) {
    MUSTER_TRY(place(window, array));
  } else {
    const IntervalSet kept = held.intersect(window.elements);
    Interval needed = wanted.hull(kept.hull());
    const Interval roomy = aligned(needed, array);
    const bool slides = bytesOf(needed, array) <= window.bytes;
    if (slides ? bytesOf(roomy, array) <= window.bytes : fits(roomy, array)) needed = roomy;
    if (slides) {
      MUSTER_TRY(slide(window, array, needed, kept));
    } else {
      MUSTER_TRY(grow(window, array, needed, kept, growth));
    }
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

// The window moves within its buffer.
Status DeviceStorage::slide(Window& window, const ArrayInfo& array, const Interval& needed, const IntervalSet& kept) {
  const Interval before = std::exchange(window.elements, needed);
  if (kept.empty() || needed.lo == before.lo) return {};
  const Interval hull = kept.hull();
  const Interval from{hull.lo - before.lo, hull.hi - before.lo}, to{hull.lo - needed.lo, hull.hi - needed.lo};
  const Window old{window.buffer, before, window.bytes, window.grown};
  if (from.intersect(to).empty()) return copyPieces(old, window.buffer, needed, array, kept);
  // A device does not copy between ranges that overlap.
  const Result<Rescue> rescued = rescue(old, array, kept);
  return rescued.ok() ? putBack(*rescued, window, array) : rescued.status();
}

Status DeviceStorage::grow(Window& window, const ArrayInfo& array, const Interval& needed, const IntervalSet& kept,
                           Growth growth) {
  if (window.buffer == 0) return replace(window, array, needed, kept, growth);
  if (window.grown && !kept.empty()) {
    const Interval roomy = aligned(withRoom(kept.hull(), needed, array.count), array);
    const Status status = replace(window, array, roomy, kept, Growth::onDevice);
    if (status.code() != Errc::outOfMemory) return status;
  }
  window.grown = true;
  return replace(window, array, needed, kept, growth);
}

// Gives the window a buffer for `elements`.
Status DeviceStorage::replace(Window& window, const ArrayInfo& array, const Interval& elements, const IntervalSet& kept,
                              Growth growth) {
  const Result<cdm::BufferId> buffer = allocate(array, elements);
  if (!buffer.ok()) {
    const bool retry = buffer.status().code() == Errc::outOfMemory && growth == Growth::throughHost;
    return retry && window.buffer != 0 ? replaceThroughHost(window, array, elements, kept) : buffer.status();
  }
  if (window.buffer != 0) {
    MUSTER_TRY(copyPieces(window, *buffer, elements, array, kept));
    MUSTER_TRY(discard(window));
  }
  window.buffer = *buffer;
  window.elements = elements;
  window.bytes = bytesOf(elements, array);
  return {};
}

Status DeviceStorage::replaceThroughHost(Window& window, const ArrayInfo& array, const Interval& elements,
                                         const IntervalSet& kept) {
  const Result<Rescue> rescued = rescue(window, array, kept);
  if (!rescued.ok()) return rescued.status();
  MUSTER_TRY(discard(window));
  window.buffer = 0;
  MUSTER_TRY(replace(window, array, elements, {}, Growth::onDevice));
  return putBack(*rescued, window, array);
}

bool DeviceStorage::fits(const Interval& elements, const ArrayInfo& array) const {
  return limit_ == 0 || used_ + bytesOf(elements, array) <= limit_;
}

Result<cdm::BufferId> DeviceStorage::allocate(const ArrayInfo& array, const Interval& elements) {
  const std::uint64_t bytes = bytesOf(elements, array);
  const auto refuse = [&](const std::string& why) {
    return Status(Errc::outOfMemory,
                  fmt::format("no memory for array {}: {} bytes are needed for its elements [{}, {}) of {}, arrays use "
                              "{} bytes already ({}). Use more devices or ranks, leave this device out with "
                              "MUSTER_DEVICES, or make the arrays smaller; where other programs use the device too, "
                              "MUSTER_LIMIT_MEM tells how much is left for this one",
                              array.name, bytes, elements.lo, elements.hi, array.count, used_, why));
  };
  if (!fits(elements, array)) return refuse(fmt::format("they may use {}", limit_));
  Result<cdm::BufferId> buffer = device_.allocate(bytes);
  if (buffer.ok()) {
    used_ += bytes;
  } else if (buffer.status().code() == Errc::outOfMemory) {
    return refuse(buffer.status().message());
  }
  return buffer;
}

// Gives the window's buffer back, once everything that was queued has used it.
Status DeviceStorage::discard(Window& window) {
  MUSTER_TRY(device_.finish());
  MUSTER_TRY(device_.release(window.buffer));
  used_ -= window.bytes;
  return {};
}

Status DeviceStorage::copyPieces(const Window& from, cdm::BufferId to, const Interval& toWindow, const ArrayInfo& array,
                                 const IntervalSet& pieces) {
  for (const Interval& piece : pieces) {
    const auto copied = device_.copy(from.buffer, offsetIn(from.elements, piece.lo, array), to,
                                     offsetIn(toWindow, piece.lo, array), bytesOf(piece, array));
    if (!copied.ok()) return copied.status();
  }
  return {};
}

Result<DeviceStorage::Rescue> DeviceStorage::rescue(const Window& from, const ArrayInfo& array,
                                                    const IntervalSet& pieces) {
  Rescue rescued{pieces, nullptr};
  const std::size_t bytes = static_cast<std::size_t>(pieces.size()) * array.elemSize;
  auto memory = cdm::allocateHost(std::max<std::size_t>(1, bytes), "an array's part while its buffer grows");
  if (!memory.ok()) return memory.status();
  rescued.memory = std::move(*memory);
  std::byte* to = rescued.memory.get();
  for (const Interval& piece : pieces) {
    const auto read = device_.read(from.buffer, offsetIn(from.elements, piece.lo, array), to, bytesOf(piece, array));
    if (!read.ok()) return read.status();
    to += bytesOf(piece, array);
  }
  MUSTER_TRY(device_.finish());
  return rescued;
}

Status DeviceStorage::putBack(const Rescue& rescued, const Window& to, const ArrayInfo& array) {
  const std::byte* from = rescued.memory.get();
  for (const Interval& piece : rescued.pieces) {
    const auto written = device_.write(to.buffer, offsetIn(to.elements, piece.lo, array), from, bytesOf(piece, array));
    if (!written.ok()) return written.status();
    from += bytesOf(piece, array);
  }
  return device_.finish();
}

Status DeviceStorage::reclaim(const std::function<Need(std::uint32_t array)>& needOf) {
  std::vector<std::uint32_t> unused;
  for (auto& [id, window] : windows_) {
    const Need need = needOf(id);
    const IntervalSet kept = need.held.intersect(window.elements);
    const Interval needed = need.wanted.hull(kept.hull());
    if (needed.empty()) {
      unused.push_back(id);
    } else if (bytesOf(needed, *need.array) < window.bytes) {
      MUSTER_TRY(replace(window, *need.array, needed, kept, Growth::throughHost));
      window.grown = false;
    }
  }
  for (const std::uint32_t id : unused) MUSTER_TRY(release(id));
  return {};
}

Status DeviceStorage::release(std::uint32_t array) {
  const auto found = windows_.find(array);
  if (found == windows_.end()) return {};
  MUSTER_TRY(discard(found->second));
  windows_.erase(found);
  return {};
}

}  // namespace muster::cap
