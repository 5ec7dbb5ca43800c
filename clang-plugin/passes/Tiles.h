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
#include "passes/Elements.h"

namespace muster::plugin::passes {

struct TiledLoop {
  ir::Statements before;  // has no effects but on the work-item's own variables
  ir::Statement loop;     // reads its elements from the tiles, by `tileColumn`
  ir::Statements behind;
  std::string variable;       // of the loop, which counts up by one
  ir::Expression first, end;  // of its values, the same for all work-items
  struct Array {
    std::string name;        // the pointer's
    std::string tile;        // of the row's elements, in local memory
    ir::Expression element;  // as the row's and the loop's variables and launch constants make it
    bool isCommon;           // one row for all work-items
  };
  std::vector<Array> arrays;
};

// The loop's variable at the begin of a tile, and by how much it is greater.
inline constexpr const char *tileBegin = "muster_t", *tileColumn = "muster_c";

struct TileContext {
  std::string row;                                      // the variable along which work-items lie
  Memory memory;                                        // its variables are found by the pass
  std::function<bool(const std::string& name)> isRead;  // one to numbers that no work-item writes
};

// The first loop of an iteration that gains by it. None: there is none, or it cannot be shown.
std::optional<TiledLoop> tileRows(const ir::Statements& iteration, const TileContext& context);

}  // namespace muster::plugin::passes
