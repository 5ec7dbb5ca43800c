// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in memory of devices that another library reads or fills (muster/buffers.h).
#include "engine/controller/controller.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

// For reads: it alone has the newest of all these elements. For fills: it has some of each, as of ghost cells.
std::optional<cap::MemoryId> Controller::lenderOf(const cap::ArrayState& state, const cap::IntervalSet& elements,
                                                  bool filled) const {
  if (filled && state.missingAt(cap::hostMemory, elements) != elements) return std::nullopt;
  for (const DeviceEntry& device : node_.table().devices()) {
    const cap::MemoryId memory = device.place.memory;
    if (node_.executor().lends(memory) && state.missingAt(memory, elements).empty()) return memory;
  }
  return std::nullopt;
}

Result<std::byte*> Controller::lend(std::uint32_t id, std::vector<cap::Interval> parts, bool filled) {
  const RuntimeSection section;
  const Waiting waiting(*this);
  Lock lock(mutex_);
  std::byte* lent = nullptr;
  if (dryRun_ != nullptr || transport_.size() > 1 || undefined_.contains(id)) return lent;
  MUSTER_TRY(runWaiting());
  const auto memory = lenderOf(*node_.state(id), cap::IntervalSet::of(parts), filled);
  if (!memory) return lent;
  std::size_t bytes = 0;
  for (const cap::Interval& part : parts) bytes += static_cast<std::size_t>(part.size()) * node_.array(id)->elemSize;
  const auto run = [&]() -> Status {
    const RuntimeSection inTask;
    const Result<std::byte*> got = node_.executor().lend(*memory, bytes);
    if (got.status().code() == Errc::outOfMemory) return {};  // the host's memory will do
    if (!got.ok()) return got.status();
    if (filled) MUSTER_TRY(node_.executor().readLent(*got, *memory, id, parts));
    lent = *got;
    return {};
  };
  // As a fetch from this rank's devices: what comes before it in the array's order is done.
  MUSTER_TRY(runAndWait(lock, {.run = run,
                               .waitedFor = true,
                               .overtakes = CommandStream::Overtakes::others,
                               .after = filled ? newest_[id] : 0}));
  lock.lock();
  if (lent != nullptr) lent_.emplace(lent, *memory);
  return lent;
}

Status Controller::runAndWait(Lock& lock, CommandStream::Task task) {
  const auto queued = stream_.post(std::move(task));
  lock.unlock();
  return queued.ok() ? stream_.wait(*queued) : queued.status();
}

Status Controller::takeLent(std::byte* lent, std::uint32_t id, std::vector<cap::Interval> parts) {
  const RuntimeSection section;
  const Lock lock(mutex_);
  MUSTER_TRY(endWaiting());
  auto next = std::make_shared<cap::ArrayState>(*node_.state(id));
  const cap::MemoryId memory = lent_.at(lent);
  next->setOwner(cap::IntervalSet::of(parts), memory);
  lent_.erase(lent);
  cap::Plan plan;
  plan.next.emplace_back(id, std::move(next));
  undefined_.erase(id);
  MUSTER_TRY(announce(plan, {}));
  return stream_
      .post({.run =
                 [this, lent, memory, id, plan = std::move(plan), parts = std::move(parts)] {
                   const RuntimeSection inTask;
                   return node_.executor().writeLent(lent, memory, plan, id, parts);
                 }})
      .status();
}

Status Controller::giveBack(std::byte* lent) {
  const RuntimeSection section;
  const Lock lock(mutex_);
  lent_.erase(lent);
  return stream_
      .post({.run =
                 [this, lent] {
                   node_.executor().giveBack(lent);
                   return Status();
                 }})
      .status();
}

// The calling thread does it: others may not be allowed to call the library.
Result<std::optional<std::size_t>> Controller::tryMessages(cdm::Transport& processes) {
  const RuntimeSection section;
  if (!stream_.running()) return node_.executor().tryMessages(processes);
  do MUSTER_TRY(stream_.waitForAll());
  while (!stream_.beginAtOnce());  // another thread has posted something meanwhile
  Result<std::optional<std::size_t>> found = node_.executor().tryMessages(processes);
  stream_.endAtOnce(found.status());
  return found;
}

}  // namespace muster::rt
