// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that add up products, or the like, of elements that each miss one of two parallel axes: a product of matrices,
// distances of all pairs. A work-group computes a block of iterations. It loads what these read in a few steps of the
// loop into local memory, once, and each work-item keeps the sums of a part of the block in registers (Goto & van de
// Geijn, ACM TOMS 34(3), 2008, section 4). Each sum is computed in its own order.
//
//   for (k = first; k < end; ++k) sum += a[i * n + k] * b[k * n + j];
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/CountedLoops.h"
#include "passes/WideAccesses.h"

namespace muster::plugin::passes {

struct ContractedRead {
  unsigned axis = 0;  // along which it differs
  // Whether the next step of the loop, or else the next lane, reads the next element.
  enum class Next { Step, Lane, Neither } next = Next::Neither;
  std::string array;             // whose element it is: the pointer's name
  ir::Expression element;        // by variables of loops and launch constants alone
  std::vector<std::string> own;  // what stands for it in a lane with this number along the axis
};

struct Contraction {
  std::array<unsigned, 2> lanes = {1, 1};  // of a work-item along axes 0 and 1
  std::string separator;                   // in front of a lane's number, behind the names of its variables
  LoopHead head;
  std::string type;  // of the loop's variable
  std::vector<ContractedRead> reads;
  std::array<ir::Statement, 2> counters;                     // define the loops' variables along the axes
  ir::Statements before, step;                               // of all lanes; a step has what it reads in registers
  ir::Statement rest;                                        // the loop, for all lanes, from `tileBegin` on
  std::vector<std::pair<Lane, ir::Statements>> behind = {};  // of one lane after the other
};

struct ContractionContext {
  std::array<LaneAxis, 2> axes;                         // lanes are found by the pass; a column where steps are of one
  std::string outer = {};                               // the variable of a third axis; "": there is none
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // one to numbers that no work-item writes
};

// With so many lanes along an axis, of wide elements half as many along axis 0. None: the iteration has more than one
// such loop and what stands around it, or it cannot be shown.
std::optional<Contraction> contraction(const ir::Statements& iteration, ContractionContext context, unsigned lanes);

}  // namespace muster::plugin::passes
