// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session's arrays: made, given back, and brought to the host.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/arrays/blocks.h"
#include "session/job/process_transport.h"
#include "session/program/held_arrays.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

// The controller has done with the array before its memory goes (aboutToRelease).
cap::HostPages pagesOf(HostArray& array) {
  const auto untouched = [&array](const cap::Interval& bytes, std::int64_t least) {
    std::vector<cap::Interval> found;
    for (const ByteRange& range : array.untouched(static_cast<std::size_t>(bytes.lo),
                                                  static_cast<std::size_t>(bytes.hi), static_cast<std::size_t>(least)))
      found.push_back({static_cast<std::int64_t>(range.lo), static_cast<std::int64_t>(range.hi)});
    return found;
  };
  return {untouched, [&array] { array.keepPages(); }};
}

std::string arrayName(const muster_array_site* site) {
  return site == nullptr ? "(unnamed)" : fmt::format("{} ({})", site->name, location(site->loc));
}

// Elements that parts touch.
cap::IntervalSet elementsOf(const HostArray& array, const ArrayRecord& record, std::span<const muster_part> parts) {
  const auto size = static_cast<std::size_t>(record.elemSize);
  std::vector<cap::Interval> intervals;
  intervals.reserve(parts.size());
  for (const muster_part& part : parts) {
    const std::size_t end = std::min(part.first + part.bytes, array.bytes());
    if (part.first < end)
      intervals.push_back({static_cast<std::int64_t>(part.first / size),
                           static_cast<std::int64_t>(std::min((end + size - 1) / size, array.bytes() / size))});
  }
  return cap::IntervalSet::of(std::move(intervals));
}

// Of parts that are whole elements, in their order.
std::vector<cap::Interval> intervalsOf(const ArrayRecord& record, std::span<const muster_part> parts) {
  std::vector<cap::Interval> intervals;
  intervals.reserve(parts.size());
  for (const muster_part& part : parts)
    intervals.push_back({static_cast<std::int64_t>(part.first / record.elemSize),
                         static_cast<std::int64_t>((part.first + part.bytes) / record.elemSize)});
  return intervals;
}

}  // namespace

void Session::takeArrays() {
  forEachArray([this](HostArray& array, const muster_array_site* site) {
    if (array.owner != nullptr) return;
    if (!hostOnly_ && !array.mirrored()) {
      if (const Status status = hostMemory().mirror(array); !status.ok()) fail(status.at("array " + arrayName(site)));
    }
    if (before_ == nullptr) createdPrivate(site, array.bytes());  // else it is counted
    if (!hostOnly_) take(array, site, array.bytes());
  });
}

void Session::createdPrivate(const muster_array_site* site, std::size_t bytes) {
  if (reporting_) report_->countArray(site, bytes, currentBlock().number);
}

void Session::created(HostArray& array, const muster_array_site* site, std::size_t bytes) {
  const std::int64_t began = cap::traceClock();
  if (reporting_) report_->countArray(site, bytes, currentBlock().number);
  take(array, site, bytes);
  if (reporting_) report_->countAllocationTime(site, cap::secondsSince(began));
}

void Session::take(HostArray& array, const muster_array_site* site, std::size_t bytes) {
  auto record = std::make_unique<ArrayRecord>();
  record->elemSize = site != nullptr && site->elem_size > 0 ? site->elem_size : 1;
  record->array = &array;
  record->site = site;
  record->block = currentBlock().number;
  const auto count = static_cast<std::int64_t>(bytes / record->elemSize);
  const ArrayTraits traits{record->block, site != nullptr && site->array_class == MUSTER_REPLICATED};
  const auto id =
      controller_.createArray(record->elemSize, count, arrayName(site), array.alias(), traits, pagesOf(array));
  if (!id.ok()) fail(id.status());
  record->id = *id;
  if (reporting_) report_->nameArray(*id, site);
  if (job_.trace != nullptr) job_.trace->nameArray(*id, site == nullptr ? "(unnamed)" : site->name);
  view_.add(*id, array, record->elemSize, count);
  const std::lock_guard lock(arraysMutex_);
  array.owner = record.get();
  parked_.noteCreated(kindOf(*record));
  arrays_[&array] = std::move(record);
}

