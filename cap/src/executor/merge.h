// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch's merges on one rank, between start() and finish().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "merge/merge_device.h"
#include "merge/merge_parts.h"

namespace muster::cap {

struct LaunchMerges {
  // One of this rank's chunks in one range.
  struct Local {
    std::size_t range = 0, part = 0;
    std::unique_ptr<ContestedCopy> copy;
    cdm::ComputeDevice* device = nullptr;
    std::uint64_t bytesSent = 0;  // to all other ranks together
  };
  // What another rank's chunks changed: its bytes, and the changes of its parts in the order of ranges and parts.
  struct Bundle {
    int rank = 0;
    cdm::Bytes head, bytes;
    std::vector<Changes> changes;
  };

  struct Group {
    std::vector<MergeRange> ranges;
    std::vector<Local> local;  // in the order of ranges and parts
  };

  Group byHost, direct;  // direct: among devices that reach each other's memory
  std::vector<Bundle> bundles;
};

}  // namespace muster::cap
