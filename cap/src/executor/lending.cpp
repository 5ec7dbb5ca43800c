// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of devices in the hands of another library.
#include <fmt/format.h>

#include "executor/executor_impl.h"
#include "executor/message_trial.h"

namespace muster::cap {
namespace {

// What is lent for one message takes this part of a device's memory at most.
constexpr std::uint64_t partOfMemory = 32;
// Of what was received; later ones wait for the first of them.
constexpr std::size_t mostWrites = 8;

// A message of parts of one array, one behind the other.
struct PartsMessage {
  std::vector<Copy> copies;
  Message message;

  PartsMessage(const ArrayInfo& info, MemoryId from, MemoryId to, std::span<const Interval> parts) {
    copies.reserve(parts.size());
    for (const Interval& part : parts) copies.push_back({info.id, info.elemSize, part, from, to});
    message.from = from, message.to = to;
    for (const Copy& copy : copies) {
      message.copies.push_back(&copy);
      message.bytes += static_cast<std::size_t>(copy.bytes());
    }
  }
};

}  // namespace

bool Executor::lends(MemoryId memory) const {
  const auto found = impl_->storageByMemory_.find(memory);
  return memory != hostMemory && found != impl_->storageByMemory_.end() && found->second->device().hasRooms();
}

Result<std::byte*> Executor::lend(MemoryId memory, std::size_t bytes) {
  if (bytes > impl_->storageOf(memory)->device().info().memoryBytes / partOfMemory)
    return Status(Errc::outOfMemory, fmt::format("{} bytes are too many for a message in a device's memory", bytes));
  MUSTER_TRY(impl_->retireWrites(impl_->options_.pipeline.windowBytes, mostWrites));
  auto staging = impl_->takeStaging(bytes, memory, true);
  if (!staging.ok()) return staging.status();
  std::byte* const address = staging->get();
  impl_->lent_.emplace(address, std::move(*staging));
  return address;
}

Status Executor::readLent(std::byte* lent, MemoryId memory, std::uint32_t array, std::span<const Interval> parts) {
  const PartsMessage whole(impl_->record(array).info, memory, hostMemory, parts);
  Impl::ErrorGuard guard(*impl_);
  Impl::Passage passage;
  passage.message = &whole.message;
  passage.bytes = {lent, whole.message.bytes};
  MUSTER_TRY(impl_->gather(passage));
  MUSTER_TRY(impl_->waitFor(passage.reads));
  guard.dismiss();
  return {};
}

Status Executor::writeLent(std::byte* lent, MemoryId memory, const Plan& plan, std::uint32_t array,
                           std::span<const Interval> parts) {
  const PartsMessage whole(impl_->record(array).info, hostMemory, memory, parts);
  Interval hull;
  for (const Interval& part : parts) hull = hull.hull(part);
  Impl::ErrorGuard guard(*impl_);
  MUSTER_TRY(impl_->makeRoomIn(memory, {{array, hull}}).at(impl_->where(impl_->storageOf(memory)->device())));
  Impl::Passage passage;
  passage.message = &whole.message;
  passage.bytes = {lent, whole.message.bytes};
  passage.staging = std::move(impl_->lent_.at(lent));  // it comes back once it is written
  MUSTER_TRY(impl_->scatter(passage));
  impl_->lent_.erase(lent);
  impl_->commit(plan);
  guard.dismiss();
  return {};
}

void Executor::giveBack(std::byte* lent) {
  const auto found = impl_->lent_.find(lent);
  impl_->keepStaging(std::move(found->second));
  impl_->lent_.erase(found);
}

Result<std::optional<std::size_t>> Executor::tryMessages(cdm::Transport& processes) {
  std::vector<cdm::ComputeDevice*> devices;
  for (const auto& storage : impl_->storage_)
    if (storage != nullptr && storage->device().hasRooms()) devices.push_back(&storage->device());
  const std::byte takes{!devices.empty()};
  const Result<std::vector<cdm::Bytes>> all = processes.allGather({&takes, 1});
  if (!all.ok()) return all.status();
  std::vector<DevicePlace> places;
  for (std::size_t rank = 0; rank < all->size(); ++rank)
    if ((*all)[rank].front() != std::byte{0}) places.push_back({static_cast<int>(rank), 0, hostMemory, {}, 0, true});
  if (places.size() < 2) return std::optional<std::size_t>();
  std::vector<const DevicePlace*> members;
  members.reserve(places.size());
  for (const DevicePlace& place : places) members.push_back(&place);
  const Result<std::size_t> from = tryDirectMessages(processes, devices, members, [this](const std::string& text) {
    impl_->options_.warn(impl_->here() + ": " + text);
  });
  if (!from.ok()) return from.status();
  return *from == noMessage ? std::nullopt : std::optional(*from);
}

}  // namespace muster::cap
