// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ranks still tell each other once the last command is done: sums for the report, events for the trace.
#pragma once

#include "node/node.h"
#include "report/report.h"
#include "session/job/job.h"

namespace muster::rt {

// Collective, on every rank after its node has ended. `report` is rank 0's, nullptr elsewhere.
Status endJob(Job& job, Node& node, Report* report);

}  // namespace muster::rt
