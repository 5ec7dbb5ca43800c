// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of another rank behind the ComputeDevice interface. Rank 0 uses it to measure and report every
// device of the job in one way; the owner rank serves the calls. Calls travel as commands, bulk data and
// replies as messages.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "muster/cdm/device.h"
#include "muster/cdm/transport.h"

namespace muster::cdm {

// Wraps a call (already encoded) into a command of the caller's own format and posts it.
using PostCall = std::function<Status(std::span<const std::byte> call)>;

// `rank` owns the device, `index` is its position in that rank's list. rank 0 only. Kernels must be registered under
// the same id on the owner (RemoteServer's lookup).
std::unique_ptr<ComputeDevice> makeRemoteDevice(Transport& transport, PostCall post, int rank, std::uint32_t index,
                                                DeviceInfo info);

using KernelLookup = std::function<const KernelCode*(std::uint64_t id)>;

// Serves one encoded call on ranks > 0. Ranks that the call is not for ignore it. Errc::protocol for bytes that
// are not a call; a call that fails on the device is answered with its Status and is not an error here.
Status serveRemoteCall(Transport& transport, std::span<ComputeDevice* const> devices, const KernelLookup& lookup,
                       std::span<const std::byte> call);

// DeviceInfo as bytes, to tell the other ranks at start.
Bytes encode(const DeviceInfo& info);
Result<DeviceInfo> decodeDeviceInfo(std::span<const std::byte> bytes);

// The transports.
std::unique_ptr<Transport> makeLocalTransport();
// n transports of one process, one per thread-rank. They may be destroyed in any order once their threads are done.
// loans.allBytes = 0: no loans, as between hosts.
std::vector<std::unique_ptr<Transport>> makeLoopbackTransports(int n, const LoanLimits& loans = {});

struct MpiOptions {
  // A rank that is silent for so long is taken for dead: the job ends with its name. 0: never (for debuggers).
  double silenceSeconds = 5;
  // Whether large messages to ranks of the same host may lie in memory that both share. Two ranks that both want it do.
  bool sharedMemory = true;
};
// Loads libmuster-mpi.so (next to libmuster.so) and initialises MPI. Once per process. Besides silent ranks it watches
// the launcher: a rank whose launcher died ends by itself.
Result<std::unique_ptr<Transport>> makeMpiTransport(int* argc, char*** argv, const MpiOptions& options = {});

}  // namespace muster::cdm
