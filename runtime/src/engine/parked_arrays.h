// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that the program has freed, kept with their ids, pages and device buffers for the next ones of their kind
// (docs/decisions/0022): which array is given again, and how much is kept. Not thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "host/host_memory.h"

namespace muster::rt {

class ParkedArrays {
 public:
  // What is kept beyond the most that the program had a short time ago.
  static constexpr std::size_t kSpareBytes = std::size_t{64} << 20;
  // Each has two mappings, pages of its own, and a buffer on each device.
  static constexpr std::size_t kMost = 1024;
  // So many allocations are a short time: more than a time step has, and few enough to notice that a phase is over.
  static constexpr std::uint64_t kShortTime = 4096;

  // What all ranks know of an array, but for its name.
  struct Kind {
    std::size_t bytes = 0;
    std::uint32_t elemSize = 0;
    bool replicated = false;
    auto operator<=>(const Kind&) const = default;
  };

  // An array that is not a parked one lives from now on, or no longer.
  void noteCreated(std::size_t bytes);
  void noteReleased(std::size_t bytes);

  // A live array is kept. What there is no room for then, surplus() gives.
  void park(const Kind& kind, std::uint32_t id, HostArray& array);
  // Those that are to be released, after others have been created or parked: what nobody wanted for long, then what
  // came last. A program that frees more in turn than there is room for gets some of it again each time; if the oldest
  // ones had to go, it would get none.
  [[nodiscard]] std::vector<HostArray*> surplus();
  // One that lives again, or nullptr. The lowest id: whatever the order in which arrays are freed, a time step gets the
  // same ones for the same variables, so that its launches have been planned before.
  [[nodiscard]] HostArray* take(const Kind& kind, std::size_t alignment);
  // All of them, to be released.
  [[nodiscard]] std::vector<HostArray*> takeAll();

  [[nodiscard]] std::size_t count() const { return byAge_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t room() const;

 private:
  struct Parked {
    Kind kind;
    std::uint32_t id = 0;
    HostArray* array = nullptr;
    std::uint64_t since = 0;
  };
  using ByAge = std::list<Parked>;
  using Key = std::pair<Kind, std::uint32_t>;
  HostArray& remove(ByAge::iterator parked);
  void countAllocation(std::size_t bytes);

  ByAge byAge_;  // the oldest first
  std::map<Key, ByAge::iterator> byKind_;
  std::size_t bytes_ = 0;
  std::size_t live_ = 0;                   // bytes of arrays that are not parked
  std::size_t most_ = 0, mostBefore_ = 0;  // of live_, in this short time and in the one before
  std::uint64_t allocations_ = 0;
};

}  // namespace muster::rt
