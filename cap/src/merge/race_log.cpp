// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts about races.
#include "merge/race_log.h"

#include <fmt/format.h>

namespace muster::cap {

std::string RaceLog::describe(const Race& race) {
  return fmt::format(
      "{}: element {} of array {} was changed to different values by {} in the loop at {}; iterations that run at the "
      "same time must not write one element, unless atomically",
      race.write, race.element, race.array, race.devices, race.loop);
}

void RaceLog::add(const Race& race) {
  const auto [found, added] = races_.try_emplace({race.kernel, race.array}, race);
  if (!added) found->second.count += race.count;
}

void RaceLog::warn(const std::function<void(const std::string&)>& warn) {
  for (const auto& [key, race] : races_) {
    warn(
        fmt::format("{}: the loop changed {} element{} of array {} to different values on two devices; the value of "
                    "the later iterations was kept. MUSTER_CHECK=races shows where",
                    race.loop, race.count, race.count == 1 ? "" : "s", race.array));
  }
  races_.clear();
}

}  // namespace muster::cap
