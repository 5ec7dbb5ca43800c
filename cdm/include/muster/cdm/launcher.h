// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the launcher of an MPI job says of this process in its environment (Open MPI, MPICH and Intel MPI by PMI,
// MVAPICH2, PMIx, Slurm). Nothing is sent for it, so that it holds before MPI begins.
#pragma once

namespace muster::cdm {

// True when a launcher started this process as one of several ranks.
[[nodiscard]] bool underMpiLauncher();

// Of this process among those that were launched together; local: of those on the same host. A process that nobody
// launched is rank 0 of 1. Not every launcher tells of the host: then localRank is the rank, and localSize the size.
struct LaunchedPlace {
  int rank = 0, size = 1;
  int localRank = 0, localSize = 1;
};
[[nodiscard]] LaunchedPlace launchedPlace();

}  // namespace muster::cdm
