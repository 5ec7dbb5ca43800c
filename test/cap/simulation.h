// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job of many memories in miniature: each memory holds a version number per element. Applies plans as an executor
// would, runs chunks iteration by iteration, and checks what the planner promises.
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
  struct Array {
    ArrayStateRef state;
    std::vector<int> newest;                    // version of each element
    std::map<MemoryId, std::vector<int>> data;  // version that each memory holds; -1: never had one
  };
  struct Store {
    std::uint32_t array = 0;
    MemoryId memory = hostMemory;
    std::int64_t element = 0;
  };

  std::vector<int>& memory(std::uint32_t array, MemoryId id);
  std::string applyCopies(const Plan& plan);
  std::string checkChunks(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices, const Plan& plan) const;
  std::string checkWindows(const Chunk& chunk, const ArrayUse& use, std::size_t parameter) const;
  std::string checkMinimal(const Plan& plan) const;
  // Checks that each read of iterations [lo, hi) sees the newest version; collects the writes.
  std::string run(const LaunchSpec& spec, const Chunk& chunk, bool onHost, std::vector<Store>& stores);
  std::string takeStates(const Plan& plan);

  Random random_;
  std::map<std::uint32_t, Array> arrays_;
  int version_ = 0;
};

}  // namespace muster::cap::testing
