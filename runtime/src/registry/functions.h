// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program's translation units, by address, and what regions and loops of other units may do with them
// (docs/decisions/0019-functions-of-other-units.md). Filled by constructors, also of libraries that are loaded later.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/abi.h"

namespace muster::rt {

// What stands in front of a kernel's text.
struct FunctionTexts {
  std::string text;
  bool needsFp64 = false;
  std::string obstacle;  // why there is no text: the kernel runs natively
};

class FunctionTable {
 public:
  // Of a unit; count 0: its functions are gone.
  void add(const muster_function* functions, std::uint32_t count, std::uint32_t abiVersion);

  // Why a region that calls these functions keeps its team; empty: all of them, and what they call, are harmless.
  [[nodiscard]] const std::string& whyTeam(const muster_calls& calls);
  // Why a loop that calls these functions stays on rank 0; empty: all ranks may run them.
  [[nodiscard]] const std::string& whyHere(const muster_calls& calls);
  // What a function reaches through its pointer of this number.
  [[nodiscard]] muster_reach reach(const void* function, std::uint32_t pointer);
  // Whether loops may count on numbers of threads that another unit has told theirs.
  [[nodiscard]] bool tellsThreads() const { return tellsThreads_.load(std::memory_order_acquire); }
  // For a kernel with these flags, of functions that all ranks may run.
  [[nodiscard]] FunctionTexts texts(const muster_calls& calls, std::uint32_t kernelFlags);

 private:
  using Obstacle = const char* muster_function::*;
  struct Answer {
    std::uint64_t age;  // of the table
    std::string why;
  };
  [[nodiscard]] const std::string& answer(const muster_calls& calls, Obstacle obstacle, unsigned question);
  [[nodiscard]] bool findTold() const;
  [[nodiscard]] std::string findObstacle(const muster_calls& calls, Obstacle obstacle) const;

  std::mutex mutex_;
  std::map<const muster_function*, std::uint32_t> units_;  // tables and their lengths
  std::unordered_multimap<const void*, const muster_function*> functions_;
  std::atomic<bool> tellsThreads_ = false;
  std::atomic<std::uint64_t> age_ = 0;  // counts units that came or went
  std::deque<Answer> answers_;          // all that were ever given: who asks keeps the last one, and needs no lock then
};

// The process's table, never destroyed.
FunctionTable& functionTable();

// What muster_reach_first and muster_reach_last give.
[[nodiscard]] muster_reach elementsReached(const void* function, std::uint32_t pointer, std::int64_t before,
                                           std::int64_t ahead);

}  // namespace muster::rt
