// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the ranks of one host share. Each rank makes a memfd, with a part for each of the others, which open it
// through /proc: a memfd has no name, so nothing is left of it when its ranks are gone, and the size of /dev/shm does
// not matter. Rooms in it exist once they are used.
#pragma once

#include "transport/loans.h"
#include "transport/mpi/mpi_job.h"

namespace muster::cdm {

// Collective, at the start. Adds to `loans` the ranks with which this one shares memory: those of its host that want it
// too. What stands in the way is told by `warn` and is no error.
Status shareMemory(const MpiJob& job, bool wanted, Loans& loans, const Loans::Warn& warn);

}  // namespace muster::cdm
