// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done for calls with buffers (Perform, call.h).
#pragma once

#include "call.h"

namespace muster::mpi {

Word passBuffers(Call& call, Word* arguments);
// What is done with the buffer that comes first is not told: its array is held (muster/buffers.h), for good or until it
// is detached.
Word holdBuffer(Call& call, Word* arguments);
Word detachBuffer(Call& call, Word* arguments);  // MPI_Buffer_detach: buffer (by address), size
// The call ends an operation, and has a status that says how much came.
Word endCounted(Call& call, Word* arguments, Word& status, Operation& operation);

// Requests: what a call says of the ends of several, or of one.
Word completeOne(Call& call, Word* arguments);     // MPI_Wait: request, status
Word testOne(Call& call, Word* arguments);         // MPI_Test: request, flag, status
Word getStatus(Call& call, Word* arguments);       // MPI_Request_get_status: request (by value), flag, status
Word completeAll(Call& call, Word* arguments);     // MPI_Waitall: count, requests, statuses
Word testAll(Call& call, Word* arguments);         // MPI_Testall: count, requests, flag, statuses
Word completeAny(Call& call, Word* arguments);     // MPI_Waitany: count, requests, index, status
Word testAny(Call& call, Word* arguments);         // MPI_Testany: count, requests, index, flag, status
Word completeSome(Call& call, Word* arguments);    // MPI_Waitsome, MPI_Testsome: count, requests, n, indices, statuses
Word startOne(Call& call, Word* arguments);        // MPI_Start: request
Word startAll(Call& call, Word* arguments);        // MPI_Startall: count, requests
Word freeRequest(Call& call, Word* arguments);     // MPI_Request_free: request

}  // namespace muster::mpi

// A function with buffers, and its form with wide counts (MPI 4).
#define MPI_COUNTED(function, letters, lasts)                                  \
  MPI_FUNCTION(function, muster::mpi::passBuffers, letters, lasts);            \
  MPI_FUNCTION(function##_c, muster::mpi::passBuffers, "+" letters, lasts)
