// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel of several (loop fusion): each work-item runs an iteration of each of them, or a block of iterations, one
// after the other.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::cdm {

// Of a kernel's argument. nullptr: a type of the program's own, which only the kernel's text names.
[[nodiscard]] const char* openClName(ScalarType type);

// Whether a kernel may be one of them: in its text no work-item meets another one, and no bits are left open. One with
// results must be the last one.
[[nodiscard]] bool mayBeFused(const KernelCode& code);

struct FusedPart {
  const KernelCode* code = nullptr;
  std::uint8_t form = 0;  // 0: an iteration for each work-item; else the number of one of its schedule's blocks
  [[nodiscard]] const muster_blocks* blocks() const { return form == 0 ? nullptr : &code->schedule.blocks[form - 1]; }
  bool operator==(const FusedPart&) const = default;
};

// Whether such a form may go with others: where its blocks lie is known by their lanes and their phase.
[[nodiscard]] bool hasOwnBlocks(const muster_blocks& blocks);
// Whether work-items have the same iterations of both.
[[nodiscard]] bool goTogether(const FusedPart& one, const FusedPart& other);

// In which order a common kernel has the arguments of so many: all arrays, then all scalars. A last one with results
// comes first, as it is the kernel that runs the others.
[[nodiscard]] std::vector<std::size_t> argumentOrder(std::size_t codes, bool hasResults);

// Each of them may, and goes together with the others. nullptr: their texts do not.
[[nodiscard]] std::unique_ptr<KernelCode> fusedCode(std::span<const FusedPart> parts);

}  // namespace muster::cdm
