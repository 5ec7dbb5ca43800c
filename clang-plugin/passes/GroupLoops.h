// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that work-groups run, not single work-items: all of a group go through the iteration together, and share
// the iterations of loops inside it that are independent of each other. Neighbours then touch neighbouring elements,
// and few iterations with long loops keep a device busy. What stands around those loops each work-item computes for
// itself, but for stores, which are the first one's. Between what is written and what is read lies a barrier.
//
//   sum[i] = 0;  for (j = 0; j <= i; ++j) a[i * n + j] *= s;
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

struct GroupContext {
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // a pointer to what no work-item writes
  // By the number of a loop in the facts' groupLoops: the value of its variable in the iteration that writes what the
  // others read, if it has one.
  std::vector<ir::Expression> pivots;
};

// The number of the work-item among those that share the iteration, and how many these are.
inline constexpr const char *groupLane = "muster_lane", *groupSize = "muster_lanes";

// The iteration for a group. None: it has no such loop, or `whyNot` says why it has to be one work-item's.
std::optional<ir::Statements> groupIteration(const ir::Statements& iteration, const GroupContext& context,
                                             std::string& whyNot);
// Its work-items wait for each other. If not, a group may have several iterations.
bool hasBarriers(const ir::Statements& group);

}  // namespace muster::plugin::passes
