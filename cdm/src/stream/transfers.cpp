// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers of a device: directly, or through pinned slots.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "muster/cdm/parts.h"
#include "stream/stream_device.h"

namespace muster::cdm {

using Kind = OperationTiming::Kind;

namespace {

// NVIDIA's drivers hang, or lose the device, at fills of 2 GiB and more (inducer/pyopencl issue 395).
constexpr std::size_t largestFill = std::size_t{1} << 30;

}  // namespace

Result<Staging::Slot*> StreamDevice::slotFor(std::size_t bytes) {
  for (;;) {
    Result<Staging::Slot*> slot = staging_.acquire(bytes);
    if (!slot || *slot) return slot;
    const Result<bool> waited = queues_.waitOldest();
    if (!waited) return waited.status();
    if (!*waited) panic("all staging slots are busy, but no transfer is under way");
  }
}

// Between host memory and a slot, where rows lie without gaps.
void StreamDevice::pack(const Part& part) {
  if (part.rows.count == 1) return copyInParts(part.slot->address(), part.host, part.rows.bytes);
  copyRows(part.slot->address(), part.rows.bytes, part.host, part.rows.hostPitch, part.rows.bytes, part.rows.count);
}

void StreamDevice::unpack(const Part& part) {
  if (part.rows.count == 1) return copyInParts(part.host, part.slot->address(), part.rows.bytes);
  copyRows(part.host, part.rows.hostPitch, part.slot->address(), part.rows.bytes, part.rows.bytes, part.rows.count);
}

// Parts follow one another in their lane, so what the first one waits for the others need not.
Result<Event> StreamDevice::transferStaged(Lane lane, Buffer& buffer, const ByteRange& range, Part left) {
  Result<Event> last = Event{0};
  while (left.bytes() > 0) {
    const Result<Staging::Slot*> slot = slotFor(left.bytes());
    if (!slot) return slot.status();
    Part part = left;
    part.slot = *slot;
    if (left.rows.count == 1) {
      part.rows.bytes = std::min(left.rows.bytes, part.slot->bytes);
      left.rows.bytes -= part.rows.bytes;
      left.offset += part.rows.bytes;
      left.host += part.rows.bytes;
    } else {
      part.rows.count = std::min(left.rows.count, part.slot->bytes / left.rows.bytes);
      left.rows.count -= part.rows.count;
      left.offset += part.rows.count * left.rows.pitch;
      left.host += part.rows.count * left.rows.hostPitch;
    }
    part.isLast = left.isLast && left.bytes() == 0;
    if (lane == Lane::writes) pack(part);
    last = transfer(lane, buffer, range, part);
    if (!last) return last;
  }
  return last;
}

// A transfer that did not come about needs its slot no more.
Result<Event> StreamDevice::transfer(Lane lane, Buffer& buffer, const ByteRange& range, const Part& part) {
  const bool writes = lane == Lane::writes;
  const auto refused = [&](Status why) {
    if (part.slot != nullptr) Staging::release(part.slot);
    return why;
  };
  const Result<Queues::Order> order = orderOf(lane, buffer, range, writes);
  if (!order) return refused(order.status());
  Owned<DriverEvent> event;
  const Command command = queues_.command(lane, &*order, &event);
  void* const host = part.slot != nullptr ? part.slot->address() : part.host;
  Rows rows = part.rows;
  if (part.slot != nullptr) rows.hostPitch = rows.bytes;
  if (const Status why = carry(command, writes, buffer.memory.get(), part.offset, host, rows); !why.ok())
    return refused(
        driver_->failure(fmt::format("{} of {} bytes", writes ? "write" : "read", range.end - range.begin), why));
  std::function<void()> done;
  if (part.slot != nullptr)
    done = [writes, part] {
      if (!writes) unpack(part);
      Staging::release(part.slot);
    };
  const Result<Event> kept =
      keepTransfer(lane, *order, std::move(event), buffer, range,
                   {writes ? Kind::write : Kind::read, part.bytes(), part.isLast}, std::move(done));
  if (kept && writes && part.slot == nullptr) lastDirectWrite_ = *kept;
  return kept;
}

Status StreamDevice::carry(const Command& command, bool writes, DriverMemory* memory, std::size_t offset, void* host,
                           const Rows& rows) {
  const PlaceInRooms room = placeInRooms(host);
  if (room.memory != nullptr && writes)
    return driver_->push(command, room.memory, room.offset, {rows.bytes, rows.count, rows.hostPitch, rows.pitch},
                         memory, offset);
  if (room.memory != nullptr) return driver_->push(command, memory, offset, rows, room.memory, room.offset);
  return writes ? driver_->write(command, memory, offset, host, rows)
                : driver_->read(command, memory, offset, host, rows);
}

bool StreamDevice::needsStaging(const void* memory, std::size_t bytes) const {
  if (!staged_) return false;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const auto after = pinned_.upper_bound(start);
  if (after == pinned_.begin()) return true;
  const auto& [base, size] = *std::prev(after);
  return start - base + bytes > size;
}

Result<Event> StreamDevice::move(Lane lane, BufferId id, const Part& whole) {
  Buffer& buffer = buffers_.at(id);
  const Rows& rows = whole.rows;
  const ByteRange range{whole.offset, whole.offset + (rows.count - 1) * rows.pitch + rows.bytes};
  const std::size_t hostBytes = (rows.count - 1) * rows.hostPitch + rows.bytes;
  return needsStaging(whole.host, hostBytes) ? transferStaged(lane, buffer, range, whole)
                                             : transfer(lane, buffer, range, whole);
}

Result<Event> StreamDevice::doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  return move(Lane::writes, to, {offset, static_cast<std::byte*>(const_cast<void*>(from)), {bytes}});  // read only
}

