// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and order of a device.
#include "stream/stream_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::cdm {

Result<std::unique_ptr<ComputeDevice>> openStreamDevice(std::unique_ptr<Driver> driver, const StreamOptions& options) {
  auto device = std::make_unique<StreamDevice>(std::move(driver), options);
  MUSTER_TRY(device->openQueues());
  return std::unique_ptr<ComputeDevice>(std::move(device));
}

StreamDevice::StreamDevice(std::unique_ptr<Driver> driver, const StreamOptions& options)
    : ComputeDevice(driver->info()),
      driver_(std::move(driver)),
      staged_(info_.kind != DeviceKind::cpu || options.likeGpu),
      staging_(*driver_),
      programs_(*driver_, options),
      queues_(*driver_) {
  if (!options.fuse) return;
  fuseLaunches();
  queues_.holdLaunches();
}

StreamDevice::~StreamDevice() {
  queues_.abandon();  // memory goes next
}

Status StreamDevice::openQueues() { return queues_.open(Timings::off); }

// ---------------------------------------------------------------- memory

Status StreamDevice::outOfMemory(std::size_t bytes, const std::string& why) const {
  return {Errc::outOfMemory,
          fmt::format("{}: cannot allocate {} bytes: {} (the device has {} bytes, one allocation may have {}, Muster "
                      "holds {} in {} buffers); use smaller arrays or more devices",
                      info_.name, bytes, why, info_.memoryBytes, info_.maxAllocationBytes, inUse_, buffers_.size())};
}

Result<Owned<DriverMemory>> StreamDevice::createMemory(std::size_t bytes) {
  ++memoriesMade_;
  // Whole words: atomics on elements of 8 and 16 bits work on the 32 bits around them.
  Result<Owned<DriverMemory>> memory = driver_->allocate((bytes + 3) / 4 * 4);
  if (memory) return memory;
  const Status why = memory.status();
  return why.code() == Errc::outOfMemory ? outOfMemory(bytes, why.message())
                                         : driver_->failure(fmt::format("allocating {} bytes", bytes), why);
}

Result<BufferId> StreamDevice::doAllocate(std::size_t bytes) {
  if (bytes > info_.maxAllocationBytes) return outOfMemory(bytes, "too large for one allocation");
  if (bytes > info_.memoryBytes - std::min<std::uint64_t>(info_.memoryBytes, inUse_))
    return outOfMemory(bytes, "the device's memory is full");
  Result<Owned<DriverMemory>> memory = createMemory(bytes);
  if (!memory) return memory.status();
  buffers_.emplace(++lastId_, Buffer{std::move(*memory), bytes, {}});
  inUse_ += bytes;
  return lastId_;
}

// The driver keeps the memory until operations that use it are complete, once they have started.
Status StreamDevice::doRelease(BufferId buffer) {
  MUSTER_TRY(queues_.startForOthers());
  auto at = buffers_.find(buffer);
  inUse_ -= at->second.bytes;
  buffers_.erase(at);
  return {};
}

// ---------------------------------------------------------------- order

Result<Queues::Order> StreamDevice::orderOf(Lane lane, const Buffer& buffer, const ByteRange& range, bool write) {
  Clock after = {};
  buffer.log.conflicts(range, write, after);
  return queues_.orderAfter(lane, after);
}

Result<Event> StreamDevice::keepTransfer(Lane lane, const Queues::Order& order, Owned<DriverEvent> event,
                                         Buffer& buffer, const ByteRange& range, TimingLog::Label label,
                                         std::function<void()> done) {
  Result<Event> id = queues_.add(lane, order, std::move(event), std::move(label), std::move(done));
  if (id) buffer.log.add(range, lane != Lane::reads, lane, Queues::numberOf(*id), queues_.completed());
  return id;
}

Status StreamDevice::doWait(Event event) { return queues_.wait(event); }

Result<bool> StreamDevice::doTest(Event event) { return queues_.test(event); }

// What went into a slot needs nothing. Writes are complete in their order.
Status StreamDevice::doWaitForSource(Event /*write*/) {
  return lastDirectWrite_ == 0 ? Status() : queues_.wait(std::exchange(lastDirectWrite_, 0));
}

Status StreamDevice::doFinish() { return queues_.waitAll(); }

// Queues without timings may be faster, so they are exchanged when timings are asked for.
Status StreamDevice::doKeepTimings(Timings timings) {
  if (timings == queues_.timed()) return {};
  MUSTER_TRY(queues_.waitAll());
  MUSTER_TRY(queues_.open(timings));
  return timings == Timings::off ? Status() : queues_.timings().calibrate();
}

// An operation that failed is reported by the next call that waits.
std::vector<OperationTiming> StreamDevice::doTakeTimings() {
  (void)queues_.retireCompleted();
  return queues_.timings().take();
}

}  // namespace muster::cdm
