// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be known of the host's OpenCL without loading drivers, which takes longer than all else at start.
#pragma once

#include <filesystem>

namespace muster::cdm {

struct OpenClPlaces {
  std::filesystem::path vendors = "/etc/OpenCL/vendors";
  std::filesystem::path devices = "/dev";
};

// True if OpenCL here surely has no devices but the host's CPUs: POCL is all that is installed, nothing tells it or the
// loader otherwise, and there are no files of GPUs.
bool hasOnlyCpus(const OpenClPlaces& places = {});
// True if OpenCL here surely has no devices but the host's CPUs and NVIDIA's cards: POCL and NVIDIA's driver are all
// that is installed.
bool hasOnlyCpusAndNvidias(const OpenClPlaces& places = {});

}  // namespace muster::cdm
