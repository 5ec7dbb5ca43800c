// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops that are steps of time and take turns, as a stencil and the copy back do: one kernel with the arguments of
// both (muster_steps in muster/chunk.h).
#pragma once

#include <memory>
#include <vector>

#include "registry/registry.h"

namespace muster::rt {

class KernelPair {
 public:
  // nullptr: their steps cannot be in one text.
  static std::unique_ptr<KernelPair> make(const KernelEntry& first, const KernelEntry& second);
  [[nodiscard]] const KernelEntry& entry() const { return entry_; }

 private:
  KernelPair(const KernelEntry& first, const KernelEntry& second, bool isGuestFirst);
  void addGuest(const KernelEntry& guest);

  KernelEntry entry_;
  muster_kernel descriptor_;
  muster_schedule schedule_;
  std::vector<muster_array_param> arrays_;
  std::vector<muster_scalar_param> scalars_;
};

}  // namespace muster::rt
