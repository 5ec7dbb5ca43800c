// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices of different ranks hand messages to each other past the host. On one host they do so within devices'
// memory (cdm::DeviceRooms). Each device has as many rooms for each rank as the transport has bare ones (cdm::Loan):
// whoever holds the bare room of a number may use the sender's room of that number. So who has a room, and what is said
// about it, is the transport's business. All others do so by MPI, if it takes addresses of devices' memory and is
// faster so (message_trial.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/cap/executor.h"

namespace muster::cap {

class DeviceLinks {
 public:
  using Pair = std::pair<MemoryId, MemoryId>;  // the sender's first; memories have the same numbers on all ranks
  using RoomsPtr = std::shared_ptr<const cdm::DeviceRooms>;
  using RoomsOfPairs = std::map<Pair, RoomsPtr>;

  // Collective, on all ranks of the transport. `devices`: this rank's own, by their index in the table. `roomBytes`: of
  // a room at most. An error: ranks cannot talk, or cdm::DirectMessages::always is not possible. Devices that cannot
  // share memory are no error: `warn` hears why, once.
  Status connect(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                 std::span<const DevicePlace> table, std::size_t roomBytes, cdm::DirectMessages byTransport,
                 const std::function<void(const std::string&)>& warn);

  // The rooms for messages from a memory of one rank to one of another, as this rank, which is at one end of them,
  // knows them. nullptr: such messages go through host memory. Both ranks say the same.
  [[nodiscard]] const cdm::DeviceRooms* between(MemoryId from, MemoryId to) const {
    const auto found = rooms_.find({from, to});
    return found == rooms_.end() ? nullptr : found->second.get();
  }
  // Whether messages between two memories do not go through host memory, those of one rank included. Every rank knows.
  [[nodiscard]] bool isDirect(MemoryId from, MemoryId to) const { return direct_.contains({from, to}); }
  // Whether the transport carries a message from memory of the one device to memory of the other, of two ranks that
  // lend each other no rooms for it. Each end may do otherwise.
  [[nodiscard]] bool isCarried(MemoryId from, MemoryId to, std::size_t bytes) const {
    return bytes >= carriedFrom_ && carried_.contains(from) && carried_.contains(to);
  }
  // The smallest such message; nullopt: there is none.
  [[nodiscard]] std::optional<std::size_t> carriedFrom() const {
    return carried_.empty() ? std::nullopt : std::optional(carriedFrom_);
  }

 private:
  Status carry(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
               std::span<const DevicePlace* const> members, cdm::DirectMessages byTransport,
               const std::function<void(const std::string&)>& warn);

  RoomsOfPairs rooms_;
  std::set<Pair> direct_;
  std::set<MemoryId> carried_;
  std::size_t carriedFrom_ = 0;
};

}  // namespace muster::cap
