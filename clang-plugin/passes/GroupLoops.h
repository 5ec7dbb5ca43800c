// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that work-groups run, not single work-items: all of a group go through the iteration together, and share
// the iterations of loops inside it that are independent of each other. Neighbours then touch neighbouring elements,
// and few iterations with long loops keep a device busy. What stands around those loops each work-item computes for
// itself, but for stores, which are the first one's. Between what is written and what is read lies a barrier.
//
//   sum[i] = 0;  for (j = 0; j <= i; ++j) a[i * n + j] *= s;
//
// Of variables that such a loop adds up (passes/LoopSums.h) each work-item has a part. Behind the loop all have the
// whole.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

struct GroupContext {
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // a pointer to what no work-item writes
  bool areApart = false;                                // no two arrays share elements of which one is written
  // By the number of a loop in the facts' groupLoops: the value of its variable in the iteration that writes what the
  // others read, if it has one.
  std::vector<ir::Expression> pivots = {};
  std::vector<std::set<std::string>> carried = {};  // and variables that its iterations give each other
};

// The number of the work-item among those that share the iteration, and how many these are.
inline constexpr const char *groupLane = "muster_lane", *groupSize = "muster_lanes";
// The same of a group with barriers, when it is built.
inline constexpr const char* groupMost = "MUSTER_WG0";

// The iteration for a group. None: it has no such loop, or `whyNot` says why it has to be one work-item's.
struct GroupedIteration {
  ir::Statements code;
  std::vector<std::string> slots;  // declarations of local memory, for what loops add up
  std::vector<std::string> kept;   // and of a work-item's own (passes/KeptElements.h)
  std::set<unsigned> shared;       // loops, by their numbers
  // Work-items wait for each other. If not, a group may have several iterations.
  bool hasBarriers = false;
};
std::optional<GroupedIteration> groupIteration(const ir::Statements& iteration, const GroupContext& context,
                                               std::string& whyNot);

}  // namespace muster::plugin::passes
