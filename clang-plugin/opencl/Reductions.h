// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: identities, combination, and the tree over a work-group.
#pragma once

#include <string>
#include <vector>

#include "opencl/Scalars.h"

namespace muster::plugin::opencl {

struct Reduction {
  unsigned kind = 0;  // muster_result_kind, not MUSTER_LASTPRIVATE
  Scalar scalar = Scalar::None;
  bool isBool = false;
  std::string name;   // the work-item's own value
  std::string slots;  // in local memory, one for each work-item
  std::string out;    // in global memory, one for each work-group
};

std::string identity(const Reduction& reduction);
// Code at the end of a kernel, indented once, that leaves the group's value of each reduction in its `out`.
std::string groupTree(const std::vector<Reduction>& reductions);

}  // namespace muster::plugin::opencl
