// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device behind a driver is told when it is opened.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "muster/cdm/device.h"

namespace muster::cdm {

struct StreamOptions {
  std::filesystem::path cacheDirectory;  // of program binaries; empty: none are kept
  bool failBuilds = false;               // every program but the benchmark's gets an #error (tests)
  bool likeGpu = false;                  // CPU-type devices are used as GPUs are: staging, rows per work-item (tests)
  std::function<void(const std::string&)> warn;
  std::function<void(const std::string&)> inform;  // of forms that kernels run in
  BuildObserver built;
  KernelForms kernels = KernelForms::automatic;
  bool fuse = false;          // launches that come one behind the other may become one
  double buildSeconds = 0.2;  // what a form of a kernel takes to build at most, before one is tried
};

}  // namespace muster::cdm
