// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank makes rooms, opens what others offer, and they agree: three messages to all. Then they try messages by
// MPI.
#include "executor/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>

#include "executor/message_trial.h"

namespace muster::cap {
namespace {

// All rooms of a device take this part of its memory at most, and begin at multiples of so many bytes.
constexpr std::uint64_t memoryPart = 32, alignment = 4096;

template <class T>
void append(cdm::Bytes& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
// Takes it off the front.
template <class T>
T take(std::span<const std::byte>& bytes) {
  T value;
  if (bytes.size() < sizeof value) panic("a rank's offer of device memory is too short");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

// All that the steps share.
class Connection {
 public:
  Connection(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
             std::span<const DevicePlace> table)
      : transport_(transport), devices_(devices), table_(table) {}

  // Memories of devices that have rooms, of all ranks; and which of them the transport may be given.
  Status findMembers(bool byTransport) {
    const bool takes = byTransport && transport_.takesDeviceMemory();
    cdm::Bytes mine(devices_.size());
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (devices_[i]->hasRooms()) mine[i] = takes ? isMember | isTaken : isMember;
    const Result<std::vector<cdm::Bytes>> all = transport_.allGather(mine);
    if (!all.ok()) return all.status();
    for (const DevicePlace& place : table_) {
      if (static_cast<std::size_t>(place.rank) >= all->size()) continue;  // of a dry run, whose other ranks are none
      const cdm::Bytes& ofRank = (*all)[static_cast<std::size_t>(place.rank)];
      if (place.index >= ofRank.size() || (ofRank[place.index] & isMember) == std::byte{0}) continue;
      (place.rank == transport_.rank() ? own_ : others_).push_back(&place);
      ranks_.insert(place.rank);
      if ((ofRank[place.index] & isTaken) != std::byte{0}) taken_.push_back(&place);
    }
    return {};
  }
  // The same on all ranks.
  [[nodiscard]] bool hasSeveral() const { return own_.size() + others_.size() > 1; }
  // Whether they are of several ranks. The same on all ranks.
  [[nodiscard]] bool areApart() const { return ranks_.size() > 1; }
  [[nodiscard]] std::span<const DevicePlace* const> taken() const { return taken_; }

  Status offer(std::size_t mostBytes) {
    std::set<int> peers;
    for (const DevicePlace* place : others_)
      if (transport_.loanLimits(place->rank).bareRooms > 0) peers.insert(place->rank);
    cdm::Bytes offers;
    for (const int peer : peers) {
      const std::uint32_t count = transport_.loanLimits(peer).bareRooms;
      for (const DevicePlace* place : own_) {
        cdm::ComputeDevice& device = *devices_[place->index];
        // A card that several ranks share has its capacity divided among them.
        const std::uint64_t own = place->capacity > 0 ? place->capacity : device.info().memoryBytes;
        const std::uint64_t rooms = std::max<std::uint64_t>(1, peers.size() * count);
        const std::size_t bytes = std::min<std::size_t>(mostBytes, own / memoryPart / rooms) / alignment * alignment;
        if (bytes == 0) continue;
        Result<cdm::DeviceRooms> made = device.makeRooms(bytes, count);
        if (!made) problem_ = made.status();
        if (!made) continue;
        append(offers, place->memory);
        append(offers, peer);
        append(offers, made->offer.size());
        offers.insert(offers.end(), made->offer.begin(), made->offer.end());
        made_[{place->memory, peer}] = std::make_shared<const cdm::DeviceRooms>(std::move(*made));
      }
    }
    Result<std::vector<cdm::Bytes>> all = transport_.allGather(offers);
    if (all.ok()) offers_ = std::move(*all);
    return all.status();
  }

  Status open() {
    cdm::Bytes opened;
    for (const DevicePlace* from : own_)
      for (const DevicePlace* to : own_)
        if (devices_[from->index]->reaches(*devices_[to->index])) appendPair(opened, from->memory, to->memory);
    for (std::size_t rank = 0; rank < offers_.size(); ++rank) {
      if (static_cast<int>(rank) == transport_.rank()) continue;
      for (std::span<const std::byte> left = offers_[rank]; !left.empty();) {
        const auto memory = take<MemoryId>(left);
        const auto peer = take<int>(left);
        const auto bytes = take<std::size_t>(left);
        if (bytes > left.size()) panic("a rank's offer of device memory is too short");
        if (peer == transport_.rank()) open(memory, left.first(bytes), opened);
        left = left.subspan(bytes);
      }
    }
    Result<std::vector<cdm::Bytes>> all = transport_.allGather(opened);
    if (!all.ok()) return all.status();
    for (const cdm::Bytes& ofRank : *all)
      for (std::span<const std::byte> left = ofRank; !left.empty();) {
        const auto from = take<MemoryId>(left);
        direct_.emplace(from, take<MemoryId>(left));
      }
    return {};
  }

  // Of pairs that the receiver has opened.
  [[nodiscard]] DeviceLinks::RoomsOfPairs rooms() const {
    DeviceLinks::RoomsOfPairs rooms = opened_;
    for (const DevicePlace* to : others_)
      for (const DevicePlace* from : own_)
        if (direct_.contains({from->memory, to->memory}))
          rooms[{from->memory, to->memory}] = made_.at({from->memory, to->rank});
    return rooms;
  }
  // All pairs, of all ranks.
  [[nodiscard]] const std::set<DeviceLinks::Pair>& direct() const { return direct_; }
  [[nodiscard]] const Status& problem() const { return problem_; }

 private:
  static constexpr std::byte isMember{1}, isTaken{2};

  static void appendPair(cdm::Bytes& bytes, MemoryId from, MemoryId to) {
    append(bytes, from);
    append(bytes, to);
  }

  void open(MemoryId from, std::span<const std::byte> offer, cdm::Bytes& opened) {
    for (const DevicePlace* place : own_) {
      Result<cdm::DeviceRooms> rooms = devices_[place->index]->openRooms(offer);
      if (!rooms && rooms.status().code() != Errc::unsupported) problem_ = rooms.status();
      if (!rooms) continue;
      opened_[{from, place->memory}] = std::make_shared<const cdm::DeviceRooms>(std::move(*rooms));
      appendPair(opened, from, place->memory);
    }
  }

  cdm::Transport& transport_;
  std::span<cdm::ComputeDevice* const> devices_;
  std::span<const DevicePlace> table_;
  std::vector<const DevicePlace*> own_, others_;
  std::set<int> ranks_;                                             // of both
  std::vector<const DevicePlace*> taken_;                           // of both
  std::vector<cdm::Bytes> offers_;                                  // by rank
  std::map<std::pair<MemoryId, int>, DeviceLinks::RoomsPtr> made_;  // by own memory, and rank that may open them
  DeviceLinks::RoomsOfPairs opened_;
  std::set<DeviceLinks::Pair> direct_;
  Status problem_;
};

}  // namespace

Status DeviceLinks::connect(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                            std::span<const DevicePlace> table, std::size_t roomBytes, cdm::DirectMessages byTransport,
                            const std::function<void(const std::string&)>& warn) {
  Connection connection(transport, devices, table);
  MUSTER_TRY(connection.findMembers(byTransport != cdm::DirectMessages::never));
  if (!connection.hasSeveral()) return {};
  MUSTER_TRY(connection.offer(roomBytes));
  MUSTER_TRY(connection.open());
  rooms_ = connection.rooms();
  direct_ = connection.direct();
  if (!connection.problem().ok())
    warn(
        fmt::format("devices do not share memory with all of those of other ranks on this host ({}); messages go "
                    "through the host's memory instead, which is slower",
                    connection.problem().message()));
  if (!connection.areApart()) return {};
  return carry(transport, devices, connection.taken(), byTransport, warn);
}

Status DeviceLinks::carry(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                          std::span<const DevicePlace* const> members, cdm::DirectMessages byTransport,
                          const std::function<void(const std::string&)>& warn) {
  if (byTransport == cdm::DirectMessages::always && !transport.takesDeviceMemory())
    return {Errc::unsupported,
            fmt::format("{} does not say that it takes addresses of devices' memory", transport.libraryVersion())};
  if (members.empty()) return {};
  const Result<std::size_t> from = byTransport == cdm::DirectMessages::always
                                       ? Result<std::size_t>(0)
                                       : tryDirectMessages(transport, devices, members, warn);
  if (!from.ok())
    return from.status().at("trying messages between devices' memories (not with MUSTER_GPU_AWARE_MPI=off)");
  if (*from == noMessage) return {};
  carriedFrom_ = *from;
  for (const DevicePlace* place : members) carried_.insert(place->memory);
  return {};
}

}  // namespace muster::cap
