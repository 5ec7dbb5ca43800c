// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenCL 1.2 functions that Muster calls, looked up in the ICD loader at run time: a program starts on
// machines without OpenCL.
#pragma once

#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "muster/cdm/faults.h"
#include "muster/cdm/status.h"

namespace muster::cdm {

#define MUSTER_CL_FUNCTIONS(X) \
  X(BuildProgram)              \
  X(CreateBuffer)              \
  X(CreateCommandQueue)        \
  X(CreateContext)             \
  X(CreateKernel)              \
  X(CreateProgramWithBinary)   \
  X(CreateProgramWithSource)   \
  X(EnqueueCopyBuffer)         \
  X(EnqueueFillBuffer)         \
  X(EnqueueMapBuffer)          \
  X(EnqueueMarkerWithWaitList) \
  X(EnqueueNDRangeKernel)      \
  X(EnqueueReadBuffer)         \
  X(EnqueueReadBufferRect)     \
  X(EnqueueUnmapMemObject)     \
  X(EnqueueWriteBuffer)        \
  X(EnqueueWriteBufferRect)    \
  X(Finish)                    \
  X(Flush)                     \
  X(GetDeviceIDs)              \
  X(GetDeviceInfo)             \
  X(GetEventInfo)              \
  X(GetEventProfilingInfo)     \
  X(GetKernelWorkGroupInfo)    \
  X(GetPlatformIDs)            \
  X(GetPlatformInfo)           \
  X(GetProgramBuildInfo)       \
  X(GetProgramInfo)            \
  X(ReleaseCommandQueue)       \
  X(ReleaseContext)            \
  X(ReleaseEvent)              \
  X(ReleaseKernel)             \
  X(ReleaseMemObject)          \
  X(ReleaseProgram)            \
  X(SetKernelArg)              \
  X(WaitForEvents)

struct ClApi {
#define MUSTER_CL_MEMBER(name) std::function<std::remove_pointer_t<decltype(&::cl##name)>> name;
  MUSTER_CL_FUNCTIONS(MUSTER_CL_MEMBER)
#undef MUSTER_CL_MEMBER
};
using ClApiPtr = std::shared_ptr<const ClApi>;

// Loads `library`; it stays loaded until the process ends, because drivers do not survive being unloaded. `faults` may
// be nullptr.
Result<ClApiPtr> loadClApi(const std::string& library, const std::shared_ptr<Faults>& faults);

// "CL_OUT_OF_RESOURCES (-5)".
std::string clErrorName(cl_int error);

}  // namespace muster::cdm
