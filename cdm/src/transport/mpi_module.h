// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libmuster-mpi.so exports. The module is built from the same tree and refuses callers of another version.
#pragma once

#include <cstdint>
#include <string>

#include "muster/cdm/transports.h"

namespace muster::cdm {

// Raised with every change of Transport, MpiOptions or MpiModuleCall.
inline constexpr std::uint32_t mpiModuleVersion = 4;
inline constexpr const char* mpiModuleFile = "libmuster-mpi.so";
inline constexpr const char* mpiModuleEntry = "muster_mpi_transport";

struct MpiModuleCall {
  std::uint32_t version = mpiModuleVersion;
  int* argc = nullptr;
  char*** argv = nullptr;
  MpiOptions options;
  // Ranks according to the launcher's environment; 0: unknown.
  int launchedRanks = 0;
  // Out: the transport, or why there is none.
  std::unique_ptr<Transport> transport;
  Status status;
};

// The exported function. False: the versions differ, and nothing was touched.
using MpiModuleFn = bool (*)(MpiModuleCall* call);

}  // namespace muster::cdm
