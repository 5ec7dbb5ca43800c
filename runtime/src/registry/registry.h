// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registry: the kernels of this program by id, the same on every rank, each converted once into what devices and
// the planner need. Filled by constructors before main, also by libraries that are loaded later. Thread-safe.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/abi.h"
#include "muster/cap/access.h"
#include "muster/cdm/device.h"
#include "muster/cdm/status.h"

namespace muster::rt {

// A registered kernel. Lives as long as the process.
struct KernelEntry {
  const muster_kernel* descriptor = nullptr;
  cdm::KernelCode code;
  std::vector<cap::Access> accesses;  // without index forms, which each launch brings
  // Of a kernel that calls functions of other units: whose texts are there at the first launch.
  bool hasTexts = false;
  std::string nativeReason{};
  // Of two loops in turn (registry/pairs.h): those of the first step and of the second one.
  std::array<const KernelEntry*, 2> turns = {};
  bool isGuestFirst = false;

  // Under which launches are reported: of two in turn, the one whose step comes first.
  [[nodiscard]] const muster_kernel& loop() const { return turns[0] != nullptr ? *turns[0]->descriptor : *descriptor; }
};

class KernelPair;

class Registry {
 public:
  Registry();
  ~Registry();

  // Idempotent for kernels that are known already. Errors (another ABI version, one id with two texts) are kept
  // and returned by status(), because constructors have nobody to tell.
  void add(const muster_kernel* const* begin, const muster_kernel* const* end, std::uint32_t abiVersion);
  [[nodiscard]] Status status() const;

  // Whether a unit of the program registered itself, perhaps without kernels.
  [[nodiscard]] bool hasUnits() const;

  // How many kernels there are.
  [[nodiscard]] std::size_t size() const;
  // nullptr if there is none.
  [[nodiscard]] const KernelEntry* find(std::uint64_t id) const;
  // Of two kernels that take turns, as one; nullptr if it cannot be, or they are not known.
  [[nodiscard]] const KernelEntry* findPair(std::uint64_t first, std::uint64_t second) const;

 private:
  Status addOne(const muster_kernel& kernel);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<KernelEntry>> entries_;
  mutable std::unordered_map<std::uint64_t, std::unique_ptr<KernelPair>> pairs_;  // nullptr: they cannot be one
  Status status_;
  bool hasUnits_ = false;
};

// The process's registry, never destroyed.
Registry& registry();

// The id of the code of two loops in turn.
[[nodiscard]] std::uint64_t pairId(std::uint64_t first, std::uint64_t second);

// "file:line" of a descriptor.
[[nodiscard]] std::string location(const muster_loc& loc);

}  // namespace muster::rt
