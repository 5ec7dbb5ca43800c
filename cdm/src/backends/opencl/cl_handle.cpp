// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and error mapping that all of the backend shares.
#include "backends/opencl/cl_handle.h"

#include <fmt/format.h>

namespace muster::cdm {

Status clFailure(const DeviceInfo& info, const std::string& call, cl_int error) {
  Errc code = Errc::internal;
  switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      code = Errc::outOfMemory;
      break;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      code = Errc::deviceLost;
      break;
    default:
      break;
  }
  return {code, fmt::format("{}: {}: {}", info.name, call, clErrorName(error))};
}

namespace {

// Strings come with a terminating zero, and some drivers add spaces.
std::string tidy(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text.substr(std::min(text.size(), text.find_first_not_of(' ')));
}

}  // namespace

std::string clDeviceText(const ClHandle& handle, cl_device_info property) {
  std::size_t size = 0;
  if (handle.api->GetDeviceInfo(handle.device, property, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (handle.api->GetDeviceInfo(handle.device, property, size, text.data(), nullptr) != CL_SUCCESS) return "";
  return tidy(std::move(text));
}

std::string clPlatformText(const ClHandle& handle, cl_platform_info property) {
  std::size_t size = 0;
  if (handle.api->GetPlatformInfo(handle.platform, property, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (handle.api->GetPlatformInfo(handle.platform, property, size, text.data(), nullptr) != CL_SUCCESS) return "";
  return tidy(std::move(text));
}

bool isPocl(const ClHandle& handle) {
  return clPlatformText(handle, CL_PLATFORM_NAME).find("Portable Computing Language") != std::string::npos;
}

}  // namespace muster::cdm
