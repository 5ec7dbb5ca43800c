// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks CUDA's driver for its cards and describes them.
#include "backends/cuda/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "backends/cuda/api.h"
#include "backends/cuda/driver.h"
#include "backends/cuda/locks.h"
#include "stream/stream_device.h"

namespace muster::cdm {

namespace {

// Versions are 1000 * major + 10 * minor.
constexpr int oldestNvrtc = 11, nvrtcBehind11 = 12;

// A binary of a newer NVRTC might be none of the driver's.
std::vector<std::string> nvrtcLibraries(int driverVersion) {
  std::vector<std::string> names;
  for (int major = driverVersion / 1000; major >= oldestNvrtc; --major) {
    // Since 12 libraries are numbered by the major version alone.
    const std::string file =
        major >= nvrtcBehind11 ? fmt::format("libnvrtc.so.{}", major) : fmt::format("libnvrtc.so.{}.2", major);
    names.push_back(file);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(variable)) names.push_back(fmt::format("{}/lib64/{}", home, file));
    for (const char* folder : {"lib64", "lib"}) names.push_back(fmt::format("/usr/local/cuda/{}/{}", folder, file));
  }
  return names;
}

Result<int> capabilityOf(const CudaHandle& handle) {
  int major = 0, minor = 0;
  for (const auto& [attribute, value] : {std::pair(cuda::capabilityMajor, &major), {cuda::capabilityMinor, &minor}})
    if (const auto error = handle.api->DeviceGetAttribute(value, attribute, handle.device))
      return cudaStatus(*handle.api, error).at("cuDeviceGetAttribute");
  return 10 * major + minor;
}

// Newer cards run code for older ones.
bool compilesFor(const NvrtcApi& nvrtc, int capability) {
  return std::ranges::any_of(nvrtc.targets, [&](int target) { return target <= capability; });
}

Result<DeviceInfo> describe(const CudaHandle& handle, int driverVersion) {
  const CudaApi& api = *handle.api;
  char name[256] = {};
  std::size_t bytes = 0;
  if (const auto error = api.DeviceGetName(name, sizeof name, handle.device); error != cuda::success)
    return cudaStatus(api, error);
  if (const auto error = api.DeviceTotalMem_v2(&bytes, handle.device); error != cuda::success)
    return cudaStatus(api, error);
  DeviceInfo info;
  info.name = name;
  info.vendor = "NVIDIA Corporation";
  info.driver = fmt::format("CUDA {}.{} / NVRTC {}.{}", driverVersion / 1000, driverVersion % 1000 / 10,
                            handle.nvrtc->major, handle.nvrtc->minor);
  info.backend = "cuda";
  info.kind = DeviceKind::gpu;
  info.memoryBytes = info.maxAllocationBytes = bytes;
  info.computeUnits = static_cast<std::uint32_t>(cudaAttribute(handle, cuda::multiprocessors, 1));
  info.fp64 = true;
  info.hardwareId = cudaHardwareId(handle);
  return info;
}

}  // namespace

struct CudaInventory::Handles {
  std::vector<CudaHandle> list;  // parallel to entries_
};

CudaInventory::CudaInventory() : handles_(std::make_unique<Handles>()) {}
CudaInventory::~CudaInventory() = default;
CudaInventory::CudaInventory(CudaInventory&&) noexcept = default;

CudaInventory CudaInventory::skipped(std::string why) {
  CudaInventory inventory;
  inventory.problem_ = std::move(why);
  return inventory;
}

CudaInventory::CudaInventory(const Libraries& libraries, std::shared_ptr<Faults> faults) : CudaInventory() {
  const Status listed = list(libraries, faults);
  if (listed.ok()) return;
  entries_.clear();
  problem_ = listed.message();
}

Status CudaInventory::list(const Libraries& libraries, const std::shared_ptr<Faults>& faults) {
  const Result<CudaApiPtr> loaded = loadCudaApi(libraries.driver, faults);
  if (!loaded) return loaded.status();
  const CudaApi& api = **loaded;
  int version = 0, count = 0;
  for (const auto& [what, error] :
       {std::pair("cuInit", api.Init(0)), std::pair("cuDriverGetVersion", api.DriverGetVersion(&version)),
        std::pair("cuDeviceGetCount", api.DeviceGetCount(&count))})
    if (error != cuda::success) return cudaStatus(api, error).at(what);
  if (count == 0) return {Errc::notFound, "the driver has no device"};
  const Result<NvrtcApiPtr> nvrtc =
      loadNvrtcApi(libraries.nvrtc.empty() ? nvrtcLibraries(version) : libraries.nvrtc, faults);
  lacksCompiler_ = !nvrtc;
  if (!nvrtc) return nvrtc.status();
  const auto locks = std::make_shared<CudaLocks>();
  for (int i = 0; i < count; ++i) {
    CudaHandle handle{*loaded, *nvrtc, locks};
    const std::string name = fmt::format("CUDA device {}", i);
    if (const auto error = api.DeviceGet(&handle.device, i); error != cuda::success)
      return cudaStatus(api, error).at(name);
    const Result<int> capability = capabilityOf(handle);
    if (!capability) return capability.status().at(name);
    handle.capability = *capability;
    Result<DeviceInfo> info = describe(handle, version);
    if (!info) return info.status().at(name);
    if (!compilesFor(**nvrtc, *capability)) {
      failures_.push_back(
          {info->name, fmt::format("NVRTC {}.{} makes no code for its compute capability {}.{}", (*nvrtc)->major,
                                   (*nvrtc)->minor, *capability / 10, *capability % 10)});
      continue;
    }
    info->selector = fmt::format("cuda:{}", entries_.size());
    handles_->list.push_back(std::move(handle));
    entries_.push_back(std::move(*info));
  }
  lacksCompiler_ = entries_.empty();
  return lacksCompiler_ ? Status(Errc::unsupported, failures_.front().reason) : Status();
}

Result<std::unique_ptr<ComputeDevice>> CudaInventory::open(std::size_t index, const StreamOptions& options) const {
  if (index >= entries_.size()) panic(fmt::format("there is no CUDA device {} of {}", index, entries_.size()));
  Result<std::unique_ptr<Driver>> driver = cudaDriver(handles_->list[index], entries_[index], options);
  if (!driver) return driver.status();
  return openStreamDevice(std::move(*driver), options);
}

}  // namespace muster::cdm
