// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's view of its host: devices, what was left out, speeds; and the links from rank 0 to other ranks' devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/cdm/device_manager.h"
#include "muster/cdm/transport.h"
#include "report.h"

namespace muster::info {

struct InspectOptions {
  std::string selection;  // MUSTER_DEVICES; rank 0's counts
  bool measures = true;
  bool usesCache = true;
};

struct Inspection {
  RankReport report;
  std::vector<std::unique_ptr<cdm::ComputeDevice>> devices;
};

// Collective: ranks of one host measure one after the other. What goes wrong on a rank is in its report; an
// error is one of the transport.
Result<Inspection> inspect(cdm::Transport& transport, const InspectOptions& options);

// Collective: everybody's report, in rank order.
Result<std::vector<RankReport>> gatherReports(cdm::Transport& transport, const RankReport& mine);

// Collective: rank 0 sends data to the devices of the others, and fills in fromRank0.
Status measureLinks(cdm::Transport& transport, const Inspection& mine, std::vector<RankReport>& reports);

}  // namespace muster::info
