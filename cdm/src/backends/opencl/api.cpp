// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the ICD loader, names OpenCL's error codes, and asks for properties.
#include "backends/opencl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "backends/opencl/inventory.h"

namespace muster::cdm {

namespace {

// What a call that is to fail reports: an error that it can give, and that its caller has to deal with.
cl_int injectedError(std::string_view call) {
  if (call == "clCreateBuffer") return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (call == "clBuildProgram") return CL_BUILD_PROGRAM_FAILURE;
  return CL_OUT_OF_RESOURCES;
}

// Calls that create something have their error as the last argument.
template <class Result, class... Arguments>
Result refuse(cl_int error, Arguments... arguments) {
  if constexpr (std::is_same_v<Result, cl_int>) {
    return error;
  } else {
    cl_int* const where = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    if (where) *where = error;
    return nullptr;
  }
}

// Releasing is left alone: nobody could do anything about it.
template <class Result, class... Arguments>
std::function<Result(Arguments...)> withFaults(Result (*call)(Arguments...), const char* name,
                                               const std::shared_ptr<Faults>& faults) {
  if (!faults || std::string_view(name).starts_with("clRelease")) return call;
  return [=](Arguments... arguments) {
    if (faults->fails("opencl", name)) return refuse<Result>(injectedError(name), arguments...);
    return call(arguments...);
  };
}

}  // namespace

std::vector<std::string> openClCalls() {
  std::vector<std::string> calls;
  for (const char* name : {
#define MUSTER_CL_NAME(name) "cl" #name,
           MUSTER_CL_FUNCTIONS(MUSTER_CL_NAME)
#undef MUSTER_CL_NAME
       })
    if (!std::string_view(name).starts_with("clRelease")) calls.emplace_back(name);
  return calls;
}

Result<ClApiPtr> loadClApi(const std::string& library, const std::shared_ptr<Faults>& faults) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Status(Errc::notFound, fmt::format("the OpenCL loader does not load: {}", dlerror()));
  auto api = std::make_shared<ClApi>();
#define MUSTER_CL_LOOK_UP(name)                                                                       \
  {                                                                                                   \
    const auto call = reinterpret_cast<decltype(&::cl##name)>(dlsym(handle, "cl" #name));             \
    if (!call) return Status(Errc::unsupported, fmt::format("{} has no function cl" #name, library)); \
    api->name = withFaults(call, "cl" #name, faults);                                                 \
  }
  MUSTER_CL_FUNCTIONS(MUSTER_CL_LOOK_UP)
#undef MUSTER_CL_LOOK_UP
  return ClApiPtr(std::move(api));
}

namespace {

const char* shortName(cl_int error) {
#define MUSTER_CL_CASE(name) \
  case name:                 \
    return #name;
  switch (error) {
    MUSTER_CL_CASE(CL_SUCCESS)
    MUSTER_CL_CASE(CL_DEVICE_NOT_FOUND)
    MUSTER_CL_CASE(CL_DEVICE_NOT_AVAILABLE)
    MUSTER_CL_CASE(CL_COMPILER_NOT_AVAILABLE)
    MUSTER_CL_CASE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    MUSTER_CL_CASE(CL_OUT_OF_RESOURCES)
    MUSTER_CL_CASE(CL_OUT_OF_HOST_MEMORY)
    MUSTER_CL_CASE(CL_MEM_COPY_OVERLAP)
    MUSTER_CL_CASE(CL_BUILD_PROGRAM_FAILURE)
    MUSTER_CL_CASE(CL_MAP_FAILURE)
    MUSTER_CL_CASE(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    MUSTER_CL_CASE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    MUSTER_CL_CASE(CL_INVALID_VALUE)
    MUSTER_CL_CASE(CL_INVALID_DEVICE_TYPE)
    MUSTER_CL_CASE(CL_INVALID_PLATFORM)
    MUSTER_CL_CASE(CL_INVALID_DEVICE)
    MUSTER_CL_CASE(CL_INVALID_CONTEXT)
    MUSTER_CL_CASE(CL_INVALID_COMMAND_QUEUE)
    MUSTER_CL_CASE(CL_INVALID_MEM_OBJECT)
    MUSTER_CL_CASE(CL_INVALID_BINARY)
    MUSTER_CL_CASE(CL_INVALID_BUILD_OPTIONS)
    MUSTER_CL_CASE(CL_INVALID_PROGRAM)
    MUSTER_CL_CASE(CL_INVALID_PROGRAM_EXECUTABLE)
    MUSTER_CL_CASE(CL_INVALID_KERNEL_NAME)
    MUSTER_CL_CASE(CL_INVALID_KERNEL)
    MUSTER_CL_CASE(CL_INVALID_ARG_INDEX)
    MUSTER_CL_CASE(CL_INVALID_ARG_VALUE)
    MUSTER_CL_CASE(CL_INVALID_ARG_SIZE)
    MUSTER_CL_CASE(CL_INVALID_KERNEL_ARGS)
    MUSTER_CL_CASE(CL_INVALID_WORK_DIMENSION)
    MUSTER_CL_CASE(CL_INVALID_WORK_GROUP_SIZE)
    MUSTER_CL_CASE(CL_INVALID_WORK_ITEM_SIZE)
    MUSTER_CL_CASE(CL_INVALID_EVENT_WAIT_LIST)
    MUSTER_CL_CASE(CL_INVALID_EVENT)
    MUSTER_CL_CASE(CL_INVALID_OPERATION)
    MUSTER_CL_CASE(CL_INVALID_BUFFER_SIZE)
    MUSTER_CL_CASE(CL_INVALID_GLOBAL_WORK_SIZE)
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return "OpenCL error";
  }
#undef MUSTER_CL_CASE
}

}  // namespace

std::string clErrorName(cl_int error) { return fmt::format("{} ({})", shortName(error), error); }

Status clError(cl_int error) {
  switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      return {Errc::outOfMemory, clErrorName(error)};
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return {Errc::deviceLost, clErrorName(error)};
    default:
      return {Errc::internal, clErrorName(error)};
  }
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
