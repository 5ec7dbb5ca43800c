// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor's books: arrays, memories, states, and the room that a plan needs.
#include "muster/cap/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "executor/executor_impl.h"
#include "muster/cdm/host_allocation.h"

namespace muster::cap {

Executor::Impl::Impl(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices,
                     std::vector<DevicePlace> table, ExecutorOptions options)
    : transport_(transport),
      table_(std::move(table)),
      options_(std::move(options)),
      trace_(options_.trace),
      pins_(cdm::hostMemoryBytes() / 8) {
  ranks_[hostMemory] = 0;
  storage_.resize(devices.size());
  for (const DevicePlace& place : table_) {
    ranks_[place.memory] = place.rank;
    if (place.rank != transport_.rank()) continue;
    if (place.index >= devices.size()) panic("the device table names a device that this rank does not have");
    cdm::ComputeDevice& device = *devices[place.index];
    storage_[place.index] = std::make_unique<DeviceStorage>(device, place.memory == hostMemory, place.capacity);
    storageByMemory_[place.memory] = storage_[place.index].get();
    if (!place.computes) continue;
    const Status timed = trace_.add(device, static_cast<std::uint32_t>(&place - table_.data()));
    if (!timed.ok()) options_.warn(where(device) + " cannot time its operations: " + timed.message());
  }
}

int Executor::Impl::rankOf(MemoryId memory) const {
  const auto found = ranks_.find(memory);
  if (found == ranks_.end()) panic(fmt::format("memory {} belongs to no rank", memory));
  return found->second;
}

const DevicePlace& Executor::Impl::placeOf(MemoryId memory) const {
  const auto found = std::ranges::find(table_, memory, &DevicePlace::memory);
  if (found == table_.end()) panic(fmt::format("memory {} belongs to no device", memory));
  return *found;
}

DeviceStorage* Executor::Impl::storageOf(MemoryId memory) {
  const auto found = storageByMemory_.find(memory);
  return found == storageByMemory_.end() ? nullptr : found->second;
}

Executor::Impl::Record& Executor::Impl::record(std::uint32_t array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) panic(fmt::format("a plan names array {}, which does not exist", array));
  return found->second;
}

std::string Executor::Impl::here() const {
  return fmt::format("rank {} on {}", transport_.rank(), transport_.hostName());
}

std::string Executor::Impl::where(const cdm::ComputeDevice& device) const {
  return fmt::format("{}, device {}", here(), device.info().name);
}

// 16 bits of index: tags of 64 consecutive commands differ in the bits that a transport surely tells apart.
std::uint64_t Executor::Impl::tag(std::uint64_t sequence, std::uint32_t index) const { return sequence << 16 | index; }

// Whether all of it is in windows already, as where launches come again.
bool Executor::Impl::hasRoom(const Plan& plan, std::span<const Copy> copies, std::span<const ArrayUse> arrays) {
  const auto has = [](DeviceStorage* storage, std::uint32_t array, const Interval& elements) {
    if (storage == nullptr || elements.empty()) return true;
    const Window* window = storage->find(array);
    return window != nullptr && window->elements.contains(elements);
  };
  const auto hasCopied = [&](MemoryId memory, const Copy& copy) {
    return memory == hostMemory || has(storageOf(memory), copy.array, copy.elements);
  };
  for (const Chunk& chunk : plan.chunks) {
    DeviceStorage* const storage = storageOf(chunk.memory);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!has(storage, arrays[i].array, chunk.windows[i])) return false;
    }
  }
  return std::all_of(copies.begin(), copies.end(),
                     [&](const Copy& copy) { return hasCopied(copy.to, copy) && hasCopied(copy.from, copy); });
}

Status Executor::Impl::makeRoom(const Plan& plan, std::span<const Copy> copies, std::span<const ArrayUse> arrays) {
  if (hasRoom(plan, copies, arrays)) return {};
  std::map<MemoryId, WantedWindows> wanted;
  const auto want = [&](MemoryId memory, std::uint32_t array, const Interval& elements) {
    if (elements.empty() || storageOf(memory) == nullptr) return;
    Interval& hull = wanted[memory][array];
    hull = hull.hull(elements);
  };
  // Arrays are in host memory as they are; the device that computes there may be doing so now (runNative).
  const auto wantCopied = [&](MemoryId memory, const Copy& copy) {
    if (memory != hostMemory) want(memory, copy.array, copy.elements);
  };
  for (const Copy& copy : copies) {
    wantCopied(copy.to, copy);
    if (rankOf(copy.from) == 0) wantCopied(copy.from, copy);
  }
  for (const Chunk& chunk : plan.chunks) {
    for (std::size_t i = 0; i < arrays.size(); ++i) want(chunk.memory, arrays[i].array, chunk.windows[i]);
  }
  for (const auto& [memory, windows] : wanted) {
    const Status status = makeRoomIn(memory, windows);
    if (!status.ok()) return status.at(where(storageOf(memory)->device()));
  }
  return {};
}

