// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the library underneath the transport (MPI) carries messages from a device's memory to one of another rank
// faster than they go through host memory. Ranks that have such devices send to the next one in a ring and receive from
// the one before, all at the same time, as ghost cells travel; once in each way.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "muster/cap/executor.h"

namespace muster::cap {

inline constexpr std::size_t noMessage = std::numeric_limits<std::size_t>::max();

// Messages of so many bytes and more are faster; noMessage: none is. Collective, and the same on all ranks.
// `devices`: this rank's own, by their index. `members`: those of all ranks that may take part; of each rank the first
// one does. An error: ranks cannot talk, or a device fails. Where bytes come wrong, or a device lacks memory, it is
// noMessage, and `warn` hears why.
Result<std::size_t> tryDirectMessages(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                                      std::span<const DevicePlace* const> members,
                                      const std::function<void(const std::string&)>& warn);

}  // namespace muster::cap
