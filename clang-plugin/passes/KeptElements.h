// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that work-items keep from one loop to the next, where a group shares loops of an iteration
// (passes/GroupLoops.h). Loops over the same steps give each work-item the same ones. So it loads an element that
// several of them read once, and what one stores the next has at hand. A store behind which another loop stores to the
// same element is left out.
//
//   for (j = 0; j < n; ++j) sum += a[i * n + j];
//   for (j = 0; j < n; ++j) b[i * n + j] = a[i * n + j] / sum;
#pragma once

#include <map>
#include <string>
#include <vector>

#include "passes/GroupLoops.h"

namespace muster::plugin::passes {

// A work-item keeps elements of MUSTER_KEPT_STEPS steps of a loop: the number of such a step, and how far it is behind
// the first one. All further ones leave elements in memory.
inline constexpr const char *keptStep = "muster_t", *stepOffset = "muster_e";

// A loop that has elements in common with others, as what its steps do.
struct KeptLoop {
  ir::Expression first;  // step of all of these loops
  ir::Statements loads;  // in front of the loop: what it and the next ones read
  ir::Statements body;
};

struct KeptElements {
  std::vector<std::string> variables;  // declarations of a work-item's own
  std::map<unsigned, KeptLoop> loops;  // by the number of a loop in the facts' groupLoops
};

KeptElements keptElements(const ir::Statements& iteration, const GroupContext& context);

}  // namespace muster::plugin::passes
