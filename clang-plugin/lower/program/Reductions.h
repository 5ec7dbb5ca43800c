// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: identities, combination, and the tree over a work-group.
#pragma once

#include <string>
#include <vector>

#include "ir/Statement.h"
#include "lower/types/Scalars.h"

namespace muster::plugin::lower {

struct Reduction {
  unsigned kind = 0;  // muster_result_kind, not MUSTER_LASTPRIVATE
  std::string type;
  Scalar scalar = Scalar::None;  // not of a record
  bool isBool = false;
  std::string name;    // the work-item's own value
  std::string slots;   // in local memory, one for each work-item
  std::string out;     // in global memory, one for each work-group
  std::string choose;  // of a record: the function that returns the better one of two
  // By an operator of the user's: its variables and its statement, and the type of `out`.
  std::string outName, inName, box;
  ir::Statements combiner = {};
};

// Work-items of a work-group, and a work-item's number among them.
inline constexpr const char* groupSize = "MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2";
inline constexpr const char* laneOfGroup =
    "(get_local_id(0) + MUSTER_WG0 * (get_local_id(1) + MUSTER_WG1 * get_local_id(2)))";

ir::Expression identity(const Reduction& reduction);
// What two values become.
ir::Expression combination(const Reduction& reduction, const ir::Expression& left, const ir::Expression& right);
// Code at the end of a kernel, indented once, that leaves the group's value of each reduction in its `out`.
std::string groupTree(const std::vector<Reduction>& reductions);

}  // namespace muster::plugin::lower
