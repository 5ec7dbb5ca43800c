// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that work-items walk along, each its own: neighbours then touch elements a row apart, and each access of a
// work-group takes as many lines of memory as it has work-items. A work-group that loads tiles of its rows together,
// line by line, and reads them from local memory computes the same in the same order. So it does with what all of its
// work-items read, which then takes no access to global memory for each step.
//
//   for (k = first; k < end; ++k) sum += a[i * n + k] * x[k];
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/Statement.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/RowLoops.h"

namespace muster::plugin::passes {

struct TiledLoop : RowLoop {            // it reads its elements from the tiles
  ir::Statement original = {};          // as it was
  std::string variable = {};            // of the loop, which counts up by one
  ir::Expression first = {}, end = {};  // of its values, the same for all work-items
  std::vector<StagedElement> arrays = {};

  // No array has rows of its own: work-items walk along the same elements, as along all bodies that pull each of them.
  bool isCommon() const {
    return llvm::all_of(arrays, [](const StagedElement& array) { return array.isCommon; });
  }
};

struct TileContext {
  std::string row;                                      // the variable along which work-items lie
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // one to numbers that no work-item writes
};

// The first loop of an iteration that gains by it. None: there is none, or it cannot be shown.
std::optional<TiledLoop> tileRows(const ir::Statements& iteration, const TileContext& context);

}  // namespace muster::plugin::passes
