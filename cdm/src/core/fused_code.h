// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel of several (loop fusion): each work-item runs an iteration of each of them, one after the other.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::cdm {

// Of a kernel's argument. nullptr: a type of the program's own, which only the kernel's text names.
[[nodiscard]] const char* openClName(ScalarType type);

// Whether a kernel may be one of them: its text has a form of an iteration for each work-item, which meets no other
// work-item and leaves no bits open. One with results must be the last one.
[[nodiscard]] bool mayBeFused(const KernelCode& code);

// In which order a common kernel has the arguments of so many: all arrays, then all scalars. A last one with results
// comes first, as it is the kernel that runs the others.
[[nodiscard]] std::vector<std::size_t> argumentOrder(std::size_t codes, bool hasResults);

// Each of them may. nullptr: their texts do not go together.
[[nodiscard]] std::unique_ptr<KernelCode> fusedCode(std::span<const KernelCode* const> codes);

}  // namespace muster::cdm
