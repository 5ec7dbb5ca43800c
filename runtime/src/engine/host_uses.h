// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which queued commands use which elements of arrays in the host's memory: rank 0's own chunks, copies from and to it.
// The program may touch these elements once the commands are done. Not thread-safe.
#pragma once

#include <cstdint>
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
  // The newest command that must be done before the program reads (writes) these elements; 0: none was noted.
  [[nodiscard]] std::uint64_t newest(std::uint32_t array, const cap::Interval& elements, bool write) const;
  void note(const HostUse& use, std::uint64_t command);
  void forgetArray(std::uint32_t array) { uses_.erase(array); }

 private:
  struct Use {
    cap::Interval elements;
    bool write = false;
    std::uint64_t command = 0;
  };
  [[nodiscard]] static std::vector<Use> joined(const std::vector<Use>& uses);
  std::unordered_map<std::uint32_t, std::vector<Use>> uses_;  // by array
};

}  // namespace muster::rt
