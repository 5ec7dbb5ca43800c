// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of the fake CUDA as the backend calls them: one that is defined otherwise does not compile.
#pragma once

#include "objects.h"

#pragma GCC visibility push(default)
extern "C" {
using muster::cdm::cuda::Error, muster::cdm::cuda::NvrtcError;
using namespace muster::cdm::cuda;
#define FAKE_DRIVER(name, arguments) Error cu##name arguments;
#define FAKE_NVRTC(name, arguments) NvrtcError nvrtc##name arguments;
MUSTER_CUDA_FUNCTIONS(FAKE_DRIVER)
MUSTER_NVRTC_FUNCTIONS(FAKE_NVRTC)
#undef FAKE_DRIVER
#undef FAKE_NVRTC
}
#pragma GCC visibility pop
