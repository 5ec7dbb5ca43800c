// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and transfers of an OpenCL device.
#include "backends/opencl/cl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "muster/cdm/parts.h"

namespace muster::cdm {

using Kind = OperationTiming::Kind;

namespace {

// NVIDIA's drivers hang, or lose the device, at fills of 2 GiB and more (inducer/pyopencl issue 395).
constexpr std::size_t largestFill = std::size_t{1} << 30;

}  // namespace

Result<std::unique_ptr<ComputeDevice>> openClDevice(const ClHandle& handle, DeviceInfo info,
                                                    const StreamOptions& options) {
  cl_int error = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(handle.platform), 0};
  ClContext context(handle.api, handle.api->CreateContext(properties, 1, &handle.device, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return clFailure(info, "clCreateContext", error);
  ClQueue service(handle.api, handle.api->CreateCommandQueue(context.get(), handle.device, 0, &error));
  if (error != CL_SUCCESS) return clFailure(info, "clCreateCommandQueue", error);
  auto device =
      std::make_unique<OpenClDevice>(handle, std::move(info), options, std::move(context), std::move(service));
  MUSTER_TRY(device->openQueues());
  return std::unique_ptr<ComputeDevice>(std::move(device));
}

OpenClDevice::OpenClDevice(const ClHandle& handle, DeviceInfo info, const StreamOptions& options, ClContext context,
                           ClQueue service)
    : ComputeDevice(std::move(info)),
      handle_(handle),
      cl_(*handle_.api),
      context_(std::move(context)),
      service_(std::move(service)),
      staged_(info_.kind != DeviceKind::cpu || options.likeGpu),
      staging_(handle_.api, context_.get(), service_.get(), info_),
      programs_(handle_, context_.get(), info_, options),
      queues_(handle_.api, info_) {
  if (options.fuse) fuseLaunches();
}

OpenClDevice::~OpenClDevice() {
  queues_.abandon();  // memory goes next
}

Status OpenClDevice::openQueues() { return queues_.open(context_.get(), handle_.device, Timings::off); }

// ---------------------------------------------------------------- memory

Status OpenClDevice::outOfMemory(std::size_t bytes, const std::string& why) const {
  return {Errc::outOfMemory,
          fmt::format("{}: cannot allocate {} bytes: {} (the device has {} bytes, one allocation may have {}, Muster "
                      "holds {} in {} buffers); use smaller arrays or more devices",
                      info_.name, bytes, why, info_.memoryBytes, info_.maxAllocationBytes, inUse_, buffers_.size())};
}

Result<ClMemory> OpenClDevice::createMemory(std::size_t bytes) {
  ++memoriesMade_;
  cl_int error = CL_SUCCESS;
  // Whole words: atomics on elements of 8 and 16 bits work on the 32 bits around them.
  const std::size_t words = (bytes + 3) / 4 * 4;
  ClMemory memory(handle_.api, cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, words, nullptr, &error));
  const std::byte zero{};
  if (error == CL_SUCCESS)
    error = cl_.EnqueueWriteBuffer(service_.get(), memory.get(), CL_TRUE, 0, 1, &zero, 0, nullptr, nullptr);
  switch (error) {
    case CL_SUCCESS:
      return memory;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return outOfMemory(bytes, clErrorName(error));
    default:
      return clFailure(info_, fmt::format("allocating {} bytes", bytes), error);
  }
}

Result<BufferId> OpenClDevice::doAllocate(std::size_t bytes) {
  if (bytes > info_.maxAllocationBytes) return outOfMemory(bytes, "too large for one allocation");
  if (bytes > info_.memoryBytes - std::min<std::uint64_t>(info_.memoryBytes, inUse_))
    return outOfMemory(bytes, "the device's memory is full");
  Result<ClMemory> memory = createMemory(bytes);
  if (!memory) return memory.status();
  buffers_.emplace(++lastId_, Buffer{std::move(*memory), bytes, {}});
  inUse_ += bytes;
  return lastId_;
}

// The driver keeps the memory until operations that use it are complete.
Status OpenClDevice::doRelease(BufferId buffer) {
  auto at = buffers_.find(buffer);
  inUse_ -= at->second.bytes;
  buffers_.erase(at);
  return {};
}

// ---------------------------------------------------------------- order

Result<ClQueues::Order> OpenClDevice::orderOf(Lane lane, const Buffer& buffer, const ByteRange& range, bool write) {
  Clock after = {};
  buffer.log.conflicts(range, write, after);
  return queues_.orderAfter(lane, after);
}

Result<Event> OpenClDevice::keepTransfer(Lane lane, const ClQueues::Order& order, cl_event event, Buffer& buffer,
                                         const ByteRange& range, ClTimings::Label label, std::function<void()> done) {
  Result<Event> id = queues_.add(lane, order, event, std::move(label), std::move(done));
  if (id) buffer.log.add(range, lane != Lane::reads, lane, ClQueues::numberOf(*id), queues_.completed());
  return id;
}

Status OpenClDevice::doWait(Event event) { return queues_.wait(event); }

// What went into a slot needs nothing. Writes are complete in their order.
Status OpenClDevice::doWaitForSource(Event /*write*/) {
  return lastDirectWrite_ == 0 ? Status() : queues_.wait(std::exchange(lastDirectWrite_, 0));
}

Status OpenClDevice::doFinish() { return queues_.waitAll(); }

// Queues without timings may be faster, so they are exchanged when timings are asked for.
Status OpenClDevice::doKeepTimings(Timings timings) {
  if (timings == queues_.timed()) return {};
  MUSTER_TRY(queues_.waitAll());
  MUSTER_TRY(queues_.open(context_.get(), handle_.device, timings));
  return timings == Timings::off ? Status() : queues_.timings().calibrate(context_.get(), handle_.device);
}

// An operation that failed is reported by the next call that waits.
std::vector<OperationTiming> OpenClDevice::doTakeTimings() {
  (void)queues_.retireCompleted();
  return queues_.timings().take();
}

// ---------------------------------------------------------------- transfers

Result<ClStaging::Slot*> OpenClDevice::slotFor(std::size_t bytes) {
  for (;;) {
    Result<ClStaging::Slot*> slot = staging_.acquire(bytes);
    if (!slot || *slot) return slot;
    const Result<bool> waited = queues_.waitOldest();
    if (!waited) return waited.status();
    if (!*waited) panic("all staging slots are busy, but no transfer is under way");
  }
}

// Between host memory and a slot, where rows lie without gaps.
void OpenClDevice::pack(const Part& part) {
  if (part.rows.count == 1) return copyInParts(part.slot->address, part.host, part.rows.bytes);
  copyRows(part.slot->address, part.rows.bytes, part.host, part.rows.hostPitch, part.rows.bytes, part.rows.count);
}

void OpenClDevice::unpack(const Part& part) {
  if (part.rows.count == 1) return copyInParts(part.host, part.slot->address, part.rows.bytes);
  copyRows(part.host, part.rows.hostPitch, part.slot->address, part.rows.bytes, part.rows.bytes, part.rows.count);
}

// Parts follow one another in their lane, so what the first one waits for the others need not.
Result<Event> OpenClDevice::transferStaged(Lane lane, Buffer& buffer, const ByteRange& range, Part left) {
  Result<Event> last = Event{0};
  while (left.bytes() > 0) {
    const Result<ClStaging::Slot*> slot = slotFor(left.bytes());
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

cl_int OpenClDevice::enqueue(Lane lane, cl_mem memory, const Part& part, const ClQueues::Order& order,
                             cl_event* event) {
  void* const host = part.slot != nullptr ? part.slot->address : part.host;
  const cl_command_queue queue = queues_.queue(lane);
  const auto& [bytes, count, pitch, hostPitch] = part.rows;
  if (count == 1)
    return lane == Lane::writes ? cl_.EnqueueWriteBuffer(queue, memory, CL_FALSE, part.offset, bytes, host, order.count,
                                                         order.list(), event)
                                : cl_.EnqueueReadBuffer(queue, memory, CL_FALSE, part.offset, bytes, host, order.count,
                                                        order.list(), event);
  const std::size_t origin[3] = {part.offset % pitch, part.offset / pitch, 0}, hostOrigin[3] = {},
                    region[3] = {bytes, count, 1};
  const std::size_t step = part.slot != nullptr ? bytes : hostPitch;
  return lane == Lane::writes ? cl_.EnqueueWriteBufferRect(queue, memory, CL_FALSE, origin, hostOrigin, region, pitch,
                                                           0, step, 0, host, order.count, order.list(), event)
                              : cl_.EnqueueReadBufferRect(queue, memory, CL_FALSE, origin, hostOrigin, region, pitch, 0,
                                                          step, 0, host, order.count, order.list(), event);
}

// A transfer that did not come about needs its slot no more.
Result<Event> OpenClDevice::transfer(Lane lane, Buffer& buffer, const ByteRange& range, const Part& part) {
  const bool writes = lane == Lane::writes;
  const auto refused = [&](Status why) {
    if (part.slot != nullptr) ClStaging::release(part.slot);
    return why;
  };
  const Result<ClQueues::Order> order = orderOf(lane, buffer, range, writes);
  if (!order) return refused(order.status());
  cl_event event = nullptr;
  if (const cl_int error = enqueue(lane, buffer.memory.get(), part, *order, &event); error != CL_SUCCESS)
    return refused(
        clFailure(info_, fmt::format("{} of {} bytes", writes ? "write" : "read", range.end - range.begin), error));
  std::function<void()> done;
  if (part.slot != nullptr)
    done = [writes, part] {
      if (!writes) unpack(part);
      ClStaging::release(part.slot);
    };
  const Result<Event> kept =
      keepTransfer(lane, *order, event, buffer, range, {writes ? Kind::write : Kind::read, part.bytes(), part.isLast},
                   std::move(done));
  if (kept && writes && part.slot == nullptr) lastDirectWrite_ = *kept;
  return kept;
}

bool OpenClDevice::needsStaging(const void* memory, std::size_t bytes) const {
  if (!staged_) return false;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const auto after = pinned_.upper_bound(start);
  if (after == pinned_.begin()) return true;
  const auto& [base, size] = *std::prev(after);
  return start - base + bytes > size;
}

Result<Event> OpenClDevice::move(Lane lane, BufferId id, const Part& whole) {
  Buffer& buffer = buffers_.at(id);
  const Rows& rows = whole.rows;
  const ByteRange range{whole.offset, whole.offset + (rows.count - 1) * rows.pitch + rows.bytes};
  const std::size_t hostBytes = (rows.count - 1) * rows.hostPitch + rows.bytes;
  return needsStaging(whole.host, hostBytes) ? transferStaged(lane, buffer, range, whole)
                                             : transfer(lane, buffer, range, whole);
}

Result<Event> OpenClDevice::doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  return move(Lane::writes, to, {offset, static_cast<std::byte*>(const_cast<void*>(from)), {bytes}});  // read only
}

Result<Event> OpenClDevice::doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  return move(Lane::reads, from, {offset, static_cast<std::byte*>(to), {bytes}});
}

// NVIDIA's driver has a largest pitch. Long rows gain nothing.
bool OpenClDevice::goTogether(const Rows& rows) {
  return rows.count > 1 && rows.bytes <= ClStaging::smallSlot &&
         std::max(rows.pitch, rows.hostPitch) <= std::numeric_limits<std::int32_t>::max();
}

// NVIDIA's driver wants all lines, as long as a pitch, to lie in the buffer, whatever the last row needs of its own.
Result<Event> OpenClDevice::moveLines(Lane lane, BufferId id, Part rows) {
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
Result<Event> OpenClDevice::moveRows(Lane lane, BufferId id, Part whole) {
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

Result<Event> OpenClDevice::doWriteRows(BufferId to, std::size_t offset, const void* from, const Rows& rows) {
  if (!goTogether(rows)) return ComputeDevice::doWriteRows(to, offset, from, rows);
  return moveRows(Lane::writes, to, {offset, static_cast<std::byte*>(const_cast<void*>(from)), rows});  // read only
}

Result<Event> OpenClDevice::doReadRows(BufferId from, std::size_t offset, void* to, const Rows& rows) {
  if (!goTogether(rows)) return ComputeDevice::doReadRows(from, offset, to, rows);
  return moveRows(Lane::reads, from, {offset, static_cast<std::byte*>(to), rows});
}

Result<PinnedMemory> OpenClDevice::doPinnedMemory(std::size_t bytes) {
  if (!staged_) return ComputeDevice::doPinnedMemory(bytes);
  Result<std::unique_ptr<ClStaging::Slot>> slot = staging_.create(bytes);
  if (!slot) return slot.status();
  return holdPinned(std::move(*slot));
}

Result<PinnedMemory> OpenClDevice::doPin(std::span<std::byte> memory) {
  if (!staged_) return ComputeDevice::doPin(memory);
  Result<std::unique_ptr<ClStaging::Slot>> slot = staging_.pin(memory);
  if (!slot) return slot.status();
  return holdPinned(std::move(*slot));
}

PinnedMemory OpenClDevice::holdPinned(std::unique_ptr<ClStaging::Slot> slot) {
  std::byte* const address = slot->address;
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  pinned_.emplace(start, slot->bytes);
  return PinnedMemory(address, [this, start, owned = std::shared_ptr(std::move(slot))](std::byte*) {
    // The holder should have waited; after an error nobody may have.
    for (const Lane lane : {Lane::writes, Lane::reads}) (void)cl_.Finish(queues_.queue(lane));
    pinned_.erase(start);
    staging_.destroy(*owned);
  });
}

// Among the kernels: what is copied was made by kernels and is used by kernels, which then wait for nothing.
Result<Event> OpenClDevice::doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                                   std::size_t bytes) {
  Buffer &source = buffers_.at(from), &target = buffers_.at(to);
  const ByteRange read{fromOffset, fromOffset + bytes}, written{toOffset, toOffset + bytes};
  Clock after = {};
  source.log.conflicts(read, false, after);
  target.log.conflicts(written, true, after);
  const Result<ClQueues::Order> order = queues_.orderAfter(Lane::kernels, after);
  if (!order) return order.status();
  cl_event event = nullptr;
  const cl_int error = cl_.EnqueueCopyBuffer(queues_.queue(Lane::kernels), source.memory.get(), target.memory.get(),
                                             fromOffset, toOffset, bytes, order->count, order->list(), &event);
  if (error != CL_SUCCESS) return clFailure(info_, fmt::format("copy of {} bytes", bytes), error);
  const Result<Event> id = queues_.add(Lane::kernels, *order, event, {Kind::copy, bytes});
  if (!id) return id;
  source.log.add(read, false, Lane::kernels, ClQueues::numberOf(*id), queues_.completed());
  target.log.add(written, true, Lane::kernels, ClQueues::numberOf(*id), queues_.completed());
  return id;
}

// Among the writes, whose order it keeps. The widest pattern that fits: drivers may set one pattern at a time.
Result<Event> OpenClDevice::doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) {
  std::array<std::byte, 16> pattern;
  pattern.fill(value);
  const std::size_t unit = std::min(pattern.size(), std::size_t{1} << std::countr_zero(offset | bytes));
  Buffer& buffer = buffers_.at(to);
  const ByteRange range{offset, offset + bytes};
  Result<Event> last = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(largestFill, bytes - done);
    const Result<ClQueues::Order> order = orderOf(Lane::writes, buffer, range, true);
    if (!order) return order.status();
    cl_event event = nullptr;
    const cl_int error = cl_.EnqueueFillBuffer(queues_.queue(Lane::writes), buffer.memory.get(), pattern.data(), unit,
                                               offset + done, part, order->count, order->list(), &event);
    if (error != CL_SUCCESS) return clFailure(info_, fmt::format("fill of {} bytes", bytes), error);
    last = keepTransfer(Lane::writes, *order, event, buffer, range, {Kind::copy, part, done + part == bytes});
    if (!last) return last;
    done += part;
  }
  return last;
}

}  // namespace muster::cdm
