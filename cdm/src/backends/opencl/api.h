// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenCL 1.2 functions that Muster calls, looked up in the ICD loader at run time: a program starts on
// machines without OpenCL. Also one device as its platform lists it, and owners of OpenCL objects.
#pragma once

#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "muster/cdm/device.h"
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

struct ClHandle {
  ClApiPtr api;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

// Owns one reference to an OpenCL object; Release is the member of ClApi that drops it.
template <class T, auto Release>
class ClObject {
 public:
  ClObject() = default;
  ClObject(ClApiPtr api, T object) : api_(std::move(api)), object_(object) {}
  ClObject(ClObject&& other) noexcept : api_(std::move(other.api_)), object_(std::exchange(other.object_, nullptr)) {}
  ClObject& operator=(ClObject&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  // The only errors that releasing can give are those of a broken handle, which cannot be helped here.
  ~ClObject() {
    if (object_) (void)((*api_).*Release)(object_);
  }

  [[nodiscard]] T get() const { return object_; }
  [[nodiscard]] T take() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  ClApiPtr api_;
  T object_ = nullptr;
};

using ClContext = ClObject<cl_context, &ClApi::ReleaseContext>;
using ClQueue = ClObject<cl_command_queue, &ClApi::ReleaseCommandQueue>;
using ClProgram = ClObject<cl_program, &ClApi::ReleaseProgram>;
using ClKernel = ClObject<cl_kernel, &ClApi::ReleaseKernel>;
using ClMemory = ClObject<cl_mem, &ClApi::ReleaseMemObject>;

// Drivers report a crashed kernel at the next call, as missing resources or as an invalid queue: the device is lost
// then. The message is the error's name.
Status clError(cl_int error);
inline Status clStatus(cl_int error) { return error == CL_SUCCESS ? Status() : clError(error); }

// Text of a device's or a platform's property, "" if it has none.
std::string clDeviceText(const ClHandle& handle, cl_device_info property);
std::string clPlatformText(const ClHandle& handle, cl_platform_info property);
// The CPU of this host as an OpenCL device.
bool isPocl(const ClHandle& handle);

// A property of fixed size; `fallback` where the device does not know it.
template <class T>
T clDeviceValue(const ClHandle& handle, cl_device_info property, T fallback) {
  T value{};
  return handle.api->GetDeviceInfo(handle.device, property, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                                         : fallback;
}

}  // namespace muster::cdm
