// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CUDA device, as the core of devices uses it: its primary context, streams, events.
#pragma once

#include <memory>

#include "backends/cuda/api.h"
#include "stream/driver.h"

namespace muster::cdm {

Result<std::unique_ptr<Driver>> cudaDriver(const CudaHandle& handle, const DeviceInfo& info,
                                           const StreamOptions& options);

}  // namespace muster::cdm
