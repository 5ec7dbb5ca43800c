// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooms that a device shares with other processes: to its transfers they are as page-locked memory of the host.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "stream/stream_device.h"

namespace muster::cdm {

Result<DeviceRooms> StreamDevice::makeRooms(std::size_t roomBytes, std::size_t count) {
  Result<Driver::Rooms> made = driver_->makeRooms(roomBytes, count);
  if (!made) return driver_->failure(fmt::format("{} rooms of {} bytes", count, roomBytes), made.status());
  return holdRooms(std::move(*made));
}

Result<DeviceRooms> StreamDevice::openRooms(std::span<const std::byte> offer) {
  Result<Driver::Rooms> opened = driver_->openRooms(offer);
  if (!opened) return driver_->failure("another process's rooms", opened.status());
  return holdRooms(std::move(*opened));
}

Result<PinnedMemory> StreamDevice::messageMemory(std::size_t bytes) {
  if (!hasRooms()) return ComputeDevice::messageMemory(bytes);
  Result<Owned<DriverMemory>> made = driver_->allocate(bytes);
  if (!made) return driver_->failure(fmt::format("{} bytes for messages", bytes), made.status());
  const auto owner = std::make_shared<Owned<DriverMemory>>(std::move(*made));
  return hold({owner->get(), {}, bytes, {}, owner});
}

// The address of device memory is none of host memory: they have one address space.
PinnedMemory StreamDevice::hold(Driver::Rooms rooms) {
  auto* const start = reinterpret_cast<std::byte*>(rooms.memory);
  const std::size_t bytes = rooms.bytes();
  PinnedMemory known(start, [this](std::byte* owned) { rooms_.erase(owned); });
  rooms_.emplace(start, std::move(rooms));
  return holdPinned(std::move(known), bytes);
}

DeviceRooms StreamDevice::holdRooms(Driver::Rooms rooms) {
  DeviceRooms shared{nullptr, rooms.roomBytes, rooms.filled.size(), std::move(rooms.offer)};
  shared.memory = hold(std::move(rooms));
  return shared;
}

StreamDevice::PlaceInRooms StreamDevice::placeInRooms(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  const auto after = rooms_.upper_bound(at);
  if (after == rooms_.begin()) return {};
  const auto& [start, rooms] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(at - start);
  return offset < rooms.bytes() ? PlaceInRooms{rooms.memory, offset} : PlaceInRooms{};
}

Result<DriverEvent*> StreamDevice::eventOf(const DeviceRooms& rooms, std::size_t number) const {
  const auto found = rooms_.find(rooms.memory.get());
  if (found != rooms_.end() && number < found->second.filled.size()) return found->second.filled[number];
  return Status(Errc::invalidArgument, fmt::format("{}: there is no room {} of {}", info_.name, number, rooms.count));
}

Status StreamDevice::signalFilled(const DeviceRooms& rooms, std::size_t number) {
  const Result<DriverEvent*> event = eventOf(rooms, number);
  if (!event) return event.status();
  const Status signalled = driver_->signal(queues_.queue(Lane::reads), *event);
  return signalled.ok() ? signalled : driver_->failure("the signal of a room", signalled);
}

Status StreamDevice::awaitFilled(const DeviceRooms& rooms, std::size_t number) {
  const Result<DriverEvent*> event = eventOf(rooms, number);
  if (!event) return event.status();
  const Status waits = driver_->mark({queues_.queue(Lane::writes), {&*event, 1}, nullptr});
  return waits.ok() ? waits : driver_->failure("the wait for a room", waits);
}

}  // namespace muster::cdm
