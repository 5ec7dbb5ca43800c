// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One OpenCL device, as the core of devices uses it: a context, and calls of the API one for one.
#pragma once

#include <memory>

#include "backends/opencl/api.h"
#include "stream/driver.h"

namespace muster::cdm {

Result<std::unique_ptr<Driver>> openClDriver(const ClHandle& handle, const DeviceInfo& info,
                                             const StreamOptions& options);

}  // namespace muster::cdm
