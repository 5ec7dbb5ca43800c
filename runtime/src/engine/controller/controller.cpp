// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of rank 0, but for launches.
#include "engine/controller/controller.h"

#include <algorithm>

#include "host/system/runtime_section.h"

namespace muster::rt {

Status Controller::beginStream(CommandStream::OnError onError, bool waitAlways) {
  waitAlways_ = waitAlways;
  return stream_.begin(std::move(onError), {.holds = [this] { return node_.executor().holdsLaunches(); },
                                            .flush =
                                                [this] {
                                                  const RuntimeSection inTask;
                                                  return node_.executor().flushDevices();
                                                }});
}

// The number of the command is sequence_ from then on.
template <class Command>
Status Controller::post(const Command& command) {
  ++sequence_;
  if (transport_.size() == 1) return {};
  MUSTER_TRY(keepWindow());
  return transport_.postCommand(protocol::encode(command, sequence_));
}

// Posted by other files.
template Status Controller::post(const protocol::Launch& command);
template Status Controller::post(const protocol::Evict& command);

Status Controller::keepWindow() {
  if (sequence_ % windowCommands != 0) return {};
  MUSTER_TRY(transport_.waitAll(answers_));
  answers_.clear();
  for (int rank = 1; rank < transport_.size(); ++rank) {
    auto answer = transport_.receive(rank, windowTag(sequence_), {});
    if (!answer.ok()) return answer.status();
    answers_.push_back(std::move(*answer));
  }
  return {};
}

Rebalancer::Post Controller::poster() {
  return [this](const protocol::Command& command) -> Result<std::uint64_t> {
    // What waits was shown to spare the host with the weights so far.
    if (std::holds_alternative<protocol::Weights>(command)) MUSTER_TRY(endWaiting());
    MUSTER_TRY(this->post(command));
    return sequence_;
  };
}

Rebalancer::InOrder Controller::inOrder() {
  return [this](std::function<Status()> work) {
    return stream_
        .post({.run =
                   [work = std::move(work)] {
                     const RuntimeSection section;
                     return work();
                   }})
        .status();
  };
}

Result<std::uint32_t> Controller::createArray(std::uint32_t elemSize, std::int64_t count, std::string name,
                                              std::byte* host, const ArrayTraits& traits, cap::HostPages pages) {
  const RuntimeSection section;
  MUSTER_TRY(stream_.waitForRoom());
  const Lock lock(mutex_);
  MUSTER_TRY(runWaiting());
  const protocol::CreateArray command{nextArray_++, elemSize, count, std::move(name)};
  MUSTER_TRY(post(command));
  auto info = node_.declareArray(command, host);
  if (!info.ok()) return info.status();
  info->pages = std::move(pages);
  residency_.add(command.id, {elemSize, count, command.name, traits.block, traits.replicated});
  const auto posted = stream_.post({.run = [this, info = std::move(*info)] {
    const RuntimeSection inTask;
    return node_.executor().addArray(info);
  }});
  if (!posted.ok()) return posted.status();
  newest_[command.id] = *posted;
  return command.id;
}

std::optional<HostUses::Pending> Controller::pendingUse(std::uint32_t id, const cap::Interval& elements,
                                                        bool write) const {
  return uses_.newest(id, elements, write, [this](const HostUses::Pending& use) {
    return use.andAllBefore ? stream_.allDoneUntil(use.command) : stream_.done(use.command);
  });
}

Status Controller::waitFor(const HostUses::Pending& use) {
  return use.andAllBefore ? stream_.waitUntilAll(use.command) : stream_.wait(use.command);
}

Status Controller::settle(Lock& lock, std::uint32_t id, const cap::Interval& elements) {
  MUSTER_TRY(runWaiting());
  while (const auto use = pendingUse(id, elements, true)) {
    lock.unlock();
    MUSTER_TRY(waitFor(*use));
    lock.lock();
    MUSTER_TRY(runWaiting());
  }
  return {};
}

Status Controller::releaseArray(std::uint32_t id) {
  const RuntimeSection section;
  MUSTER_TRY(stream_.waitForRoom());
  Lock lock(mutex_);
  const cap::ArrayInfo* info = node_.array(id);
  const cap::Interval all{0, info == nullptr ? 0 : info->count};
  MUSTER_TRY(settle(lock, id, all));
  steps_.hostChanged();
  uses_.forgetArray(id);
  undefined_.erase(id);
  newest_.erase(id);
  if (rebalancer_ != nullptr) rebalancer_->forgetArray(id);
  const protocol::ReleaseArray command{id};
  MUSTER_TRY(post(command));
  MUSTER_TRY(node_.forgetArray(command));
  residency_.remove(id);
  return stream_
      .post({.run =
                 [this, id] {
                   const RuntimeSection inTask;
                   return node_.executor().removeArray(id);
                 }})
      .status();
}

Status Controller::discardContents(std::uint32_t id) {
  const Lock lock(mutex_);
  MUSTER_TRY(endWaiting());
  undefined_.insert(id);
  // What comes next in its place has nothing to do with the loops so far.
  if (rebalancer_ != nullptr) rebalancer_->forgetArray(id);
  return {};
}

bool Controller::isUndefined(std::uint32_t id) {
  const Lock lock(mutex_);
  return undefined_.contains(id);
}

bool Controller::roomy() {
  const Lock lock(mutex_);
  return residency_.roomy();
}

// What the host may still do with its pages is known before the command is queued: nothing can be written that would be
// lost, and nothing can be read too early. The command is the next one of the stream.
Status Controller::announce(const cap::Plan& plan, const std::vector<cap::ArrayUse>& arrays) {
  if (!undefined_.empty()) {
    for (const cap::ArrayUse& use : arrays) undefined_.erase(use.array);
  }
  if (observer_ != nullptr) {
    for (const auto& [id, next] : plan.next) {
      const cap::ArrayStateRef before = node_.state(id);
      if (before != next) MUSTER_TRY(observer_->stateChanges(id, *before, *next));
    }
  }
  node_.assume(plan);
  if (!stream_.running()) return {};
  for (const auto& [id, next] : plan.next) newest_[id] = stream_.next();
  for (const HostUse& use : hostUsesOf(plan, arrays)) {
    uses_.note(use, stream_.next());
    if (observer_ != nullptr) MUSTER_TRY(observer_->hostUse(use));
  }
  return {};
}

// Copies what the plan says; in a dry run only the states change.
Result<CommandStream::Number> Controller::move(cap::Plan plan, bool waitedFor, CommandStream::Overtakes overtakes,
                                               CommandStream::Number after) {
  if (dryRun_ != nullptr) return CommandStream::Number{0};
  const auto run = [this, plan = std::move(plan), sequence = sequence_] {
    const RuntimeSection section;
    return node_.executor().transfer(plan, sequence);
  };
  return stream_.post({.run = run, .waitedFor = waitedFor, .overtakes = overtakes, .after = after});
}

bool Controller::comesFromThisRank(const cap::Plan& plan) const {
  const std::vector<DeviceEntry>& devices = node_.table().devices();
  const auto here = [&](const cap::Copy& copy) {
    return std::any_of(devices.begin(), devices.end(), [&](const DeviceEntry& device) {
      return device.place.memory == copy.from && device.place.rank == transport_.rank();
    });
  };
  return plan.spreads.empty() && std::all_of(plan.copies.begin(), plan.copies.end(), here);
}

Result<std::int64_t> Controller::hostAccess(std::uint32_t id, const cap::IntervalSet& elements, cap::HostMode mode) {
  return hostAccess(id, elements, mode, [](const cap::ArrayState&, bool) { return Status(); });
}

Result<std::int64_t> Controller::hostAccess(std::uint32_t id, const cap::IntervalSet& elements, cap::HostMode mode,
                                            const Then& then) {
  const RuntimeSection section;
  const Waiting waiting(*this);
  Lock lock(mutex_);
  std::int64_t moved = 0;
  // Whoever waits lets others change states meanwhile: it starts again.
  for (;;) {
    MUSTER_TRY(runWaiting());
    // Undefined contents are not fetched. The host has all of them at once, since this is known of whole arrays only.
    const bool undefined = undefined_.contains(id);
    const protocol::HostAccess command =
        undefined ? protocol::HostAccess{id, cap::IntervalSet(cap::Interval{0, node_.array(id)->count}),
                                         cap::HostMode::overwrite}
                  : protocol::HostAccess{id, elements, mode};
    const bool own = command.mode != cap::HostMode::read;
    if (const auto use = pendingUse(id, command.elements.hull(), own)) {
      lock.unlock();
      MUSTER_TRY(waitFor(*use));
      lock.lock();
      continue;
    }
    const cap::ArrayStateRef state = node_.state(id);
    undefined_.erase(id);
    cap::IntervalSet lacking = own ? command.elements : state->missingAt(cap::hostMemory, command.elements);
    if (own) lacking.subtract(state->heldOnlyBy(cap::hostMemory));
    if (lacking.empty()) break;
    Result<cap::Plan> plan = node_.planAccess(command);
    if (!plan.ok()) return plan.status();
    // What uses these elements of host memory is done. Another rank carries out all commands before it sends, and may
    // need this rank for them.
    const CommandStream::Number after = newest_[id];
    const auto overtakes =
        comesFromThisRank(*plan) ? CommandStream::Overtakes::others : CommandStream::Overtakes::running;
    MUSTER_TRY(post(command));
    steps_.hostChanged();
    MUSTER_TRY(announce(*plan, {}));
    if (dryRun_ != nullptr) dryRun_->noteHostAccess(*plan);
    if (tuner_ != nullptr) tuner_->noteHostAccess(command);
    moved += plan->bytesMoved();
    const auto queued = move(std::move(*plan), true, overtakes, after);
    if (!queued.ok()) return queued.status();
  }
  const bool readOnly = pendingUse(id, elements.hull(), true).has_value();
  MUSTER_TRY(then(*node_.state(id), readOnly));
  return moved;
}

Status Controller::settle(std::uint32_t id, const cap::IntervalSet& elements) {
  const RuntimeSection section;
  const Waiting waiting(*this);
  Lock lock(mutex_);
  return settle(lock, id, elements.hull());
}

Result<std::uint64_t> Controller::fly(BuffersInFlight::Buffer buffer) {
  if (!buffer.atAlias && !checksBuffers_) return 0;
  const RuntimeSection section;
  const Waiting waiting(*this);
  Lock lock(mutex_);
  MUSTER_TRY(endWaiting());
  if (!buffer.atAlias) return inFlight_.begin(std::move(buffer));
  MUSTER_TRY(settle(lock, buffer.array, buffer.elements.hull()));
  const bool isHere = !undefined_.contains(buffer.array) &&
                      node_.state(buffer.array)->missingAt(cap::hostMemory, buffer.elements).empty();
  return isHere && !claiming_ && inFlight_.mayFillAlias(buffer.array) ? inFlight_.begin(std::move(buffer)) : 0;
}

Status Controller::setWeights(const protocol::Weights& weights) {
  const RuntimeSection section;
  const Lock lock(mutex_);
  MUSTER_TRY(endWaiting());
  MUSTER_TRY(post(weights));
  return node_.setWeights(weights, sequence_);
}

void Controller::setWeightsLater(std::vector<WeightStep> steps, double minShare) {
  later_ = std::move(steps);
  std::reverse(later_.begin(), later_.end());
  laterMinShare_ = minShare;
}

Status Controller::finishDevices() {
  const RuntimeSection section;
  const Waiting waiting(*this);
  Lock lock(mutex_);
  MUSTER_TRY(runWaiting());
  return runAndWait(lock, {.run =
                               [this] {
                                 const RuntimeSection inTask;
                                 return node_.executor().finishDevices();
                               },
                           .waitedFor = true});
}

Status Controller::shutdown() {
  const RuntimeSection section;
  {
    const Lock lock(mutex_);
    MUSTER_TRY(runWaiting());
  }
  MUSTER_TRY(stream_.waitForAll());
  MUSTER_TRY(stream_.end());
  const Lock lock(mutex_);
  if (rebalancer_ != nullptr) MUSTER_TRY(rebalancer_->finish());
  MUSTER_TRY(post(protocol::Shutdown{}));
  MUSTER_TRY(transport_.waitAll(answers_));
  answers_.clear();
  node_.executor().warnOfRaces();
  return node_.executor().finishDevices();
}

}  // namespace muster::rt
