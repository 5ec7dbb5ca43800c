// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host of this rank: its cores, its memory, and where it keeps things.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::cdm {

// This process's ordinary memory as a device: it holds data and computes nothing. Memory is paid for when touched.
std::unique_ptr<ComputeDevice> makeHostMemory();

// CPU threads that this rank's CPU device uses: its share of the host's cores (OMP_NUM_THREADS wins).
unsigned cpuThreadShare(int localRank, int localSize);
// The hardware threads that this process may run on, by the host's numbers, ascending; empty if that is not known.
std::vector<std::uint32_t> allowedCores();

// $MUSTER_CACHE_DIR, else $XDG_CACHE_HOME/muster, else ~/.cache/muster; created with 0700. Empty path with a
// warning where that is not possible or the folder belongs to somebody else.
std::filesystem::path cacheDirectory(const std::function<void(const std::string&)>& warn);

}  // namespace muster::cdm
