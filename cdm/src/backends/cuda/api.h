// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of CUDA's driver and of NVRTC, its compiler, that Muster calls, looked up at run time: a program starts
// on machines without them. They stay loaded until the process ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cuda.h"
#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"
#include "muster/cdm/status.h"

namespace muster::cdm {

namespace cuda {

struct DriverApi {
#define MUSTER_CUDA_MEMBER(name, arguments) std::function<Error arguments> name;
  MUSTER_CUDA_FUNCTIONS(MUSTER_CUDA_MEMBER)
#undef MUSTER_CUDA_MEMBER
};

struct NvrtcApi {
#define MUSTER_NVRTC_MEMBER(name, arguments) std::function<NvrtcError arguments> name;
  MUSTER_NVRTC_FUNCTIONS(MUSTER_NVRTC_MEMBER)
#undef MUSTER_NVRTC_MEMBER
  int major = 0, minor = 0;  // its version
  std::vector<int> targets;  // capabilities that it makes code for, as 10 * major + minor
};

}  // namespace cuda

using CudaApi = cuda::DriverApi;
using CudaApiPtr = std::shared_ptr<const CudaApi>;
using cuda::NvrtcApi;
using NvrtcApiPtr = std::shared_ptr<const NvrtcApi>;

// `faults` may be nullptr.
Result<CudaApiPtr> loadCudaApi(const std::string& library, const std::shared_ptr<Faults>& faults);
// The first of these that there is.
Result<NvrtcApiPtr> loadNvrtcApi(const std::vector<std::string>& libraries, const std::shared_ptr<Faults>& faults);

// "CUDA_ERROR_OUT_OF_MEMORY (2)", "NVRTC_ERROR_COMPILATION (6)".
std::string cudaErrorName(const CudaApi& api, cuda::Error error);
std::string nvrtcErrorName(cuda::NvrtcError error);

// After most errors of a kernel each call fails: the device is lost for this process. The message is the error's name.
Status cudaError(const CudaApi& api, cuda::Error error);
inline Status cudaStatus(const CudaApi& api, cuda::Error error) {
  return error == cuda::success ? Status() : cudaError(api, error);
}

class CudaLocks;

// One card as the driver lists it.
struct CudaHandle {
  CudaApiPtr api;
  NvrtcApiPtr nvrtc;
  std::shared_ptr<CudaLocks> locks;  // of all cards
  cuda::Device device = 0;
  int capability = 0;  // 10 * major + minor
};

// "pci:0000:17:00" as for OpenCL's devices, "" if the driver does not say.
std::string cudaHardwareId(const CudaHandle& handle);

// An attribute of the device; `fallback` where the driver does not know it.
int cudaAttribute(const CudaHandle& handle, cuda::DeviceAttribute attribute, int fallback);

}  // namespace muster::cdm
