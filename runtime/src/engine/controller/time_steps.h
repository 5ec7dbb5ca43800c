// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are steps of time, of which several become one (temporal blocking: Wonnacott, IPDPS 2000). Each of them
// reads what the one before it wrote, in two arrays (muster_steps in muster/chunk.h): those of one loop, where the
// arrays change places, or of two loops in turn (registry/pairs.h).
//
// An odd number of steps waits for one more: that one overwrites the array that the last but one of them would have
// written, so that nobody needs it. Nothing moves to or from the host between such launches, and no page changes its
// protection; else the program could not go on while they wait. So a launch waits only behind two that were carried out
// as they are, one in each direction, and that left the host's share of the arrays alone.
//
// Pure. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "muster/chunk.h"
#include "protocol/protocol.h"
#include "registry/registry.h"

namespace muster::rt {

class TimeSteps {
 public:
  // What is known of a launch's loop: where it writes, as a form; and whether its two arrays are as long as each other
  // and begin at the same element, so that what may be read of one may be read of the other.
  struct Loop {
    muster_steps steps = {};
    std::vector<std::int64_t> place = {};
    bool isAlike = false;
  };
  // Of two kernels, the first one's step first. nullptr: they cannot take turns.
  using FindPair = std::function<const KernelEntry*(std::uint64_t first, std::uint64_t second)>;

  explicit TimeSteps(FindPair findPair = {}) : findPair_(std::move(findPair)) {}

  // A launch comes. True: it waits. Others come behind what waits.
  [[nodiscard]] bool takes(const protocol::Launch& command);
  [[nodiscard]] bool empty() const { return waiting_ == 0; }
  // As many as can be one, of those that wait, to be carried out next. None: there are too few.
  [[nodiscard]] std::optional<protocol::Launch> takeTogether();
  // The first one, as it came, where nothing is to wait any longer. None: nothing waits.
  [[nodiscard]] std::optional<protocol::Launch> takeOne();
  // So many launches were to be one, and cannot be.
  void split(std::uint32_t steps);

  // A launch was carried out as it came. `sparesHost`: what the host has of its arrays is as it was.
  void ran(const protocol::Launch& command, Loop loop, bool sparesHost);
  // Whether hostChanged() has to be called: a launch that came before depends on it.
  [[nodiscard]] bool watches() const;
  // The host's share of some array changes by something else.
  void hostChanged() { ++epoch_; }

 private:
  struct Direction {
    protocol::Launch command;
    Loop loop;
    std::uint64_t provenIn = 0;         // epoch; 0: in none
    const KernelEntry* pair = nullptr;  // of two loops in turn, of which this is the first one
  };
  [[nodiscard]] protocol::Launch take(std::uint32_t steps);
  [[nodiscard]] bool isKnown(const Direction& direction, const protocol::Launch& command) const;
  [[nodiscard]] bool takeTurns(Direction& one, Direction& other) const;
  [[nodiscard]] std::uint32_t most() const;

  FindPair findPair_;
  std::array<Direction, 2> directions_;
  std::uint64_t epoch_ = 1;
  std::uint32_t waiting_ = 0;
  std::size_t first_ = 0;   // the direction of the first one that waits
  bool hasJoined_ = false;  // of those that waited together, some have been taken
  // Launches that do not wait because others did in vain, and how many there will be the next time.
  std::uint32_t rest_ = 0, nextRest_ = 0;
};

}  // namespace muster::rt
