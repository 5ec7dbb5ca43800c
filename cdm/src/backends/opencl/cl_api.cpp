// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the ICD loader, and names OpenCL's error codes.
#include "backends/opencl/cl_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace muster::cdm {

Result<ClApiPtr> loadClApi(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Status(Errc::notFound, fmt::format("the OpenCL loader does not load: {}", dlerror()));
  auto api = std::make_shared<ClApi>();
#define MUSTER_CL_LOOK_UP(name)                                                 \
  api->name = reinterpret_cast<decltype(api->name)>(dlsym(handle, "cl" #name)); \
  if (!api->name) return Status(Errc::unsupported, fmt::format("{} has no function cl" #name, library));
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

}  // namespace muster::cdm
