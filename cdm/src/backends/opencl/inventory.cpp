// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks every OpenCL platform for its devices and describes them.
#include "backends/opencl/inventory.h"

#include <fmt/format.h>

#include "backends/opencl/api.h"
#include "backends/opencl/driver.h"
#include "stream/stream_device.h"

namespace muster::cdm {

namespace {

// cl_nv_device_attribute_query and cl_khr_pci_bus_info, which Debian's headers do not all have.
constexpr cl_device_info nvPciBus = 0x4008, nvPciSlot = 0x4009, nvPciDomain = 0x400A;
constexpr cl_device_info khrPciBusInfo = 0x410F;
struct PciBusInfo {
  cl_uint domain, bus, device, function;
};

std::string hardwareId(const ClHandle& handle) {
  const std::string extensions = clDeviceText(handle, CL_DEVICE_EXTENSIONS);
  if (extensions.find("cl_khr_pci_bus_info") != std::string::npos) {
    const auto at = clDeviceValue(handle, khrPciBusInfo, PciBusInfo{~0u, 0, 0, 0});
    if (at.domain != ~0u) return fmt::format("pci:{:04x}:{:02x}:{:02x}", at.domain, at.bus, at.device);
  }
  if (extensions.find("cl_nv_device_attribute_query") != std::string::npos) {
    const auto bus = clDeviceValue<cl_uint>(handle, nvPciBus, ~0u);
    const auto slot = clDeviceValue<cl_uint>(handle, nvPciSlot, 0);
    const auto domain = clDeviceValue<cl_uint>(handle, nvPciDomain, 0);
    // The slot's lower three bits are the PCI function.
    if (bus != ~0u) return fmt::format("pci:{:04x}:{:02x}:{:02x}", domain, bus, slot >> 3);
  }
  return "";
}

DeviceKind kindOf(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::gpu;
  if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

DeviceInfo describe(const ClHandle& handle) {
  DeviceInfo info;
  info.name = clDeviceText(handle, CL_DEVICE_NAME);
  info.vendor = clDeviceText(handle, CL_DEVICE_VENDOR);
  info.driver = clPlatformText(handle, CL_PLATFORM_VERSION) + " / " + clDeviceText(handle, CL_DRIVER_VERSION);
  info.backend = "opencl";
  info.kind = kindOf(clDeviceValue<cl_device_type>(handle, CL_DEVICE_TYPE, CL_DEVICE_TYPE_ACCELERATOR));
  info.memoryBytes = clDeviceValue<cl_ulong>(handle, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  info.maxAllocationBytes = clDeviceValue<cl_ulong>(handle, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  info.computeUnits = clDeviceValue<cl_uint>(handle, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  info.fp64 = clDeviceValue<cl_device_fp_config>(handle, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0;
  info.hardwareId = hardwareId(handle);
  return info;
}

Result<std::vector<cl_platform_id>> listPlatforms(const ClApi& api) {
  cl_uint count = 0;
  cl_int error = api.GetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (error == CL_SUCCESS && count > 0) error = api.GetPlatformIDs(count, platforms.data(), nullptr);
  if (error != CL_SUCCESS || platforms.empty())
    return Status(Errc::notFound, fmt::format("no OpenCL platform: {}; install a driver's ICD (in /etc/OpenCL/vendors)",
                                              clErrorName(error)));
  return platforms;
}

// An empty list for a platform that has no device now.
Result<std::vector<cl_device_id>> listDevices(const ClApi& api, cl_platform_id platform) {
  cl_uint count = 0;
  cl_int error = api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(error == CL_SUCCESS ? count : 0);
  if (!devices.empty()) error = api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  if (error != CL_SUCCESS && error != CL_DEVICE_NOT_FOUND)
    return Status(Errc::io, "does not list its devices: " + clErrorName(error));
  return devices;
}

// Why a device cannot be used, "" if it can.
std::string unusable(const ClHandle& handle, const DeviceInfo& info) {
  if (!clDeviceValue<cl_bool>(handle, CL_DEVICE_AVAILABLE, CL_FALSE)) return "is not available";
  if (!clDeviceValue<cl_bool>(handle, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE)) return "has no compiler";
  if (!clDeviceValue<cl_bool>(handle, CL_DEVICE_ENDIAN_LITTLE, CL_FALSE)) return "is big-endian";
  if (info.memoryBytes == 0 || info.maxAllocationBytes == 0) return "does not say how much memory it has";
  return "";
}

}  // namespace

struct OpenClInventory::Handles {
  std::vector<ClHandle> list;  // parallel to entries_
};

OpenClInventory::OpenClInventory() : handles_(std::make_unique<Handles>()) {}

OpenClInventory OpenClInventory::skipped(std::string why) {
  OpenClInventory inventory;
  inventory.problem_ = std::move(why);
  return inventory;
}

OpenClInventory::OpenClInventory(const std::string& library, std::shared_ptr<Faults> faults) : OpenClInventory() {
  const Result<ClApiPtr> api = loadClApi(library, std::move(faults));
  const Result<std::vector<cl_platform_id>> platforms =
      api ? listPlatforms(**api) : Result<std::vector<cl_platform_id>>(api.status());
  if (!platforms) {
    problem_ = platforms.status().message();
    return;
  }
  for (cl_platform_id platform : *platforms) {
    ClHandle handle{*api, platform, nullptr};
    const std::string name = clPlatformText(handle, CL_PLATFORM_NAME);
    const Result<std::vector<cl_device_id>> devices = listDevices(**api, platform);
    if (!devices) failures_.push_back({"OpenCL platform " + name, devices.status().message()});
    for (cl_device_id device : devices ? *devices : std::vector<cl_device_id>()) {
      handle.device = device;
      Entry entry{describe(handle), isPocl(handle)};
      if (std::string reason = unusable(handle, entry.info); !reason.empty()) {
        failures_.push_back({entry.info.name, std::move(reason)});
        continue;
      }
      entry.info.selector = fmt::format("opencl:{}", entries_.size());
      handles_->list.push_back(handle);
      entries_.push_back(std::move(entry));
    }
  }
  if (entries_.empty()) problem_ = "no OpenCL platform of this host has a device that can be used";
}

OpenClInventory::~OpenClInventory() = default;
OpenClInventory::OpenClInventory(OpenClInventory&&) noexcept = default;

Result<std::unique_ptr<ComputeDevice>> OpenClInventory::open(std::size_t index, const StreamOptions& options) const {
  if (index >= entries_.size()) panic(fmt::format("there is no OpenCL device {} of {}", index, entries_.size()));
  Result<std::unique_ptr<Driver>> driver = openClDriver(handles_->list[index], entries_[index].info, options);
  if (!driver) return driver.status();
  return openStreamDevice(std::move(*driver), options);
}

}  // namespace muster::cdm