Result<Event> StreamDevice::doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  return move(Lane::reads, from, {offset, static_cast<std::byte*>(to), {bytes}});
}

// NVIDIA's driver has a largest pitch. Long rows gain nothing.
bool StreamDevice::goTogether(const Rows& rows) {
  return rows.count > 1 && rows.bytes <= Staging::smallSlot &&
         std::max(rows.pitch, rows.hostPitch) <= std::numeric_limits<std::int32_t>::max();
}

// NVIDIA's driver wants all lines, as long as a pitch, to lie in the buffer, whatever the last row needs of its own.
Result<Event> StreamDevice::moveLines(Lane lane, BufferId id, Part rows) {
  if ((rows.offset / rows.rows.pitch + rows.rows.count) * rows.rows.pitch <= buffers_.at(id).bytes)
    return move(lane, id, rows);
  Part last = rows;
  last.offset += --rows.rows.count * rows.rows.pitch;
  last.host += rows.rows.count * rows.rows.hostPitch;
  last.rows = {rows.rows.bytes};
  rows.isLast = false;
  MUSTER_TRY(move(lane, id, rows).status());
  return move(lane, id, last);
}

// Drivers want no row to go beyond the end of its line.
Result<Event> StreamDevice::moveRows(Lane lane, BufferId id, Part whole) {
  const std::size_t line = whole.rows.pitch - whole.offset % whole.rows.pitch;
  if (whole.rows.bytes > line) {
    Part heads = whole;
    heads.rows.bytes = line;
    heads.isLast = false;
    MUSTER_TRY(moveLines(lane, id, heads).status());
    whole.rows.bytes -= line;
    whole.offset += line;
    whole.host += line;
  }
  return moveLines(lane, id, whole);
}

Result<Event> StreamDevice::doWriteRows(BufferId to, std::size_t offset, const void* from, const Rows& rows) {
  if (!goTogether(rows)) return ComputeDevice::doWriteRows(to, offset, from, rows);
  return moveRows(Lane::writes, to, {offset, static_cast<std::byte*>(const_cast<void*>(from)), rows});  // read only
}

Result<Event> StreamDevice::doReadRows(BufferId from, std::size_t offset, void* to, const Rows& rows) {
  if (!goTogether(rows)) return ComputeDevice::doReadRows(from, offset, to, rows);
  return moveRows(Lane::reads, from, {offset, static_cast<std::byte*>(to), rows});
}

Result<PinnedMemory> StreamDevice::doPinnedMemory(std::size_t bytes) {
  if (!staged_) return ComputeDevice::doPinnedMemory(bytes);
  Result<PinnedMemory> memory = driver_->pinnedMemory(bytes);
  return memory ? holdPinned(std::move(*memory), bytes) : memory;
}

Result<PinnedMemory> StreamDevice::doPin(std::span<std::byte> memory) {
  if (!staged_) return ComputeDevice::doPin(memory);
  Result<PinnedMemory> pinned = driver_->pin(memory);
  return pinned ? holdPinned(std::move(*pinned), memory.size()) : pinned;
}

PinnedMemory StreamDevice::holdPinned(PinnedMemory memory, std::size_t bytes) {
  std::byte* const address = memory.get();
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  pinned_.emplace(start, bytes);
  return PinnedMemory(address, [this, start, owned = std::move(memory)](std::byte*) mutable {
    // The holder should have waited; after an error nobody may have.
    for (const Lane lane : {Lane::writes, Lane::reads}) driver_->finish(queues_.queue(lane));
    pinned_.erase(start);
    owned.reset();
  });
}

