// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the device's clock to the host's.
#include "stream/timings.h"

#include <algorithm>
#include <limits>

#include "muster/cdm/clock.h"

namespace muster::cdm {

namespace {
constexpr int calibrations = 9;
}  // namespace

Status TimingLog::calibrate() {
  const Result<Owned<DriverQueue>> queue = driver_.createQueue(true, false);
  if (!queue) return queue.status();
  static constexpr int value = 0;  // a transfer that could not be waited for may come to it later
  const Result<Owned<DriverMemory>> memory = driver_.allocate(sizeof value);
  if (!memory) return driver_.failure("times of operations", memory.status());
  // A transfer starts after its call and ends before it was waited for: the tightest of these bounds count.
  std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < calibrations; ++i) {
    Owned<DriverEvent> event;
    const std::int64_t called = traceClock();
    Status done = driver_.write({queue->get(), {}, &event}, memory->get(), 0, &value, {sizeof value});
    if (done.ok()) done = driver_.wait(event.get());
    const std::int64_t returned = traceClock();
    if (!done.ok()) return driver_.failure("times of operations", done);
    const Result<std::int64_t> begin = driver_.timeOf(event.get(), Driver::Moment::begin),
                               end = driver_.timeOf(event.get(), Driver::Moment::end);
    if (!begin || !end) return driver_.failure("times of operations", begin ? end.status() : begin.status());
    least = std::max(least, called - *begin);
    most = std::min(most, returned - *end);
  }
  offset_ = least + (most - least) / 2;
  return {};
}

// A driver that has no times of one operation leaves a gap in a trace, which is all that it is.
std::int64_t TimingLog::keep(DriverEvent* event, const Label& label, Event id, std::uint64_t call) {
  if (!label.measured) {
    store(call, {label.kind, id, 0, 0, label.bytes, false, label.steps});
    return 0;
  }
  const Result<std::int64_t> begin = driver_.timeOf(label.begin ? label.begin.get() : event, Driver::Moment::begin),
                             end = driver_.timeOf(event, Driver::Moment::end);
  if (!begin || !end) return 0;
  offset_ = std::max(offset_, label.calledNs - *begin);
  offset_ = std::min(offset_, traceClock() - *end);
  Unfinished& unfinished = unfinished_[id % lanes];
  if (!unfinished.any) unfinished = {*begin + offset_, 0, true};
  unfinished.bytes += label.bytes;
  if (!label.last) return *end - *begin;
  store(call, {label.kind, id, unfinished.beginNs, *end + offset_, unfinished.bytes, true, label.steps});
  unfinished = {};
  return *end - *begin;
}

void TimingLog::store(std::uint64_t call, const OperationTiming& timing) {
  if (kept_.size() == capacity) kept_.pop_front();
  kept_.push_back({call, timing});
}

std::vector<OperationTiming> TimingLog::take() {
  std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.call < b.call; });
  std::vector<OperationTiming> taken;
  taken.reserve(kept_.size());
  for (const Kept& kept : kept_) taken.push_back(kept.timing);
  kept_.clear();
  return taken;
}

}  // namespace muster::cdm
