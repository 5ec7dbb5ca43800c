// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches get an event. On NVIDIA's driver an event adds 1.1 us to the 7 us of an enqueue, 7 us where the queue
// keeps times, and asking for its state and times 4 us more: for a kernel of 10 us all of that is longer than the
// kernel. So of short launches in a row only some have one. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "muster/cdm/device.h"

namespace muster::cdm {

class LaunchSampler {
 public:
  // Of so many launches without results one has an event at least.
  static constexpr unsigned every = 8;
  // One that takes longer has one each time, where times are kept: they weigh more than what they cost.
  static constexpr std::int64_t shortNs = 100'000;

  // Times::all: each launch has one.
  explicit LaunchSampler(Timings timings = Timings::off) : timings_(timings) {}

  // Launches that take about as long as each other: of one kernel and, within a factor of two, as many iterations. Each
  // group is sampled by itself, or a loop over the levels of a multigrid would show one level only, always the same.
  [[nodiscard]] static std::uint64_t groupOf(std::uint64_t kernel, double iterations) {
    return kernel +
           std::uint64_t{0x9e3779b97f4a7c15} * static_cast<std::uint64_t>(iterations > 1 ? std::ilogb(iterations) : 0);
  }

  // Whether the next launch of this group is to have one.
  [[nodiscard]] bool choose(std::uint64_t group) {
    const bool chosen = wanted(group);
    sinceEvent_ = chosen ? 0 : sinceEvent_ + 1;
    ++sinceMissing_;
    if (sparing_ > 0) --sparing_;
    if (timings_ == Timings::samples) {
      unsigned& own = groups_[group].sinceEvent;
      own = chosen ? 0 : own + 1;
    }
    return chosen;
  }

  // A launch of this group that had one took so long.
  void noteDuration(std::uint64_t group, std::int64_t ns) {
    if (timings_ != Timings::samples) return;
    Group& known = groups_[group];
    known.durationNs = ns;
    if (known.timed < leastTimed) ++known.timed;
  }

  // Somebody had to wait for a launch that has none, which costs a marker. Where that happens often, events are
  // cheaper; not so where times are kept.
  void noteMissing() {
    if (sinceMissing_ < often && timings_ == Timings::off) sparing_ = sparedFor;
    sinceMissing_ = 0;
  }

 private:
  static constexpr unsigned often = 16, sparedFor = 64, leastTimed = 2;
  struct Group {
    std::int64_t durationNs = 0;
    unsigned timed = 0, sinceEvent = 0;
  };

  [[nodiscard]] bool wanted(std::uint64_t group) const {
    if (timings_ == Timings::all || sparing_ > 0) return true;
    if (timings_ == Timings::off) return sinceEvent_ + 1 >= every;
    const auto found = groups_.find(group);
    // Kernels that are launched in turn must all be seen, so that each counts for itself.
    return found == groups_.end() || found->second.timed < leastTimed || found->second.durationNs >= shortNs ||
           found->second.sinceEvent + 1 >= every || sinceEvent_ + 1 >= 2 * every;
  }

  Timings timings_;
  unsigned sinceEvent_ = 0;
  unsigned sinceMissing_ = often;
  unsigned sparing_ = 0;
  std::unordered_map<std::uint64_t, Group> groups_;
};

}  // namespace muster::cdm
