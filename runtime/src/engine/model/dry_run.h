// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_DRY_RUN: one process plans a program's launches for many ranks, computes nothing and moves nothing, and tells
// at the end what each loop would send, and what planning it took.
//
// Thread-safety: the note functions under the controller's lock, the rest after the last launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/device_table.h"
#include "engine/model/fake_time.h"
#include "muster/cap/planner.h"
#include "muster/cdm/status.h"
#include "registry/registry.h"

namespace muster::rt {

// What the copies of one plan mean for ranks.
struct Traffic {
  std::uint64_t bytes = 0;           // of all copies, also between devices of one rank
  std::uint64_t largestOfARank = 0;  // bytes that one rank sends and receives
  std::uint64_t messages = 0;        // all copies from one memory to one of another rank
  std::uint64_t largestMessage = 0;
  std::uint64_t merged = 0;  // bytes of contested elements that would be sent if chunks changed all of them
};
using RanksOfMemories = std::unordered_map<cap::MemoryId, int>;
[[nodiscard]] RanksOfMemories ranksOf(const DeviceTable& table);
[[nodiscard]] Traffic trafficOf(const cap::Plan& plan, const RanksOfMemories& ranks);

class DryRun {
 public:
  explicit DryRun(const DeviceTable& table) : table_(table), ranks_(ranksOf(table)) {}

  // The job's devices do not exist, and its time is modelled.
  void model(std::unique_ptr<FakeTime> time) { time_ = std::move(time); }
  [[nodiscard]] FakeTime* time() const { return time_.get(); }

  // seconds: what planning took; fresh: it was not replayed from the memo.
  void noteLaunch(const KernelEntry& kernel, const cap::PlanRef& plan, double seconds, bool fresh);
  void noteHostAccess(const cap::Plan& plan);

  // Median and longest of the fresh plans of all loops; 0 without any.
  [[nodiscard]] double medianSeconds() const;
  [[nodiscard]] double longestSeconds() const;

  [[nodiscard]] std::string text(const cap::PlanCache& plans) const;

 private:
  struct Known {
    std::weak_ptr<const cap::Plan> plan;
    Traffic traffic;
  };
  struct Loop {
    std::string name, location;
    std::uint64_t launches = 0, onHost = 0, fresh = 0;
    Traffic sum, most;
    std::vector<double> seconds;  // of fresh plans, the first ones
    double longest = 0;
    std::array<Known, 4> known;  // of plans that are replayed: to sum up a million messages takes half a second
    std::size_t oldest = 0;      // of these
  };
  [[nodiscard]] const Traffic& trafficOf(Loop& loop, const cap::PlanRef& plan) const;
  void print(std::string& out, const Loop& loop) const;

  const DeviceTable& table_;
  const RanksOfMemories ranks_;
  std::map<std::uint64_t, Loop> loops_;  // by kernel
  std::unique_ptr<FakeTime> time_;
  std::uint64_t hostAccesses_ = 0, hostBytes_ = 0;
};

}  // namespace muster::rt
