// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of lengths of their own that lie one behind the other, as those of a sparse matrix (compressed sparse rows).
// Work-items that walk along one each read elements a row apart. What an element and its number alone decide, a
// work-group can read for all of its rows, line by line, also where it is found by another element. Each work-item then
// takes its own from local memory, in order.
//
//   for (k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/Tiles.h"

namespace muster::plugin::passes {

struct RaggedLoop : RowLoop {           // as it is written
  ir::Statements body = {};             // that of the loop, which reads `elements` from local memory
  ir::Expression first = {}, end = {};  // of the variable, which counts up by one
  std::string along = {};               // an array whose elements lie along the rows
  std::vector<StagedElement> elements = {};
};

// The first loop of an iteration, if it is one.
std::optional<RaggedLoop> stageRows(const ir::Statements& iteration, const TileContext& context);

}  // namespace muster::plugin::passes
