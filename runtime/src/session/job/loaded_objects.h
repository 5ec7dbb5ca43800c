// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which programs and libraries are in memory at a moment, to tell code of the program from code that came with drivers.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::rt {

class LoadedObjects {
 public:
  static LoadedObjects now();
  [[nodiscard]] LoadedObjects without(const LoadedObjects& others) const;
  [[nodiscard]] bool holds(const void* code) const;

  struct Segment {
    std::uintptr_t lo = 0, hi = 0;
    bool operator==(const Segment&) const = default;
  };
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;  // of code, ascending
};

}  // namespace muster::rt
