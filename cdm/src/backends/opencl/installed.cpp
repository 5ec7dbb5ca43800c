// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/installed.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace muster::cdm {

namespace fs = std::filesystem;

namespace {

// Where loaders look besides, and what lets POCL have other devices.
constexpr std::array kVariables = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
                                   "OPENCL_LAYERS",   "OPENCL_LAYER_PATH", "POCL_DEVICES"};
// NVIDIA's, AMD's, everybody's in Linux, accelerators, Arm's.
constexpr std::array<std::string_view, 5> kDevices = {"nvidia", "kfd", "dri", "accel", "mali"};

// The file holds the driver's name or path.
bool isIcdOf(const fs::path& icd, std::string_view name) {
  std::ifstream file(icd);
  std::string driver;
  return std::getline(file, driver) && fs::path(driver).filename().string().starts_with(name);
}
bool isIcdOfPocl(const fs::path& icd) { return isIcdOf(icd, "libpocl"); }

bool isTold() {
  return std::ranges::any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; });
}

// False as well if there are no entries, or the folder cannot be read.
template <class Predicate>
bool allOf(const fs::path& folder, Predicate holds) {
  std::error_code error;
  bool any = false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    any = true;
    if (!holds(at->path())) return false;
  }
  return any && !error;
}

}  // namespace

bool hasOnlyCpus(const OpenClPlaces& places) {
  return !isTold() && allOf(places.vendors, isIcdOfPocl) && allOf(places.devices, [](const fs::path& device) {
    const std::string name = device.filename().string();
    return std::none_of(kDevices.begin(), kDevices.end(), [&](auto begin) { return name.starts_with(begin); });
  });
}

bool hasOnlyCpusAndNvidias(const OpenClPlaces& places) {
  return !isTold() && allOf(places.vendors,
                            [](const fs::path& icd) { return isIcdOfPocl(icd) || isIcdOf(icd, "libnvidia-opencl"); });
}

}  // namespace muster::cdm
