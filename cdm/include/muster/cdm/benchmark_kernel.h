// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The micro benchmark's kernel.
#pragma once

#include <cstdint>

#include "muster/cdm/device.h"

namespace muster::cdm {

inline constexpr std::uint64_t benchmarkKernelId = 0x6d75737465720001;
const KernelCode& benchmarkKernel();

}  // namespace muster::cdm
