// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One OpenCL device as the platform lists it, and owners of OpenCL objects.
#pragma once

#include <utility>

#include "backends/opencl/cl_api.h"
#include "muster/cdm/device.h"

namespace muster::cdm {

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
using ClEvent = ClObject<cl_event, &ClApi::ReleaseEvent>;

// An error of a call that does not allocate. Drivers report a crashed kernel at the next call, as missing
// resources or as an invalid queue: the device is lost then.
Status clFailure(const DeviceInfo& info, const std::string& call, cl_int error);

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
