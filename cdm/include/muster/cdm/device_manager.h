// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds this rank's devices, picks those that MUSTER_DEVICES names, shares a host's GPUs out among its ranks,
// and measures them (ClusterJaMP, section III: one kernel on every device, bandwidth tests).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"
#include "muster/cdm/host_peers.h"

namespace muster::cdm {

struct DiscoveryOptions {
  // MUSTER_DEVICES; empty is the default: the native CPU and every GPU, by CUDA where that can be, POCL's CPU left out.
  // Grammar in docs/configuration.md: "cpu,opencl:0", "gpu", per rank "0=cpu;1=gpu;*=cpu".
  std::string selection;
  int rank = 0, size = 1;                 // in the job
  int localRank = 0, localSize = 1;       // among the ranks of this host
  bool sharesGpus = false;                // fewer GPUs than ranks: several ranks take the same one; else some have none
  HostPeers* peers = nullptr;             // those ranks; nullptr: all of the host see the same GPUs
  std::chrono::milliseconds patience{0};  // for them
  std::filesystem::path cacheDirectory;   // 0700, owned by the user; empty: no cache
  bool failBuilds = false;                // every build but the benchmark's fails (MUSTER_INJECT=build-failure)
  KernelForms kernels = KernelForms::automatic;
  bool fuse = false;                             // devices may run launches that come one behind the other as one
  std::vector<Fault> faults;                     // of calls of OpenCL and CUDA
  std::string openclLibrary = "libOpenCL.so.1";  // the ICD loader, as dlopen finds it
  std::string cudaLibrary = "libcuda.so.1";      // CUDA's driver
  std::vector<std::string> nvrtcLibraries =
      {};  // CUDA's compiler, the first that is there; empty: where it is installed
  std::function<void(const std::string&)> warn;
  std::function<void(const std::string&)> inform;  // of forms that kernels run in; may be empty
  BuildObserver built;                             // may be empty
};

struct Discovery {
  std::vector<std::unique_ptr<ComputeDevice>> devices;  // CPU first, then CUDA's, then OpenCL's in platform order
  std::vector<LeftOut> leftOut;
  int sharersOfGpus = 1;  // ranks of this host that take the same GPUs, with this one
  int rankOnGpus = 0;     // among those that see the same GPUs
  // GPUs that a program of its own would take on this rank (MUSTER_RANKS=own), and by how many of them each is taken.
  std::vector<std::string> gpusOfOwn;
  int sharersOfOwn = 1;
};

// By default this host surely has no devices but its CPU. Loads nothing.
[[nodiscard]] bool hostHasOnlyItsCpu();

// Errc::invalidArgument for a malformed selection (names the word and the grammar), Errc::notFound for a
// selection that names a device which does not exist (lists those that do).
Result<Discovery> discoverDevices(const DiscoveryOptions& options);

struct Measured {
  double speed = 0;           // work units per second of the micro benchmark
  double bytesPerSecond = 0;  // of a large copy from the host into the device's memory
  double latencySeconds = 0;  // of a small one
  bool fromCache = false;
};
// Medians of repeats, warm-up dropped; at most about 0.3 s per device when nothing is cached.
Result<Measured> measure(ComputeDevice& device, const std::filesystem::path& cacheDirectory);

}  // namespace muster::cdm
