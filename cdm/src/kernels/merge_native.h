// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native side of the merge kernels.
#pragma once

#include "muster/cdm/merge_kernels.h"

namespace muster::cdm {

[[nodiscard]] muster_native_fn mergeNative(MergeKernel kernel, std::size_t unit);
[[nodiscard]] muster_native_fn mergeUpdateNative(ScalarType type);
[[nodiscard]] muster_native_fn mergeCombineNative(ScalarType type);

}  // namespace muster::cdm
