// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes have in common that let work-groups load rows together (passes/Tiles.h, passes/RaggedRows.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/OwnEffects.h"

namespace muster::plugin::passes {

// The first loop of an iteration, which changes the work-item's own variables alone, as does what stands before it.
struct RowLoop {
  ir::Statements before;
  ir::Statement loop;
  ir::Statements behind;
};
std::optional<RowLoop> firstLoop(const ir::Statements& iteration, const OwnEffects& effects);

// What each iteration of a loop computes in any case.
void forEachCertain(const ir::Statements& body, llvm::function_ref<void(const ir::Expression&)> visit);

// An element that is read from local memory.
struct StagedElement {
  std::string array;                       // whose it is: the pointer's name
  std::string tile;                        // where it lies, found by `tileColumn`
  ir::Expression element;                  // as the loop's variable and launch constants make it, and perhaps the row's
  bool isCommon;                           // one for all rows
  bool isLoaded = true, isStored = false;  // in front of the loop's steps, and behind them
};

// The loop's variable at the begin of a tile, and where its element is in the tile.
inline constexpr const char *tileBegin = "muster_t", *tileColumn = "muster_c";

// A pointer to an element, or a reference: tiles are in another kind of memory.
bool hasPlace(const ir::Statements& statements);

// Once each, in a tile of its own.
void stage(std::vector<StagedElement>& all, StagedElement element);
// What stands for it in the loop. None: it is not staged.
std::optional<ir::Expression> stagedIn(const std::vector<StagedElement>& all, const ir::Expression& element);

}  // namespace muster::plugin::passes