void Session::aboutToRelease(HostArray& array) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return;
  const std::int64_t began = cap::traceClock();
  if (const Status status = controller_.releaseArray(record->id); !status.ok()) fail(status);
  view_.remove(record->id);
  array.owner = nullptr;
  const std::lock_guard lock(arraysMutex_);
  if (!record->parked) parked_.noteReleased(kindOf(*record));
  if (reporting_) report_->countAllocationTime(record->site, cap::secondsSince(began));
  arrays_.erase(&array);
}

void Session::noteFetch(const ArrayRecord& record, const Result<std::int64_t>& moved, std::int64_t beganNs) {
  if (!moved.ok()) fail(moved.status());
  if (reporting_) report_->countFetch(record.site, static_cast<std::uint64_t>(*moved), cap::secondsSince(beganNs));
}

void Session::hostAccess(HostArray& array, std::size_t offset, std::size_t bytes, int mode) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return;
  const std::int64_t began = cap::traceClock();
  const auto moved = view_.acquire(record->id, offset, offset + bytes, (mode & MUSTER_WRITE) != 0);
  noteFetch(*record, moved, began);
}

std::uint64_t Session::beginFlight(HostArray& array, std::span<const muster_part> parts, const char* call, int how) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return 0;
  const auto begun = controller_.fly({record->id, elementsOf(array, *record, parts), call, how != MUSTER_FLIGHT_READS,
                                      how == MUSTER_FLIGHT_FILLS_ALIAS});
  if (!begun.ok()) fail(begun.status());
  return *begun;
}

void Session::useBuffer(HostArray& array, std::span<const muster_part> parts, BufferUse use) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return;
  const cap::IntervalSet elements = elementsOf(array, *record, parts);
  if (use == BufferUse::settle) {
    if (const Status status = controller_.settle(record->id, elements); !status.ok()) fail(status);
    return;
  }
  const std::int64_t began = cap::traceClock();
  const auto moved = controller_.hostAccess(record->id, elements,
                                            use == BufferUse::fetch ? cap::HostMode::read : cap::HostMode::overwrite);
  noteFetch(*record, moved, began);
}

std::byte* Session::lendBuffer(HostArray& array, std::span<const muster_part> parts, bool filled) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return nullptr;
  const auto lent = controller_.lend(record->id, intervalsOf(*record, parts), filled);
  if (!lent.ok()) fail(lent.status());
  return *lent;
}

void Session::takeLent(HostArray& array, std::span<const muster_part> parts, std::byte* lent) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return giveBackLent(lent);  // it was freed
  const Status status = controller_.takeLent(lent, record->id, intervalsOf(*record, parts));
  if (!status.ok()) fail(status);
  // Held since then: the host has it all.
  if (heldArrays().holds(array.user())) hostAccess(array, 0, array.bytes(), MUSTER_READ | MUSTER_WRITE);
}

void Session::giveBackLent(std::byte* lent) {
  if (const Status status = controller_.giveBack(lent); !status.ok()) fail(status);
}

std::optional<std::size_t> Session::tryMessages(const muster_processes* processes) {
  Result<std::optional<std::size_t>> from = std::optional<std::size_t>(0);
  if (processes != nullptr) {
    ProcessTransport transport(*processes, job_.transport->hostName());
    from = controller_.tryMessages(transport);
  }
  if (!from.ok()) fail(from.status());
  if (reporting_ && *from) report_->noteDirectMessages(**from);
  return *from;
}

bool Session::serveFault(HostArray& array, std::size_t offset, bool write) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  if (record == nullptr) return false;
  const std::int64_t began = cap::traceClock();
  const auto moved = view_.fault(record->id, offset, write);
  noteFetch(*record, moved, began);
  return true;
}

// What runs after the session (destructors of static objects) still sees its arrays.
void Session::fetchEverything(int mode) {
  std::vector<HostArray*> arrays;
  {
    const std::lock_guard lock(arraysMutex_);
    for (const auto& [array, record] : arrays_) {
      if (!record->parked) arrays.push_back(array);
    }
  }
  for (HostArray* array : arrays) hostAccess(*array, 0, array->bytes(), mode);
}

}  // namespace muster::rt
