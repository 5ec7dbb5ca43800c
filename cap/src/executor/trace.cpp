// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of operations that are done at once are recorded at once; those of a device that works by itself wait here for
// the times that the device gives.
#include "executor/trace.h"

#include <algorithm>
#include <span>
#include "muster/cdm/iterations.h"

namespace muster::cap {
namespace {

// A device that times nothing must not make this grow for ever.
constexpr std::size_t kMostUnderWay = std::size_t{1} << 16;

std::uint64_t iterationsOf(const LaunchRequest& request, const Interval& iterations) {
  return static_cast<std::uint64_t>(cdm::iterationsOf(iterations.size(), request.dims.subspan(1)));
}

TraceEvent::Kind kindOf(cdm::OperationTiming::Kind kind) {
  switch (kind) {
    case cdm::OperationTiming::Kind::kernel:
      return TraceEvent::Kind::chunk;
    case cdm::OperationTiming::Kind::write:
      return TraceEvent::Kind::deviceWrite;
    case cdm::OperationTiming::Kind::read:
      return TraceEvent::Kind::deviceRead;
    case cdm::OperationTiming::Kind::copy:
      break;
  }
  return TraceEvent::Kind::deviceCopy;
}

}  // namespace

Status ExecutorTrace::add(cdm::ComputeDevice& device, std::uint32_t number) {
  const cdm::Timings wanted = detailed_ ? cdm::Timings::all : cdm::Timings::samples;
  const Status status = sink_ != nullptr ? device.keepTimings(wanted) : Status();
  devices_.push_back({&device, number, status.ok()});
  return status;
}

const ExecutorTrace::Device* ExecutorTrace::find(const cdm::ComputeDevice& device) const {
  for (const Device& known : devices_) {
    if (known.device == &device) return &known;
  }
  return nullptr;
}

void ExecutorTrace::finishOrKeep(const Device& device, TraceEvent& event, cdm::Event operation) {
  event.device = device.number;
  if (operation == 0) {
    event.endNs = traceClock();
    sink_->record(event);
  } else if (device.timed && underWay_.size() < kMostUnderWay) {
    underWay_[{device.number, operation}] = event;
  }
}

void ExecutorTrace::chunk(cdm::ComputeDevice& device, const LaunchRequest& request, const Interval& iterations,
                          std::uint64_t sequence, std::int64_t beganNs, cdm::Event event) {
  const Device* known = sink_ != nullptr ? find(device) : nullptr;
  if (known == nullptr) return;
  TraceEvent chunk;
  chunk.kind = TraceEvent::Kind::chunk;
  chunk.beginNs = beganNs;
  chunk.sequence = sequence;
  chunk.kernel = request.spec->kernel;
  chunk.lo = iterations.lo;
  chunk.hi = iterations.hi;
  chunk.amount = iterationsOf(request, iterations) * (event == 0 ? request.steps : 1);
  finishOrKeep(*known, chunk, event);
  if (event != 0) harvestMany();  // native chunks may run beside a transfer
}

void ExecutorTrace::transfer(cdm::ComputeDevice& device, TraceEvent::Kind kind, const CopyRun& run,
                             std::int64_t beganNs, cdm::Event event) {
  const Device* known = detailed_ ? find(device) : nullptr;
  if (known == nullptr) return;
  TraceEvent transfer;
  transfer.kind = kind;
  transfer.beginNs = beganNs;
  transfer.sequence = sequence_;
  transfer.bytes = run.bytes();
  transfer.array = run.first().array;
  finishOrKeep(*known, transfer, event);
}

void ExecutorTrace::message(TraceEvent::Kind kind, const Message& message, int peer, std::int64_t beganNs) {
  if (!detailed_) return;
  TraceEvent event;
  event.kind = kind;
  event.beginNs = beganNs;
  event.endNs = traceClock();
  event.sequence = sequence_;
  event.bytes = message.bytes;
  event.array = message.copies.front()->array;
  for (const Copy* copy : message.copies) {
    if (copy->array != event.array) event.array = TraceEvent::none;
  }
  event.index = message.index;
  event.peer = peer;
  sink_->record(event);
}

// A device that is far behind is not asked at each launch.
void ExecutorTrace::harvestMany() {
  if (underWay_.size() < harvestAt_) return;
  harvest();
  harvestAt_ = std::max(kHarvestAt, std::min(2 * underWay_.size(), kMostUnderWay));
}

void ExecutorTrace::harvest() {
  if (sink_ == nullptr) return;
  for (const Device& device : devices_) {
    if (!device.timed) continue;
    for (const cdm::OperationTiming& timing : device.device->takeTimings()) {
      const auto found = underWay_.find({device.number, timing.event});
      TraceEvent event;
      if (found != underWay_.end()) {
        event = found->second;
        if (event.kind == TraceEvent::Kind::chunk) event.amount *= timing.steps;
        underWay_.erase(found);
      } else {
        // An operation of the runtime's own, such as moving a window.
        if (!detailed_ || timing.kind == cdm::OperationTiming::Kind::kernel) continue;
        event.kind = kindOf(timing.kind);
        event.bytes = timing.bytes;
        event.device = device.number;
      }
      event.measured = timing.measured;
      event.fused = timing.fused;
      event.beginNs = timing.beginNs;
      event.endNs = timing.endNs;
      sink_->record(event);
    }
  }
}

}  // namespace muster::cap
