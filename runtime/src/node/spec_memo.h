// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specs of launches that came again, found by what their commands bring: building one takes dozens of small
// allocations, and plans of a spec that is the same object are found without reading it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "muster/cap/planner.h"
#include "protocol/protocol.h"

namespace muster::rt {

// Not thread-safe.
class SpecMemo {
 public:
  explicit SpecMemo(std::size_t mostSpecs = 4096) : mostSpecs_(mostSpecs) {}

  // nullptr if there is none. What else a spec depends on, the caller compares: its kernel's accesses, which never
  // change, and the arrays' sizes. hostOnly: the command's, or for want of devices.
  [[nodiscard]] cap::SpecRef find(const protocol::Launch& command, bool hostOnly) const;
  // In place of another one for the same command.
  void keep(const protocol::Launch& command, bool hostOnly, cap::SpecRef spec);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t kernel = 0, other = 0;
    bool hostOnly = false;
    std::uint32_t steps = 1;
    std::vector<protocol::Launch::Dim> dims;
    std::vector<std::int64_t> forms;
    std::vector<protocol::Launch::Array> arrays;
    cap::SpecRef spec;
    [[nodiscard]] bool isOf(const protocol::Launch& command, bool onHost) const;
  };

  std::size_t mostSpecs_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
};

}  // namespace muster::rt
