// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations beside each other in one work-item, statement by statement (unroll and jam: Callahan, Cocke & Kennedy,
// JPDC 1988, section 4). What several of them need is then loaded once, in their loops, too, and elements next to each
// other by one wide access. Iterations may run in any order, so all compute what they did.
//
//   b[i * n + j] = a[i * n + j];     float2 v = *(float2 *)&a[i * n + j0]; *(float2 *)&b[i * n + j0] = v;
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

struct LaneAxis {
  std::string variable;  // a lane's is the first one's plus the lane's number
  unsigned lanes = 1;
  std::string counter = {};  // a variable of the iteration that is this one plus something; "": there is none
  // Such a variable, if wide accesses may lie along the axis; it is aligned in the first lane.
  std::string column = {};
};

struct LaneContext {
  // The first one has a column. An access of neighbours along it is adjacent along an axis that has one. The lanes of
  // these are powers of two.
  std::vector<LaneAxis> axes;
  Memory memory;  // its variables are those of the iteration
  // Lanes along the first axis are so many iterations apart, and nothing is wide; empty: they are neighbours.
  std::string apart = {};
};

struct Lanes {
  ir::Statements code;  // variables that differ between lanes end with suffixes
  std::string separator;
  std::string suffix(unsigned lane) const { return separator + std::to_string(lane); }
  // By axis, of those with wide accesses: the column plus this has to be a multiple of the lanes.
  std::map<unsigned, std::int64_t> phases;
  Alignment alignment;
  bool needsDistinct = false;  // no array that is stored to may share elements with another one
  // In a loop, lanes of each of two axes share loads that those of the other do not, or those of a single one share
  // some.
  bool isContraction = false;
};

// None: iterations cannot run so, or not all accesses of neighbours along the first axis would be wide. `whyNot` says
// it.
std::optional<Lanes> makeLanes(const ir::Statements& iteration, const LaneContext& context, std::string& whyNot);

}  // namespace muster::plugin::passes
