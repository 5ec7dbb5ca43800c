// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which queued commands use which elements of arrays in the host's memory: rank 0's own chunks, copies from and to it.
// The program may touch these elements once the commands are done. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "muster/cap/planner.h"

namespace muster::rt {

struct HostUse {
  std::uint32_t array = 0;
  cap::Interval elements;
  bool write = false;
};

// What a plan does with host memory, each range as few intervals.
[[nodiscard]] std::vector<HostUse> hostUsesOf(const cap::Plan& plan, const std::vector<cap::ArrayUse>& arrays);

class HostUses {
 public:
  // A command, or with it all that were posted before. Commands may be done before older ones (CommandStream).
  struct Pending {
    std::uint64_t command = 0;
    bool andAllBefore = false;
  };
  using Done = std::function<bool(const Pending&)>;
  // The newest command that is not done and must be before the program reads (writes) these elements.
  [[nodiscard]] std::optional<Pending> newest(std::uint32_t array, const cap::Interval& elements, bool write,
                                              const Done& done) const;
  void note(const HostUse& use, std::uint64_t command);
  void forgetArray(std::uint32_t array) { uses_.erase(array); }

 private:
  struct Use {
    cap::Interval elements;
    bool write = false;
    Pending pending;
  };
  [[nodiscard]] static std::vector<Use> joined(const std::vector<Use>& uses);
  std::unordered_map<std::uint32_t, std::vector<Use>> uses_;  // by array
};

}  // namespace muster::rt
