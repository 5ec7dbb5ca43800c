// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "backends/cuda/inventory.h"

namespace muster::cdm {

using cuda::Error, cuda::NvrtcError;

namespace {

// What a call that is to fail reports: an error that it can give, and that its caller has to deal with.
Error injectedError(std::string_view call, Error) {
  return call == "cuMemAlloc_v2" || call == "cuMemHostAlloc" ? cuda::outOfMemory : cuda::launchFailed;
}
NvrtcError injectedError(std::string_view call, NvrtcError) {
  return call == "nvrtcCompileProgram" ? cuda::nvrtcCompilation : cuda::nvrtcInternal;
}

// Releasing is left alone: nobody could do anything about it. So is what names errors.
bool mayFail(std::string_view name) {
  constexpr std::array<std::string_view, 6> never = {"Destroy", "Free", "Unload", "Release", "Unregister", "ErrorName"};
  return std::ranges::none_of(never, [&](auto part) { return name.find(part) != std::string_view::npos; });
}

template <class Result, class... Arguments>
std::function<Result(Arguments...)> withFaults(Result (*call)(Arguments...), const char* name,
                                               const std::shared_ptr<Faults>& faults) {
  if (!faults || !mayFail(name)) return call;
  return [=](Arguments... arguments) {
    return faults->fails("cuda", name) ? injectedError(name, Result()) : call(arguments...);
  };
}

template <class Function>
Status lookUp(void* handle, const std::string& library, const char* name, const std::shared_ptr<Faults>& faults,
              std::function<Function>& function) {
  const auto call = reinterpret_cast<Function*>(dlsym(handle, name));
  if (!call) return {Errc::unsupported, fmt::format("{} has no function {}", library, name)};
  function = withFaults(call, name, faults);
  return {};
}

NvrtcError describe(NvrtcApi& api) {
  int count = 0;
  if (const NvrtcError error = api.Version(&api.major, &api.minor); error != cuda::nvrtcSuccess) return error;
  if (const NvrtcError error = api.GetNumSupportedArchs(&count); error != cuda::nvrtcSuccess) return error;
  api.targets.resize(static_cast<std::size_t>(count));
  return api.GetSupportedArchs(api.targets.data());
}

}  // namespace

std::vector<std::string> cudaCalls() {
  std::vector<std::string> calls;
  for (const char* name : {
#define MUSTER_CUDA_NAME(name, arguments) "cu" #name,
#define MUSTER_NVRTC_NAME(name, arguments) "nvrtc" #name,
           MUSTER_CUDA_FUNCTIONS(MUSTER_CUDA_NAME) MUSTER_NVRTC_FUNCTIONS(MUSTER_NVRTC_NAME)
#undef MUSTER_CUDA_NAME
#undef MUSTER_NVRTC_NAME
       })
    if (mayFail(name)) calls.emplace_back(name);
  return calls;
}

Result<CudaApiPtr> loadCudaApi(const std::string& library, const std::shared_ptr<Faults>& faults) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Status(Errc::notFound, fmt::format("the driver does not load: {}", dlerror()));
  auto api = std::make_shared<CudaApi>();
#define MUSTER_CUDA_LOOK_UP(name, arguments) MUSTER_TRY(lookUp(handle, library, "cu" #name, faults, api->name));
  MUSTER_CUDA_FUNCTIONS(MUSTER_CUDA_LOOK_UP)
#undef MUSTER_CUDA_LOOK_UP
  return CudaApiPtr(std::move(api));
}

Result<NvrtcApiPtr> loadNvrtcApi(const std::vector<std::string>& libraries, const std::shared_ptr<Faults>& faults) {
  void* handle = nullptr;
  std::string loaded, problem;
  for (const std::string& library : libraries) {
    handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    loaded = library;
    if (handle) break;
    problem = dlerror();
  }
  if (!handle) return Status(Errc::notFound, fmt::format("NVRTC, the compiler of kernels, does not load: {}", problem));
  auto api = std::make_shared<NvrtcApi>();
#define MUSTER_NVRTC_LOOK_UP(name, arguments) MUSTER_TRY(lookUp(handle, loaded, "nvrtc" #name, faults, api->name));
  MUSTER_NVRTC_FUNCTIONS(MUSTER_NVRTC_LOOK_UP)
#undef MUSTER_NVRTC_LOOK_UP
  if (const NvrtcError error = describe(*api); error != cuda::nvrtcSuccess)
    return Status(Errc::unsupported,
                  fmt::format("{} does not say what it makes code for: {}", loaded, nvrtcErrorName(error)));
  return NvrtcApiPtr(std::move(api));
}

std::string cudaErrorName(const CudaApi& api, Error error) {
  const char* name = nullptr;
  const bool isKnown = api.GetErrorName(error, &name) == cuda::success && name != nullptr;
  return fmt::format("{} ({})", isKnown ? name : "CUDA error", static_cast<int>(error));
}

std::string nvrtcErrorName(NvrtcError error) {
  const auto name = [&] {
    switch (error) {
      case cuda::nvrtcOutOfMemory:
        return "NVRTC_ERROR_OUT_OF_MEMORY";
      case cuda::nvrtcInvalidOption:
        return "NVRTC_ERROR_INVALID_OPTION";
      case cuda::nvrtcCompilation:
        return "NVRTC_ERROR_COMPILATION";
      case cuda::nvrtcInternal:
        return "NVRTC_ERROR_INTERNAL_ERROR";
      default:
        return "NVRTC error";
    }
  };
  return fmt::format("{} ({})", name(), static_cast<int>(error));
}

Status cudaError(const CudaApi& api, Error error) {
  const std::string name = cudaErrorName(api, error);
  switch (error) {
    case cuda::outOfMemory:
      return {Errc::outOfMemory, name};
    case cuda::eccUncorrectable:
    case cuda::nvlinkUncorrectable:
    case cuda::illegalAddress:
    case cuda::launchOutOfResources:
    case cuda::launchTimeout:
    case cuda::assertFailed:
    case cuda::hardwareStackError:
    case cuda::illegalInstruction:
    case cuda::misalignedAddress:
    case cuda::invalidAddressSpace:
    case cuda::invalidPc:
    case cuda::launchFailed:
    case cuda::unknownError:
      return {Errc::deviceLost, name};
    default:
      return {Errc::internal, name};
  }
}

std::string cudaHardwareId(const CudaHandle& handle) {
  char text[32] = {};  // "0000:17:00.0"
  if (handle.api->DeviceGetPCIBusId(text, sizeof text, handle.device) != cuda::success) return "";
  std::string id(text);
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
  return "pci:" + id.substr(0, id.find('.'));
}

int cudaAttribute(const CudaHandle& handle, cuda::DeviceAttribute attribute, int fallback) {
  int value = fallback;
  return handle.api->DeviceGetAttribute(&value, attribute, handle.device) == cuda::success ? value : fallback;
}

}  // namespace muster::cdm
