// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job of many memories in miniature: each memory holds a number per element, and so does the oracle, a program that
// runs in one memory. Applies plans as an executor would, runs chunks iteration by iteration, merges copies, and checks
// what the planner promises.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "muster/cap/planner.h"
#include "nests.h"

namespace muster::cap::testing {

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  // All elements valid in `memory` only.
  void create(std::uint32_t array, std::int64_t count, MemoryId memory);
  [[nodiscard]] const ArrayStateRef& state(std::uint32_t array) const { return arrays_.at(array).state; }
  [[nodiscard]] std::vector<ArrayStateRef> states(const LaunchSpec& spec) const;

  // Checks the plan against the launch, does what it says, takes over the new states. "": all is well.
  std::string launch(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices, const Plan& plan);
  std::string hostAccess(std::uint32_t array, const IntervalSet& elements, bool write, const Plan& plan);

 private:
  using Values = std::vector<std::int64_t>;
  struct Array {
    ArrayStateRef state;
    Values newest;                    // the oracle's
    std::map<MemoryId, Values> data;  // what each memory holds; -1: never had one
  };
  // One time that a chunk touches an element. Writes store values of their own, updates apply `value`.
  struct Touch {
    const Access* access = nullptr;
    std::uint32_t array = 0;
    std::int64_t element = 0;
    std::int64_t value = 0;
  };
  using Touches = std::vector<std::vector<Touch>>;  // by chunk

  // Differs from all others, so that each write changes its element.
  std::int64_t newValue() { return static_cast<std::int64_t>(random_() >> 1); }
  Values& memory(std::uint32_t array, MemoryId id);
  std::string applyCopies(const Plan& plan);
  std::string checkChunks(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices, const Plan& plan) const;
  std::string checkWindows(const LaunchSpec& spec, const Chunk& chunk, std::size_t parameter) const;
  std::string checkMinimal(const Plan& plan, const std::vector<Copy>& copies) const;
  std::string checkMerges(const LaunchSpec& spec, const Plan& plan) const;
  // Two chunks touch an element only where the plan has thought of it.
  std::string checkSharing(const LaunchSpec& spec, const Plan& plan, const Touches& touches) const;
  // Checks that what iterations [lo, hi) read is the newest value; what they touch.
  std::string collect(const LaunchSpec& spec, const Chunk& chunk, const Plan& plan, std::vector<Touch>& touches);
  void run(const std::vector<Touch>& touches, MemoryId where);
  std::string runAndMerge(const Plan& plan, const std::vector<Chunk>& chunks, const Touches& touches);
  void runOracle(const Touches& touches);
  std::string takeStates(const Plan& plan);

  Random random_;
  std::map<std::uint32_t, Array> arrays_;
};

// old op operand, the operand that changes nothing, and what a merge makes of the old value and a partial one. What
// is true stays as it is as long as only its truth counts.
std::int64_t updated(UpdateOp op, std::int64_t old, std::int64_t operand);
std::int64_t identityOf(UpdateOp op);

}  // namespace muster::cap::testing
