// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and transfers of an OpenCL device.
#include "backends/opencl/cl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "muster/cdm/parts.h"

namespace muster::cdm {

using Kind = OperationTiming::Kind;

namespace {

// NVIDIA's drivers hang, or lose the device, at fills of 2 GiB and more (inducer/pyopencl issue 395).
constexpr std::size_t largestFill = std::size_t{1} << 30;

}  // namespace

Result<std::unique_ptr<ComputeDevice>> openClDevice(const ClHandle& handle, DeviceInfo info,
                                                    const OpenClOptions& options) {
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

OpenClDevice::OpenClDevice(const ClHandle& handle, DeviceInfo info, const OpenClOptions& options, ClContext context,
                           ClQueue service)
    : ComputeDevice(std::move(info)),
      handle_(handle),
      cl_(*handle_.api),
      context_(std::move(context)),
      service_(std::move(service)),
      staged_(info_.kind != DeviceKind::cpu || options.likeGpu),
      staging_(handle_.api, context_.get(), service_.get(), info_),
      programs_(handle_, context_.get(), info_, options),
      queues_(handle_.api, info_) {}

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

// Parts follow one another in their lane, so what the first one waits for the others need not.
Result<Event> OpenClDevice::transferStaged(Lane lane, Buffer& buffer, std::size_t offset, std::byte* host,
                                           std::size_t bytes) {
  const ByteRange range{offset, offset + bytes};
  Result<Event> last = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const Result<ClStaging::Slot*> slot = slotFor(bytes - done);
    if (!slot) return slot.status();
    const std::size_t part = std::min((*slot)->bytes, bytes - done);
    if (lane == Lane::writes) copyInParts((*slot)->address, host + done, part);
    last = transfer(lane, buffer, range, {offset + done, host + done, part, *slot, done + part == bytes});
    if (!last) return last;
    done += part;
  }
  return last;
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
  void* const memory = part.slot != nullptr ? part.slot->address : part.host;
  cl_event event = nullptr;
  const cl_int error = writes ? cl_.EnqueueWriteBuffer(queues_.queue(lane), buffer.memory.get(), CL_FALSE, part.offset,
                                                       part.bytes, memory, order->count, order->list(), &event)
                              : cl_.EnqueueReadBuffer(queues_.queue(lane), buffer.memory.get(), CL_FALSE, part.offset,
                                                      part.bytes, memory, order->count, order->list(), &event);
  if (error != CL_SUCCESS) {
    const char* const what = writes ? "write" : "read";
    return refused(clFailure(info_, fmt::format("{} of {} bytes", what, range.end - range.begin), error));
  }
  std::function<void()> done;
  if (part.slot != nullptr)
    done = [writes, part] {
      if (!writes) copyInParts(part.host, part.slot->address, part.bytes);
      ClStaging::release(part.slot);
    };
  return keepTransfer(lane, *order, event, buffer, range, {writes ? Kind::write : Kind::read, part.bytes, part.isLast},
                      std::move(done));
}

bool OpenClDevice::needsStaging(const void* memory, std::size_t bytes) const {
  if (!staged_) return false;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const auto after = pinned_.upper_bound(start);
  if (after == pinned_.begin()) return true;
  const auto& [base, size] = *std::prev(after);
  return start - base + bytes > size;
}

Result<Event> OpenClDevice::move(Lane lane, BufferId id, std::size_t offset, std::byte* host, std::size_t bytes) {
  Buffer& buffer = buffers_.at(id);
  return needsStaging(host, bytes) ? transferStaged(lane, buffer, offset, host, bytes)
                                   : transfer(lane, buffer, {offset, offset + bytes}, {offset, host, bytes});
}

Result<Event> OpenClDevice::doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  return move(Lane::writes, to, offset, static_cast<std::byte*>(const_cast<void*>(from)), bytes);  // read only
}

Result<Event> OpenClDevice::doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  return move(Lane::reads, from, offset, static_cast<std::byte*>(to), bytes);
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
