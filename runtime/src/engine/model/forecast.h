// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands would take if other devices took part: planned twice in a row on a copy of the arrays' states, because
// the first time elements move to where the split wants them.
#pragma once

#include <functional>
#include <span>

#include "node/node.h"
#include "tuner/search/launch_cost.h"
#include "tuner/sets/tuned_job.h"

namespace muster::rt {

// works: the devices that have a part in the launch.
using SecondsPerIteration =
    std::function<double(std::uint64_t kernel, std::uint32_t device, const std::vector<bool>& works)>;

// table: the devices with the weights that they would have. Commands other than launches and host accesses, and those
// of arrays that are gone, do not count.
[[nodiscard]] Forecast forecast(const Node& node, std::span<const protocol::Command> commands, const DeviceTable& table,
                                const LaunchCost& cost, const SecondsPerIteration& perIteration);

}  // namespace muster::rt