Status Executor::Impl::makeRoomIn(MemoryId memory, const WantedWindows& wanted) {
  DeviceStorage& storage = *storageOf(memory);
  const auto needOf = [&](std::uint32_t id) {
    const Record& array = record(id);
    const auto window = wanted.find(id);
    return DeviceStorage::Need{&array.info, array.state->heldBy(memory),
                               window == wanted.end() ? Interval{} : window->second};
  };
  for (const auto& [id, elements] : wanted) {
    const Window* window = storage.find(id);
    if (window != nullptr && window->elements.contains(elements)) continue;
    const Record& array = record(id);
    const IntervalSet held = array.state->heldBy(memory);
    Status status = storage.ensure(array.info, elements, held);
    if (status.code() == Errc::outOfMemory) {
      MUSTER_TRY(releaseMergeBuffers(storage));
      dropStagingOf(storage.device());
      MUSTER_TRY(storage.reclaim(needOf));
      status = storage.ensure(array.info, elements, held, DeviceStorage::Growth::throughHost);
    }
    if (!status.ok()) return status;
  }
  return {};
}

void Executor::Impl::commit(const Plan& plan) {
  for (const auto& [id, state] : plan.next) {
    ArrayStateRef& now = record(id).state;
    if (now != state) now = state;
  }
}

Executor::Executor(cdm::Transport& transport, std::vector<cdm::ComputeDevice*> devices, std::vector<DevicePlace> table,
                   ExecutorOptions options)
    : impl_(std::make_unique<Impl>(transport, std::move(devices), std::move(table), std::move(options))) {}

Status Executor::connect() {
  std::vector<cdm::ComputeDevice*> devices;
  for (const auto& storage : impl_->storage_) devices.push_back(&storage->device());
  return impl_->links_.connect(impl_->transport_, devices, impl_->table_, impl_->options_.pipeline.deviceMessageBytes,
                               impl_->options_.directMessages,
                               [this](const std::string& text) { impl_->options_.warn(impl_->here() + ": " + text); });
}

bool Executor::isDirect(MemoryId from, MemoryId to) const { return impl_->links_.isDirect(from, to); }

std::optional<std::size_t> Executor::directMessagesFrom() const { return impl_->links_.carriedFrom(); }

// Devices may still read what was received for them.
Executor::~Executor() {
  if (!impl_->stagedWrites_.empty()) impl_->abandon(nullptr);
}

Status Executor::addArray(const ArrayInfo& info) {
  if (info.elemSize == 0 || info.count < 0)
    return {Errc::invalidArgument, fmt::format("array {} has no valid size", info.name)};
  const bool added =
      impl_->arrays_.try_emplace(info.id, Impl::Record{info, std::make_shared<ArrayState>(info.count, hostMemory)})
          .second;
  if (!added) return {Errc::protocol, fmt::format("array id {} is in use already", info.id)};
  return {};
}

Status Executor::removeArray(std::uint32_t id) {
  impl_->pins_.forget(id);
  if (impl_->arrays_.erase(id) == 0) return {Errc::protocol, fmt::format("there is no array {} to release", id)};
  for (auto& storage : impl_->storage_) {
    if (storage != nullptr) MUSTER_TRY(storage->release(id).at(impl_->where(storage->device())));
  }
  return {};
}

const ArrayInfo* Executor::array(std::uint32_t id) const {
  const auto found = impl_->arrays_.find(id);
  return found == impl_->arrays_.end() ? nullptr : &found->second.info;
}

ArrayStateRef Executor::state(std::uint32_t id) const { return impl_->record(id).state; }

Status Executor::Impl::onDevices(Status (cdm::ComputeDevice::*call)()) {
  for (auto& storage : storage_) {
    if (storage != nullptr) MUSTER_TRY((storage->device().*call)().at(where(storage->device())));
  }
  return {};
}

// Devices that fail here say nothing new.
void Executor::Impl::abandon(Transfer* transfer) {
  for (auto& storage : storage_) {
    if (storage != nullptr) (void)storage->device().finish();
  }
  if (transfer != nullptr) abandoned_.push_back(std::move(*transfer));
}

Status Executor::transfer(const Plan& plan, std::uint64_t sequence) {
  Impl::Transfer transfer;
  Impl::ErrorGuard guard(*impl_, &transfer);
  const std::span<const Copy> copies = impl_->copiesOf(plan, transfer);
  MUSTER_TRY(impl_->makeRoom(plan, copies, {}));
  TraceScope whole(impl_->trace_.sink(), TraceEvent::Kind::transfer, sequence);
  if (impl_->trace_.detailed() && !copies.empty()) {
    whole.event().bytes = static_cast<std::uint64_t>(plan.bytesMoved());
    whole.event().array = copies.front().array;
  }
  MUSTER_TRY(impl_->beginTransfer(transfer, copies, sequence));
  MUSTER_TRY(impl_->endTransfer(transfer, sequence));
  impl_->commit(plan);
  guard.dismiss();
  return {};
}

Status Executor::finishDevices() { return impl_->onDevices(&cdm::ComputeDevice::finish); }

bool Executor::holdsLaunches() const {
  return std::ranges::any_of(impl_->storage_, [](const std::unique_ptr<DeviceStorage>& storage) {
    return storage != nullptr && storage->device().holdsLaunches();
  });
}

Status Executor::flushDevices() { return impl_->onDevices(&cdm::ComputeDevice::flush); }

void Executor::harvestTimings() { impl_->trace_.harvest(); }

void Executor::warnOfRaces() { impl_->races_.warn(impl_->options_.warn); }

}  // namespace muster::cap
