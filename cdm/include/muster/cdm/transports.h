// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transports that there are (muster/cdm/transport.h says what they do).
#pragma once

#include <memory>
#include <vector>

#include "muster/cdm/transport.h"

namespace muster::cdm {

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
