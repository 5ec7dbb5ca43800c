// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices of different ranks hand messages to each other within devices' memory (cdm::DeviceRooms). Each device
// has as many rooms for each rank as the transport has bare ones (cdm::Loan): whoever holds the bare room of a number
// may use the sender's room of that number. So who has a room, and what is said about it, is the transport's business.
#pragma once

#include <functional>
#include <map>
#include <memory>
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
  // a room at most. An error: ranks cannot talk. Devices that cannot share memory are no error: `warn` hears why, once.
  Status connect(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                 std::span<const DevicePlace> table, std::size_t roomBytes,
                 const std::function<void(const std::string&)>& warn);

  // The rooms for messages from a memory of one rank to one of another, as this rank, which is at one end of them,
  // knows them. nullptr: such messages go through host memory. Both ranks say the same.
  [[nodiscard]] const cdm::DeviceRooms* between(MemoryId from, MemoryId to) const {
    const auto found = rooms_.find({from, to});
    return found == rooms_.end() ? nullptr : found->second.get();
  }
  // Whether messages between two memories do not go through host memory, those of one rank included. Every rank knows.
  [[nodiscard]] bool isDirect(MemoryId from, MemoryId to) const { return direct_.contains({from, to}); }

 private:
  RoomsOfPairs rooms_;
  std::set<Pair> direct_;
};

}  // namespace muster::cap