// Among the kernels: what is copied was made by kernels and is used by kernels, which then wait for nothing.
Result<Event> StreamDevice::doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                                   std::size_t bytes) {
  Buffer &source = buffers_.at(from), &target = buffers_.at(to);
  const ByteRange read{fromOffset, fromOffset + bytes}, written{toOffset, toOffset + bytes};
  Clock after = {};
  source.log.conflicts(read, false, after);
  target.log.conflicts(written, true, after);
  const Result<Queues::Order> order = queues_.orderAfter(Lane::kernels, after);
  if (!order) return order.status();
  Owned<DriverEvent> event;
  if (const Status why = driver_->copy(queues_.command(Lane::kernels, &*order, &event), source.memory.get(), fromOffset,
                                       target.memory.get(), toOffset, bytes);
      !why.ok())
    return driver_->failure(fmt::format("copy of {} bytes", bytes), why);
  const Result<Event> id = queues_.add(Lane::kernels, *order, std::move(event), {Kind::copy, bytes});
  if (!id) return id;
  source.log.add(read, false, Lane::kernels, Queues::numberOf(*id), queues_.completed());
  target.log.add(written, true, Lane::kernels, Queues::numberOf(*id), queues_.completed());
  return id;
}

bool StreamDevice::doReaches(const ComputeDevice& other) const {
  const auto* device = dynamic_cast<const StreamDevice*>(&other);
  return device != nullptr && driver_->reaches(*device->driver_);
}

// Among the reads, and there among the writes: its lane has a command that waits for what must be over, and one that
// waits for the rows, behind which later operations come.
Result<Event> StreamDevice::doPush(BufferId from, std::size_t offset, const Rows& rows, ComputeDevice& target,
                                   BufferId to, std::size_t toOffset) {
  auto& other = static_cast<StreamDevice&>(target);
  Buffer &source = buffers_.at(from), &sink = other.buffers_.at(to);
  const auto rangeAt = [&](std::size_t start, std::size_t pitch) {
    return ByteRange{start, start + (rows.count - 1) * pitch + rows.bytes};
  };
  const ByteRange read = rangeAt(offset, rows.pitch), written = rangeAt(toOffset, rows.hostPitch);
  const auto refused = [&](const Status& why) {
    return driver_->failure(fmt::format("push of {} bytes to {}", rows.count * rows.bytes, other.info_.name), why);
  };
  const Result<Queues::Order> there = other.orderOf(Lane::writes, sink, written, true);
  if (!there) return there.status();
  const Result<Queues::Order> here = orderOf(Lane::reads, source, read, false);
  if (!here) return here.status();
  Owned<DriverEvent> ready, copied, arrived;
  if (const Status marked = other.driver_->mark(other.queues_.command(Lane::writes, &*there, &ready)); !marked.ok())
    return refused(marked);
  Command command = queues_.command(Lane::reads, &*here, &copied);
  std::array<DriverEvent*, Command::mostWaits> waits = {};
  *std::ranges::copy(command.waits, waits.begin()).out = ready.get();
  command.waits = {waits.data(), command.waits.size() + 1};
  if (const Status pushed = driver_->push(command, source.memory.get(), offset, rows, sink.memory.get(), toOffset);
      !pushed.ok())
    return refused(pushed);
  DriverEvent* const rowsAreThere = copied.get();
  if (const Status marked = other.driver_->mark({other.queues_.queue(Lane::writes), {&rowsAreThere, 1}, &arrived});
      !marked.ok())
    return refused(marked);
  MUSTER_TRY(other.keepTransfer(Lane::writes, *there, std::move(arrived), sink, written, {Kind::copy, 0}).status());
  return keepTransfer(Lane::reads, *here, std::move(copied), source, read, {Kind::read, rows.count * rows.bytes});
}

// Among the writes, whose order it keeps.
Result<Event> StreamDevice::doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) {
  Buffer& buffer = buffers_.at(to);
  const ByteRange range{offset, offset + bytes};
  Result<Event> last = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(largestFill, bytes - done);
    const Result<Queues::Order> order = orderOf(Lane::writes, buffer, range, true);
    if (!order) return order.status();
    Owned<DriverEvent> event;
    if (const Status why = driver_->fill(queues_.command(Lane::writes, &*order, &event), buffer.memory.get(),
                                         offset + done, value, part);
        !why.ok())
      return driver_->failure(fmt::format("fill of {} bytes", bytes), why);
    last =
        keepTransfer(Lane::writes, *order, std::move(event), buffer, range, {Kind::copy, part, done + part == bytes});
    if (!last) return last;
    done += part;
  }
  return last;
}

}  // namespace muster::cdm
