// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over rows and columns that give each element of an array from those around it of another array: a step of time,
// of which several can run while the elements are in registers.
//
//   b[i * n + j] = f(a[(i - 1) * n + j], a[i * n + j - 1]);
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "passes/Elements.h"

namespace muster::plugin::passes {

struct TimeStep {
  std::string from, to;    // arrays
  ir::Expression element;  // of `to`
  // What names it: definitions in front of `before`.
  ir::Statements position;
  // The value, and what is in front of it. What they read of `from` is a call of `window`: rows and columns from the
  // element at the same place.
  ir::Statements before;
  ir::Expression value;
  unsigned reach = 0;  // rows or columns to the furthest; 0: a copy
  // The first and the last element that it reads, in memory; and where one row further lies in front of it.
  std::array<int, 2> first = {0, 0}, last = {0, 0}, firstBack = {0, 0}, lastBack = {0, 0};
  bool needsCorners = false;  // of the furthest row below, others than those in the element's column
  bool readsOthers = false;   // elements of further arrays
  // Launch constants that have to be equal: how far rows of the two arrays are from each other. Or empty.
  std::array<std::string, 2> equal = {};
};

struct TimeStepContext {
  std::string row, column;  // variables of the iteration
  Memory memory;            // its variables are found by the pass
  IsInteger mayWiden;       // as in Places (PlaceSums.h)
  std::string window;       // a name
  unsigned mostReach = 1;
};

// None: the iteration is another one, or might do harm where its values count for nothing, as at the edges of a block.
std::optional<TimeStep> timeStep(const ir::Statements& iteration, const TimeStepContext& context);

}  // namespace muster::plugin::passes
