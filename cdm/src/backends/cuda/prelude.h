// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of kernels are OpenCL C 1.2 that is CUDA C++ as well, behind this: what stands in front of each for NVRTC.
#pragma once

namespace muster::cdm {

// Options that it needs: --device-as-default-execution-space, and --std=c++20 for initialisers with names of members,
// which few texts have.
extern const char* const cudaPrelude;

}  // namespace muster::cdm
