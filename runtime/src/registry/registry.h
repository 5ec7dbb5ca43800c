// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registry: the kernels of this program by id, the same on every rank, each converted once into what devices and
// the planner need. Filled by constructors before main, also by libraries that are loaded later. Thread-safe.
#pragma once

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
};

class Registry {
 public:
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

 private:
  Status addOne(const muster_kernel& kernel);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<KernelEntry>> entries_;
  Status status_;
  bool hasUnits_ = false;
};

// The process's registry, never destroyed.
Registry& registry();

// "file:line" of a descriptor.
[[nodiscard]] std::string location(const muster_loc& loc);

}  // namespace muster::rt
