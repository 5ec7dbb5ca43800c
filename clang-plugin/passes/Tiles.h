// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that work-items walk along, each its own: neighbours then touch elements a row apart, and each access of a
// work-group takes as many lines of memory as it has work-items. A work-group that loads tiles of its rows together,
// line by line, reads them from local memory, and stores what it made of them together, computes the same in the same
// order. So it does with what all of its work-items read, which then takes no access to global memory for each step.
//
//   for (k = 0; k < n; ++k) sum += a[i * n + k] * x[k];
//   for (k = n - 2; k >= 0; --k) y[i * n + k] -= r[i * n + k] * y[i * n + k + 1];
//
// Of a work-group one work-item is a row's owner. It alone does what stands between loops and touches what the kernel
// writes, or needs what loops have computed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/Statement.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/RowLoops.h"

namespace muster::plugin::passes {

// What a step needs of the element next to its own, which the step before has stored: it is kept in a variable.
struct CarriedElement {
  std::string name, array, type;
  ir::Expression first;  // for the first step
};

struct TiledLoop {
  ir::Statements before;                // what stands in front of it, behind the loop before
  ir::Statement original, loop;         // as it was; with the elements in the tiles
  std::string variable = {};            // of the loop, which counts by one
  ir::Expression first = {}, end = {};  // of its values, the same for all work-items
  bool isDown = false, isInclusive = false;
  std::vector<StagedElement> arrays = {};
  std::vector<CarriedElement> carried = {};
};

struct TiledIteration {
  std::vector<TiledLoop> loops;
  ir::Statements behind;   // of the owner's
  bool hasOwners = false;  // the kernel writes what lies in tiles, or touches between loops what it writes

  // No array has rows of its own: work-items walk along the same elements, as along all bodies that pull each of them.
  // Then there is one loop.
  bool isCommon() const {
    return llvm::all_of(loops.front().arrays, [](const StagedElement& array) { return array.isCommon; });
  }
};

// Whether a work-item is its row's owner.
inline constexpr const char* tileOwner = "muster_owner";

struct TileContext {
  std::string row;                                      // the variable along which work-items lie
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // one to numbers that no work-item writes
};

// The loops of an iteration that gain by it. None: there is none, or it cannot be shown.
std::optional<TiledIteration> tileRows(const ir::Statements& iteration, const TileContext& context);

}  // namespace muster::plugin::passes
