// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the bytes of a message come from and go to on one rank. Memory that the CPU can address is sent and received in
// place; what a device holds goes through staging, which is kept.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "executor/executor_impl.h"
#include "muster/cdm/host_allocation.h"
#include "muster/cdm/parts.h"

namespace muster::cap {
namespace {

// What is kept for later messages.
constexpr std::size_t kFreeStagingBuffers = 256, kFreeStagingBytes = std::size_t{256} << 20;
// Larger messages are rare, and locking their memory would take longer than a copy.
constexpr std::size_t kLargestPinned = std::size_t{16} << 20;
// Fewer bytes are moved sooner than anybody can say whether they were ever touched.
constexpr std::int64_t kLeastUntouched = std::int64_t{64} << 10;

std::size_t bytesOf(const Copy& copy) { return static_cast<std::size_t>(copy.bytes()); }

// In a device's memory as in the array, and with this pitch in host memory.
cdm::Rows rowsOf(const CopyRun& run, std::size_t hostPitch) {
  return {bytesOf(run.first()), run.copies.size(), static_cast<std::size_t>(run.stride) * run.first().elemSize,
          hostPitch};
}

}  // namespace

Result<Executor::Impl::Location> Executor::Impl::locate(std::uint32_t array, MemoryId memory,
                                                        const Interval& elements) {
  const ArrayInfo& info = record(array).info;
  if (memory == hostMemory)
    return Location{nullptr, 0, 0, info.host + static_cast<std::size_t>(elements.lo) * info.elemSize};
  DeviceStorage& storage = *storageOf(memory);
  const Window* window = storage.find(array);
  if (window == nullptr || !window->elements.contains(elements))
    panic(fmt::format("{}: elements [{}, {}) of array {} are not in its window", where(storage.device()), elements.lo,
                      elements.hi, info.name));
  Location location{&storage.device(), window->buffer,
                    static_cast<std::size_t>(elements.lo - window->elements.lo) * info.elemSize, nullptr};
  if (void* base = storage.device().address(window->buffer); base != nullptr)
    location.address = static_cast<std::byte*>(base) + location.offset;
  return location;
}

Result<Executor::Impl::Location> Executor::Impl::locateTarget(const Copy& copy, const Interval& elements) {
  const auto share = shares_.find({copy.from, copy.to});
  if (share == shares_.end()) return locate(copy.array, copy.to, elements);
  const auto offset = static_cast<std::size_t>(elements.lo - share->second.hull().lo) * copy.elemSize;
  return Location{&storageOf(copy.to)->device(), share->second.values.buffer, offset, nullptr};
}

// A message that is one copy from (to) addressable memory needs no staging.
Result<bool> Executor::Impl::useDirectly(Passage& passage, MemoryId memory) {
  if (passage.message->copies.size() != 1) return false;
  const Copy& copy = *passage.message->copies.front();
  const auto location =
      memory == copy.to ? locateTarget(copy, copy.elements) : locate(copy.array, memory, copy.elements);
  if (!location.ok()) return location.status();
  if (location->address == nullptr) return false;
  passage.bytes = {location->address, passage.message->bytes};
  return true;
}

Result<Executor::Impl::Staging> Executor::Impl::takeStaging(std::size_t bytes, MemoryId memory, bool inDevice) {
  DeviceStorage* const storage = storageOf(memory);
  cdm::ComputeDevice* const device =
      storage == nullptr || (bytes > kLargestPinned && !inDevice) ? nullptr : &storage->device();
  for (auto it = freeStaging_.begin(); it != freeStaging_.end(); ++it) {
    if (it->device != device || it->inDevice != inDevice || it->size < bytes || it->size > 4 * bytes + 65536) continue;
    Staging staging = std::move(*it);
    freeStaging_.erase(it);
    freeStagingBytes_ -= staging.size;
    return staging;
  }
  const std::size_t size = bytes <= kLargestPinned ? std::bit_ceil(bytes) : bytes;
  auto taken = device == nullptr ? cdm::allocateHost(size, "a message")
               : inDevice        ? device->messageMemory(size)
                                 : device->pinnedMemory(size);
  if (!taken.ok()) return taken.status().at(here());
  return Staging{std::move(*taken), size, device, inDevice};
}

void Executor::Impl::keepStaging(Staging staging) {
  if (staging.size > kFreeStagingBytes) return;
  freeStagingBytes_ += staging.size;
  freeStaging_.push_back(std::move(staging));
  while (freeStaging_.size() > kFreeStagingBuffers || freeStagingBytes_ > kFreeStagingBytes) {
    freeStagingBytes_ -= freeStaging_.front().size;
    freeStaging_.erase(freeStaging_.begin());
  }
}

void Executor::Impl::dropStagingOf(const cdm::ComputeDevice& device) {
  std::erase_if(freeStaging_, [&](const Staging& staging) {
    const bool goes = staging.inDevice && staging.device == &device;
    if (goes) freeStagingBytes_ -= staging.size;
    return goes;
  });
}

Status Executor::Impl::retireWrites(std::size_t most, std::size_t mostWrites) {
  while (stagedWriteBytes_ > most || stagedWrites_.size() > mostWrites) {
    StagedWrite& write = stagedWrites_.front();
    MUSTER_TRY(write.device->wait(write.event).at(where(*write.device)));
    stagedWriteBytes_ -= write.bytes();
    if (write.memory.memory != nullptr) keepStaging(std::move(write.memory));
    stagedWrites_.pop_front();
  }
  return {};
}

bool Executor::Impl::isLoan(const Message& message, int peer) const {
  return roomsFor(message) != nullptr || transport_.loanLimits(peer).allow(message.bytes);
}

Result<bool> Executor::Impl::takeRoom(Passage& passage) {
  const Message& message = *passage.message;
  Result<cdm::Loan> loan = transport_.takeRoom(rankOf(message.to), loanBytes(message));
  if (!loan.ok()) return loan.status();
  if (loan->held == nullptr) return false;
  passage.loan = std::move(*loan);
  useLoan(passage, passage.message->from);
  return true;
}

// A bare room is one of the devices'.
void Executor::Impl::useLoan(Passage& passage, MemoryId ofThisRank) {
  const Message& message = *passage.message;
  cdm::Loan& loan = passage.loan;
  passage.rooms = roomsFor(message);
  passage.bytes = loan.bytes;
  if (passage.rooms == nullptr) return pin(loan, ofThisRank);
  loan.room = passage.rooms->roomBytes;
  passage.bytes = {passage.rooms->memory.get() + loan.number * loan.room, message.bytes};
}

std::size_t Executor::Impl::loanBytes(const Message& message) const {
  return roomsFor(message) != nullptr ? 0 : message.bytes;
}

// A single element may be more than a room, and so may be what is packed for want of numbers.
const cdm::DeviceRooms* Executor::Impl::roomsFor(const Message& message) const {
  const cdm::DeviceRooms* const rooms = links_.between(message.from, message.to);
  return rooms != nullptr && message.bytes <= rooms->roomBytes ? rooms : nullptr;
}

std::size_t Executor::Impl::largestMessage(MemoryId from, MemoryId to) const {
  if (rankOf(from) == rankOf(to) && (from == hostMemory || to == hostMemory || links_.isDirect(from, to)))
    return std::numeric_limits<std::size_t>::max();
  const cdm::DeviceRooms* const rooms = links_.between(from, to);
  return rooms != nullptr ? rooms->roomBytes : options_.pipeline.messageBytes;
}

void Executor::Impl::pin(const cdm::Loan& loan, MemoryId memory) {
  DeviceStorage* const storage = storageOf(memory);
  if (storage == nullptr || loan.segment.empty()) return;
  cdm::ComputeDevice& device = storage->device();
  const auto [entry, fresh] = pinned_.try_emplace({&device, loan.segment.data()});
  if (!fresh) return;
  auto pinned = device.pin(loan.segment);
  if (pinned.ok()) {
    entry->second = std::move(*pinned);
  } else {
    options_.warn(where(device) + " copies messages once more: " + pinned.status().message());
  }
}

Status Executor::Impl::stage(Passage& passage, MemoryId memory) {
  const Message& message = *passage.message;
  const bool inDevice = rankOf(message.from) != rankOf(message.to) && message.bytes <= kLargestPinned &&
                        links_.isCarried(message.from, message.to, message.bytes);
  auto staging = takeStaging(message.bytes, memory, inDevice);
  // What the other end does is its own business.
  if (inDevice && staging.status().code() == Errc::outOfMemory) staging = takeStaging(message.bytes, memory, false);
  if (!staging.ok()) return staging.status();
  passage.staging = std::move(*staging);
  passage.bytes = {passage.staging.get(), passage.message->bytes};
  return {};
}

Executor::Impl::CopyParts Executor::Impl::partsOf(const Copy& copy) {
  CopyParts parts;
  std::int64_t at = copy.elements.lo;
  const ArrayInfo& info = record(copy.array).info;
  if (copy.from == hostMemory && copy.bytes() >= kLeastUntouched && info.pages.untouched) {
    const std::int64_t size = info.elemSize;
    for (const Interval& bytes :
         info.pages.untouched({copy.elements.lo * size, copy.elements.hi * size}, kLeastUntouched)) {
      const Interval zeros{(bytes.lo + size - 1) / size, bytes.hi / size};  // whole elements
      if (zeros.empty()) continue;
      if (at < zeros.lo) parts.push_back({{at, zeros.lo}, false});
      parts.push_back({zeros, true});
      at = zeros.hi;
    }
  }
  if (at < copy.elements.hi) parts.push_back({{at, copy.elements.hi}, false});
  return parts;
}

bool Executor::Impl::hasUntouched(const Message& message) {
  if (message.copies.size() != 1) return false;
  const CopyParts parts = partsOf(*message.copies.front());
  return std::any_of(parts.begin(), parts.end(), [](const CopyPart& part) { return part.zero; });
}

// Starts to bring a message's bytes together; reads of devices are under way afterwards.
Status Executor::Impl::gather(Passage& passage) {
  std::byte* to = passage.bytes.data();
  for (std::span<const Copy* const> left = passage.message->copies; !left.empty();) {
    const CopyRun run = firstRun(left, kLeastUntouched);
    const auto from = locate(run.first().array, run.first().from, run.hull());
    if (!from.ok()) return from.status();
    const cdm::Rows rows = rowsOf(run, bytesOf(run.first()));
    if (from->address == nullptr) {
      const std::int64_t beganNs = trace_.nowDetailed();
      const auto event = from->device->readRows(from->buffer, from->offset, to, rows);
      if (!event.ok()) return event.status().at(where(*from->device));
      trace_.transfer(*from->device, TraceEvent::Kind::deviceRead, run, beganNs, *event);
      passage.reads.emplace_back(from->device, *event);
    } else if (rows.count > 1) {
      cdm::copyRows(to, rows.hostPitch, from->address, rows.pitch, rows.bytes, rows.count);
    } else {
      gatherTouched(run.first(), from->address, to);
    }
    to += run.bytes();
    left = left.subspan(run.copies.size());
  }
  return {};
}

void Executor::Impl::gatherTouched(const Copy& copy, const std::byte* from, std::byte* to) {
  for (const CopyPart& part : partsOf(copy)) {
    const auto offset = static_cast<std::size_t>(part.elements.lo - copy.elements.lo) * copy.elemSize;
    const auto bytes = static_cast<std::size_t>(part.elements.size()) * copy.elemSize;
    if (part.zero) {
      std::memset(to + offset, 0, bytes);
    } else {
      std::memcpy(to + offset, from + offset, bytes);
    }
  }
}

Status Executor::Impl::scatter(Passage& passage) {
  const std::byte* from = passage.bytes.data();
  cdm::ComputeDevice* device = nullptr;
  cdm::Event last = 0;
  for (std::span<const Copy* const> left = passage.message->copies; !left.empty();) {
    const CopyRun run = firstRun(left, kLeastUntouched);
    const auto to = locateTarget(run.first(), run.hull());
    if (!to.ok()) return to.status();
    const cdm::Rows rows = rowsOf(run, bytesOf(run.first()));
    if (to->address != nullptr) {
      cdm::copyRows(to->address, rows.pitch, from, rows.hostPitch, rows.bytes, rows.count);
    } else {
      const std::int64_t beganNs = trace_.nowDetailed();
      const auto event = to->device->writeRows(to->buffer, to->offset, from, rows);
      if (!event.ok()) return event.status().at(where(*to->device));
      trace_.transfer(*to->device, TraceEvent::Kind::deviceWrite, run, beganNs, *event);
      device = to->device;
      last = *event;
    }
    from += run.bytes();
    left = left.subspan(run.copies.size());
  }
  // A device's writes are done in order: once the last one is, the others are.
  if (device != nullptr) {
    stagedWrites_.push_back({device, last, std::move(passage.staging), std::move(passage.loan)});
    stagedWriteBytes_ += stagedWrites_.back().bytes();
  } else if (passage.staging.memory != nullptr) {
    keepStaging(std::move(passage.staging));
  }
  return {};
}

Status Executor::Impl::waitFor(const Operations& reads) {
  for (const auto& [device, event] : reads) MUSTER_TRY(device->wait(event).at(where(*device)));
  return {};
}

// A message between two memories of this rank, of which the CPU can address one, or one reaches the other.
Status Executor::Impl::copyHere(const Message& message, Transfer& transfer) {
  for (std::span<const Copy* const> left = message.copies; !left.empty();) {
    const CopyRun run = firstRun(left, kLeastUntouched);
    if (run.copies.size() > 1) {
      MUSTER_TRY(copyHere(run, false, transfer));
    } else {
      Copy piece = run.first();
      const Copy* const only = &piece;
      for (const CopyPart& part : partsOf(run.first())) {
        piece.elements = part.elements;
        MUSTER_TRY(copyHere(CopyRun{{&only, 1}}, part.zero, transfer));
      }
    }
    left = left.subspan(run.copies.size());
  }
  return {};
}

// `zero`: the elements of a single copy are, so that the target needs no source.
Status Executor::Impl::copyHere(const CopyRun& run, bool zero, Transfer& transfer) {
  const Copy& copy = run.first();
  const auto from = locate(copy.array, copy.from, run.hull());
  const auto to = locateTarget(copy, run.hull());
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  const cdm::Rows rows = rowsOf(run, static_cast<std::size_t>(run.stride) * copy.elemSize);
  const bool isPush = from->address == nullptr && to->address == nullptr;
  if ((from->address == nullptr) != (to->address == nullptr)) {
    const Location &host = from->address != nullptr ? *from : *to, &device = from->address != nullptr ? *to : *from;
    if (rows.count == 1 && !zero) pins_.noteCopy(*device.device, record(copy.array).info, host.address, rows.bytes);
  }
  const std::int64_t beganNs = trace_.nowDetailed();
  if (isPush) {
    const auto event = from->device->push(from->buffer, from->offset, rows, *to->device, to->buffer, to->offset);
    if (!event.ok()) return event.status().at(where(*from->device));
    trace_.transfer(*from->device, TraceEvent::Kind::deviceRead, run, beganNs, *event);
  } else if (zero && to->address != nullptr) {
    std::memset(to->address, 0, bytesOf(copy));
  } else if (zero) {
    const auto event = to->device->fill(to->buffer, to->offset, std::byte{0}, bytesOf(copy));
    if (!event.ok()) return event.status().at(where(*to->device));
    trace_.transfer(*to->device, TraceEvent::Kind::deviceFill, run, beganNs, *event);
  } else if (from->address != nullptr && to->address != nullptr) {
    cdm::copyRows(to->address, rows.pitch, from->address, rows.pitch, rows.bytes, rows.count);
  } else if (from->address != nullptr) {
    const auto event = to->device->writeRows(to->buffer, to->offset, from->address, rows);
    if (!event.ok()) return event.status().at(where(*to->device));
    trace_.transfer(*to->device, TraceEvent::Kind::deviceWrite, run, beganNs, *event);
    directWrites_.emplace_back(to->device, *event);
  } else {
    const auto event = from->device->readRows(from->buffer, from->offset, to->address, rows);
    if (!event.ok()) return event.status().at(where(*from->device));
    trace_.transfer(*from->device, TraceEvent::Kind::deviceRead, run, beganNs, *event);
    transfer.reads.emplace_back(from->device, *event);
  }
  return {};
}

}  // namespace muster::cap
