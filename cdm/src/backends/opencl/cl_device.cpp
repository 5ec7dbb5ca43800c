// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and transfers of an OpenCL device.
#include "backends/opencl/cl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace muster::cdm {

Result<std::unique_ptr<ComputeDevice>> openClDevice(const ClHandle& handle, DeviceInfo info,
                                                    const OpenClOptions& options) {
  cl_int error = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(handle.platform), 0};
  ClContext context(handle.api, handle.api->CreateContext(properties, 1, &handle.device, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return clFailure(info, "clCreateContext", error);
  ClQueue queue(handle.api, handle.api->CreateCommandQueue(context.get(), handle.device, 0, &error));
  if (error != CL_SUCCESS) return clFailure(info, "clCreateCommandQueue", error);
  return std::unique_ptr<ComputeDevice>(
      std::make_unique<OpenClDevice>(handle, std::move(info), options, std::move(context), std::move(queue)));
}

OpenClDevice::OpenClDevice(const ClHandle& handle, DeviceInfo info, const OpenClOptions& options, ClContext context,
                           ClQueue queue)
    : ComputeDevice(std::move(info)),
      handle_(handle),
      cl_(*handle_.api),
      context_(std::move(context)),
      queue_(std::move(queue)),
      staged_(info_.kind != DeviceKind::cpu || options.likeGpu),
      staging_(handle_.api, context_.get(), queue_.get(), info_),
      programs_(handle_, context_.get(), info_, options),
      events_(handle_.api, info_) {}

OpenClDevice::~OpenClDevice() {
  (void)cl_.Finish(queue_.get());  // memory goes next; an error has nobody left to tell
  events_.abandon();
}

// ---------------------------------------------------------------- memory

Status OpenClDevice::outOfMemory(std::size_t bytes, const std::string& why) const {
  return {Errc::outOfMemory,
          fmt::format("{}: cannot allocate {} bytes: {} (the device has {} bytes, one allocation may have {}, Muster "
                      "holds {} in {} buffers); use smaller arrays or more devices",
                      info_.name, bytes, why, info_.memoryBytes, info_.maxAllocationBytes, inUse_, buffers_.size())};
}

Result<ClMemory> OpenClDevice::createMemory(std::size_t bytes) {
  cl_int error = CL_SUCCESS;
  ClMemory memory(handle_.api, cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &error));
  const std::byte zero{};
  if (error == CL_SUCCESS)
    error = cl_.EnqueueWriteBuffer(queue_.get(), memory.get(), CL_TRUE, 0, 1, &zero, 0, nullptr, nullptr);
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
  buffers_.emplace(++lastId_, Buffer{std::move(*memory), bytes});
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

Result<Event> OpenClDevice::submit(cl_event event, std::function<void()> done) {
  Result<Event> id = events_.add(event, std::move(done));
  if (!id) return id;
  if (const cl_int error = cl_.Flush(queue_.get()); error != CL_SUCCESS) return clFailure(info_, "clFlush", error);
  return id;
}

Status OpenClDevice::doWait(Event event) { return events_.wait(event); }

Status OpenClDevice::doFinish() { return events_.waitAll(); }

// ---------------------------------------------------------------- transfers

Result<ClStaging::Slot*> OpenClDevice::slotFor(std::size_t bytes) {
  for (;;) {
    Result<ClStaging::Slot*> slot = staging_.acquire(bytes);
    if (!slot || *slot) return slot;
    const Result<bool> waited = events_.waitOldest();
    if (!waited) return waited.status();
    if (!*waited) panic("all staging slots are busy, but no transfer is under way");
  }
}

Result<Event> OpenClDevice::stagedWrite(cl_mem to, std::size_t offset, const std::byte* from, std::size_t bytes) {
  Result<Event> last = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const Result<ClStaging::Slot*> acquired = slotFor(bytes - done);
    if (!acquired) return acquired.status();
    ClStaging::Slot* slot = *acquired;
    const std::size_t part = std::min(slot->bytes, bytes - done);
    std::memcpy(slot->address, from + done, part);
    cl_event event = nullptr;
    const cl_int error =
        cl_.EnqueueWriteBuffer(queue_.get(), to, CL_FALSE, offset + done, part, slot->address, 0, nullptr, &event);
    if (error != CL_SUCCESS) {
      ClStaging::release(slot);
      return clFailure(info_, fmt::format("write of {} bytes", bytes), error);
    }
    last = submit(event, [slot] { ClStaging::release(slot); });
    if (!last) return last;
    done += part;
  }
  return last;
}

Result<Event> OpenClDevice::stagedRead(cl_mem from, std::size_t offset, std::byte* to, std::size_t bytes) {
  Result<Event> last = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const Result<ClStaging::Slot*> acquired = slotFor(bytes - done);
    if (!acquired) return acquired.status();
    ClStaging::Slot* slot = *acquired;
    const std::size_t part = std::min(slot->bytes, bytes - done);
    cl_event event = nullptr;
    const cl_int error =
        cl_.EnqueueReadBuffer(queue_.get(), from, CL_FALSE, offset + done, part, slot->address, 0, nullptr, &event);
    if (error != CL_SUCCESS) {
      ClStaging::release(slot);
      return clFailure(info_, fmt::format("read of {} bytes", bytes), error);
    }
    last = submit(event, [slot, target = to + done, part] {
      std::memcpy(target, slot->address, part);
      ClStaging::release(slot);
    });
    if (!last) return last;
    done += part;
  }
  return last;
}

Result<Event> OpenClDevice::doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  if (staged_) return stagedWrite(memoryOf(to), offset, static_cast<const std::byte*>(from), bytes);
  cl_event event = nullptr;
  const cl_int error =
      cl_.EnqueueWriteBuffer(queue_.get(), memoryOf(to), CL_FALSE, offset, bytes, from, 0, nullptr, &event);
  if (error != CL_SUCCESS) return clFailure(info_, fmt::format("write of {} bytes", bytes), error);
  return submit(event);
}

Result<Event> OpenClDevice::doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  if (staged_) return stagedRead(memoryOf(from), offset, static_cast<std::byte*>(to), bytes);
  cl_event event = nullptr;
  const cl_int error =
      cl_.EnqueueReadBuffer(queue_.get(), memoryOf(from), CL_FALSE, offset, bytes, to, 0, nullptr, &event);
  if (error != CL_SUCCESS) return clFailure(info_, fmt::format("read of {} bytes", bytes), error);
  return submit(event);
}

Result<Event> OpenClDevice::doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                                   std::size_t bytes) {
  cl_event event = nullptr;
  const cl_int error = cl_.EnqueueCopyBuffer(queue_.get(), memoryOf(from), memoryOf(to), fromOffset, toOffset, bytes, 0,
                                             nullptr, &event);
  if (error != CL_SUCCESS) return clFailure(info_, fmt::format("copy of {} bytes", bytes), error);
  return submit(event);
}

}  // namespace muster::cdm
