// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver: devices, contexts, names of errors.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "entries.h"

namespace fake {

using namespace muster::cdm::cuda;

namespace {

bool initialized = false;

// A call about a device, which needs no context.
template <class Call>
Error about(Device device, const Call& call) {
  const std::lock_guard lock(oneAtATime());
  if (!initialized) return error(notInitialized);
  return device >= 0 && device < devices() ? call() : error(invalidDevice);
}

// They stay until the process ends.
Context& primaryOf(Device device) {
  static std::map<Device, std::unique_ptr<Context>> contexts;
  std::unique_ptr<Context>& context = contexts[device];
  if (!context) context = std::make_unique<Context>();
  context->device = device;
  return *context;
}

int attributeOf(DeviceAttribute attribute) {
  switch (attribute) {
    case maxThreadsOfBlock:
    case maxBlockX:
    case maxBlockY:
      return 1024;
    case maxBlockZ:
      return 64;
    case sharedMemoryOfBlock:
      return 48 << 10;
    case multiprocessors:
      return 4;
    case capabilityMajor:
      return static_cast<int>(capability() / 10);
    case capabilityMinor:
      return static_cast<int>(capability() % 10);
  }
  return 0;
}

}  // namespace

bool isInitialized() { return initialized; }

Context* contextAt(Pointer at) {
  for (Device device = 0; device < devices(); ++device)
    if (Context& context = primaryOf(device); context.find(at, 1)) return &context;
  return nullptr;
}

}  // namespace fake

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

Error cuInit(unsigned) {
  const std::lock_guard lock(oneAtATime());
  if (devices() == 0 || !pocl::isHere()) return noDevice;
  initialized = true;
  return success;
}

Error cuDriverGetVersion(int* version) {
  *version = static_cast<int>(asked("driver=", 13000));
  return success;
}

Error cuDeviceGetCount(int* count) {
  *count = devices();
  return isInitialized() ? success : error(notInitialized);
}

Error cuDeviceGet(Device* device, int ordinal) {
  return about(ordinal, [&] {
    *device = ordinal;
    return success;
  });
}

Error cuDeviceGetAttribute(int* value, DeviceAttribute attribute, Device device) {
  return about(device, [&] {
    *value = attributeOf(attribute);
    return *value > 0 || attribute == capabilityMinor ? success : invalidValue;
  });
}

Error cuDeviceGetName(char* name, int room, Device device) {
  return about(device, [&] {
    std::snprintf(name, static_cast<std::size_t>(room), "Fake Card");
    return success;
  });
}

// The fake OpenCL has cards at buses 1 to 3.
Error cuDeviceGetPCIBusId(char* id, int room, Device device) {
  return about(device, [&] {
    std::snprintf(id, static_cast<std::size_t>(room), "0000:%02X:00.0", static_cast<unsigned>(device + 1));
    return success;
  });
}

Error cuDeviceTotalMem_v2(std::size_t* bytes, Device device) {
  return about(device, [&] {
    *bytes = asked("memory=", std::uint64_t{1} << 30);
    return success;
  });
}

Error cuDevicePrimaryCtxRetain(Context** context, Device device) {
  return about(device, [&] {
    if (asked("no-context")) return outOfMemory;
    *context = &primaryOf(device);
    ++(*context)->uses;
    return success;
  });
}

// With the last use all goes that the context has.
Error cuDevicePrimaryCtxRelease_v2(Device device) {
  return about(device, [&] {
    Context& context = primaryOf(device);
    if (context.uses == 0) return error(invalidContext);
    if (--context.uses > 0) return success;
    context.streams.clear();
    context.allocations.clear();
    context.held = 0;
    context.lost = success;
    return success;
  });
}

Error cuDeviceCanAccessPeer(int* may, Device device, Device peer) {
  return about(device, [&] {
    *may = device != peer && !asked("no-peers") ? 1 : 0;
    return success;
  });
}

Error cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
  return inContext([&](Context& context) {
    if (flags != 0 || peer == nullptr || peer == &context) return invalidValue;
    return context.peers.insert(peer).second ? success : peerAlreadyEnabled;
  });
}

Error cuCtxSetCurrent(Context* context) {
  currentContext() = context;
  return success;
}

Error cuGetErrorName(Error error, const char** name) {
  static const std::map<int, const char*> known = {{success, "CUDA_SUCCESS"},
                                                   {invalidValue, "CUDA_ERROR_INVALID_VALUE"},
                                                   {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                   {notInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
                                                   {noDevice, "CUDA_ERROR_NO_DEVICE"},
                                                   {invalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
                                                   {invalidImage, "CUDA_ERROR_INVALID_IMAGE"},
                                                   {invalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
                                                   {mapFailed, "CUDA_ERROR_MAP_FAILED"},
                                                   {noBinaryForDevice, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                   {invalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
                                                   {notFound, "CUDA_ERROR_NOT_FOUND"},
                                                   {notReady, "CUDA_ERROR_NOT_READY"},
                                                   {illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                   {launchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                   {launchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                                                   {alreadyRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
                                                   {notRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
                                                   {launchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = known.find(error);
  *name = found == known.end() ? nullptr : found->second;
  return found == known.end() ? invalidValue : success;
}

}  // extern "C"
#pragma GCC visibility pop
