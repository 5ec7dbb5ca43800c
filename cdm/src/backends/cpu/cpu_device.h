// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native CPU of one rank: all its cores as one device, running kernels' native code in place.
#pragma once

#include <memory>

#include "muster/cdm/device.h"

namespace muster::cdm {

// `threads`: what this rank's OpenMP teams have (cpuThreadShare); reported as compute units. The caller tells
// OpenMP, once for the process: the device never does.
std::unique_ptr<ComputeDevice> makeCpuDevice(unsigned threads);

}  // namespace muster::cdm
