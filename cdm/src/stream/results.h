// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch gives back beside the arrays: partial results of work-groups, which the host puts together. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "muster/cdm/device.h"

namespace muster::cdm {

// Each work-group has a partial; of other results there is one.
[[nodiscard]] bool isPerGroup(const KernelCode::ResultParam& result);
[[nodiscard]] bool reduces(const KernelCode& code);
[[nodiscard]] bool mayEnd(const KernelCode& code);
// What a result's partials take up in a staging slot; starts stay aligned.
[[nodiscard]] std::size_t partialBytes(const KernelCode::ResultParam& result, std::size_t groups);
// As many groups as are worth it for so many iterations, whose partials fit into a small slot.
[[nodiscard]] std::size_t maxReductionGroups(const KernelCode& code, std::uint32_t computeUnits, double iterations);
// Partials of one result, as the work-groups wrote them, into the caller's variable.
void combinePartials(const KernelCode::ResultParam& result, const std::byte* partials, std::size_t groups, void* to);

}  // namespace muster::cdm
