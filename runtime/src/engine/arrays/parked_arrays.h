// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that the program has freed, kept with their ids, pages and device buffers for the next ones of their kind
// (docs/decisions/0022): which array is given again, and how much is kept. Not thread-safe.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "host/memory/host_memory.h"
#include "host/space/kept_memory.h"

namespace muster::rt {

class ParkedArrays {
 public:
  // Each has two mappings, pages of its own, and a buffer on each device.
  static constexpr std::size_t kMost = 1024;
  // What all ranks know of an array, but for its name.
  struct Kind {
    std::size_t bytes = 0;
    std::uint32_t elemSize = 0;
    bool replicated = false;
    auto operator<=>(const Kind&) const = default;
  };

  explicit ParkedArrays(std::size_t mostBytes = SIZE_MAX) : memory_(mostBytes) {}

  // An array that is not a parked one lives from now on, or no longer.
  void noteCreated(const Kind& kind) { countAllocation(kind); }
  void noteReleased(const Kind& kind) { noteFreed(kind); }

  // A live array is kept. What there is no room for then, surplus() gives.
  void park(const Kind& kind, std::uint32_t id, HostArray& array);
  // Those that are to be released, after others have been created or parked: what nobody wanted for long; of kinds that
  // never came again, whose memory the program may want for something else; then others. Of each, what was freed last
  // goes first: a program that frees more in turn than there is room for gets some of it again each time, and would get
  // none if the oldest went.
  [[nodiscard]] std::vector<HostArray*> surplus();
  // One that lives again, or nullptr. The lowest id: whatever the order in which arrays are freed, a time step gets the
  // same ones for the same variables, so that its launches have been planned before.
  [[nodiscard]] HostArray* take(const Kind& kind, std::size_t alignment);
  // All of them, to be released.
  [[nodiscard]] std::vector<HostArray*> takeAll();

  [[nodiscard]] std::size_t count() const { return byAge_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t liveBytes() const { return memory_.live(); }  // of the others, in whole pages
  [[nodiscard]] std::size_t room() const { return memory_.room(); }

 private:
  struct Parked {
    Kind kind;
    std::uint32_t id = 0;
    HostArray* array = nullptr;
    std::uint64_t since = 0;
    bool recurs = false;
  };
  using ByAge = std::list<Parked>;
  using Key = std::pair<Kind, std::uint32_t>;
  HostArray& remove(ByAge::iterator parked);
  void countAllocation(const Kind& kind);
  void noteFreed(const Kind& kind);

  KeptMemory memory_;
  std::map<Kind, bool> freed_;  // by kind, of those that were freed: whether one was made after that
  ByAge byAge_;                 // the oldest first
  std::map<Key, ByAge::iterator> byKind_;
  std::size_t bytes_ = 0;
  std::size_t onceBytes_ = 0;  // of those that do not recur
};

}  // namespace muster::rt
