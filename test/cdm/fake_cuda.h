// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in for CUDA's driver and for NVRTC (fake/cuda/objects.h), as tests open it. Without POCL it has no device.
#pragma once

#include <memory>
#include <utility>

#include "backends/cuda/inventory.h"

namespace muster::cdm::test {

inline CudaInventory fakeCuda(std::shared_ptr<Faults> faults = nullptr) {
  return CudaInventory(CudaInventory::Libraries{FAKE_CUDA_LIBRARY, {FAKE_CUDA_LIBRARY}}, std::move(faults));
}

}  // namespace muster::cdm::test
