// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank makes rooms, opens what others offer, and they agree: three messages to all.
#include "executor/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>

namespace muster::cap {
namespace {

// All rooms of a device take this part of its memory at most, and begin at multiples of so many bytes.
constexpr std::uint64_t memoryPart = 32, alignment = 4096;

// Two memories, the sender's first. Memories have the same numbers on all ranks.
struct Pair {
  std::uint64_t from = 0, to = 0;
  auto operator<=>(const Pair&) const = default;
};

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
  using Rooms = std::shared_ptr<const cdm::DeviceRooms>;

  Connection(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
             std::span<const DevicePlace> table)
      : transport_(transport), devices_(devices), table_(table) {}

  // Memories of devices that have rooms, of all ranks.
  Status findMembers() {
    cdm::Bytes mine(devices_.size());
    for (std::size_t i = 0; i < devices_.size(); ++i) mine[i] = std::byte{devices_[i]->hasRooms()};
    const Result<std::vector<cdm::Bytes>> all = transport_.allGather(mine);
    if (!all.ok()) return all.status();
    for (const DevicePlace& place : table_) {
      if (static_cast<std::size_t>(place.rank) >= all->size()) continue;  // of a dry run, whose other ranks are none
      const cdm::Bytes& ofRank = (*all)[static_cast<std::size_t>(place.rank)];
      if (place.index >= ofRank.size() || ofRank[place.index] == std::byte{0}) continue;
      (place.rank == transport_.rank() ? own_ : others_).push_back(&place);
    }
    return {};
  }
  // The same on all ranks.
  [[nodiscard]] bool hasSeveral() const { return own_.size() + others_.size() > 1; }

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
        for (const auto& value : {std::uint64_t{place->memory}, std::uint64_t(peer), made->offer.size()})
          append(offers, value);
        offers.insert(offers.end(), made->offer.begin(), made->offer.end());
        made_[{place->memory, static_cast<std::uint64_t>(peer)}] =
            std::make_shared<const cdm::DeviceRooms>(std::move(*made));
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
        if (devices_[from->index]->reaches(*devices_[to->index])) append(opened, Pair{from->memory, to->memory});
    for (std::size_t rank = 0; rank < offers_.size(); ++rank) {
      if (static_cast<int>(rank) == transport_.rank()) continue;
      for (std::span<const std::byte> left = offers_[rank]; !left.empty();) {
        const auto memory = take<std::uint64_t>(left);
        const auto peer = take<std::uint64_t>(left), bytes = take<std::uint64_t>(left);
        if (bytes > left.size()) panic("a rank's offer of device memory is too short");
        if (static_cast<int>(peer) == transport_.rank()) open(memory, left.first(bytes), opened);
        left = left.subspan(bytes);
      }
    }
    Result<std::vector<cdm::Bytes>> all = transport_.allGather(opened);
    if (!all.ok()) return all.status();
    for (const cdm::Bytes& ofRank : *all)
      for (std::span<const std::byte> left = ofRank; !left.empty();) agreed_.insert(take<Pair>(left));
    return {};
  }

  // Of pairs that the receiver has opened.
  [[nodiscard]] std::map<std::pair<MemoryId, MemoryId>, Rooms> rooms() const {
    std::map<std::pair<MemoryId, MemoryId>, Rooms> rooms;
    for (const auto& [pair, incoming] : opened_) rooms[{memoryOf(pair.from), memoryOf(pair.to)}] = incoming;
    for (const DevicePlace* to : others_) {
      for (const DevicePlace* from : own_) {
        if (agreed_.contains({from->memory, to->memory}))
          rooms[{from->memory, to->memory}] = made_.at({from->memory, static_cast<std::uint64_t>(to->rank)});
      }
    }
    return rooms;
  }
  // All pairs, of all ranks.
  [[nodiscard]] std::set<std::pair<MemoryId, MemoryId>> direct() const {
    std::set<std::pair<MemoryId, MemoryId>> all;
    for (const Pair& pair : agreed_) all.emplace(memoryOf(pair.from), memoryOf(pair.to));
    return all;
  }
  [[nodiscard]] const Status& problem() const { return problem_; }

 private:
  static MemoryId memoryOf(std::uint64_t number) { return static_cast<MemoryId>(number); }

  void open(std::uint64_t from, std::span<const std::byte> offer, cdm::Bytes& opened) {
    for (const DevicePlace* place : own_) {
      Result<cdm::DeviceRooms> rooms = devices_[place->index]->openRooms(offer);
      if (!rooms && rooms.status().code() != Errc::unsupported) problem_ = rooms.status();
      if (!rooms) continue;
      const Pair pair{from, place->memory};
      opened_[pair] = std::make_shared<const cdm::DeviceRooms>(std::move(*rooms));
      append(opened, pair);
    }
  }

  cdm::Transport& transport_;
  std::span<cdm::ComputeDevice* const> devices_;
  std::span<const DevicePlace> table_;
  std::vector<const DevicePlace*> own_, others_;
  std::vector<cdm::Bytes> offers_;  // by rank
  std::map<Pair, Rooms> made_;      // by own memory, and rank that may open them
  std::map<Pair, Rooms> opened_;
  std::set<Pair> agreed_;
  Status problem_;
};

}  // namespace

Status DeviceLinks::connect(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                            std::span<const DevicePlace> table, std::size_t roomBytes,
                            const std::function<void(const std::string&)>& warn) {
  Connection connection(transport, devices, table);
  MUSTER_TRY(connection.findMembers());
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
  return {};
}

}  // namespace muster::cap
