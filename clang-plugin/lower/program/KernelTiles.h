// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a kernel in which work-groups load rows together (passes/Tiles.h).
#pragma once

#include <optional>
#include <string>

#include "lower/types/Scope.h"
#include "passes/RaggedRows.h"
#include "passes/Tiles.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// The iteration of a kernel as a loop over tiles, if it gains by it, of rows of one length or of lengths of their own;
// `constantOf` is that of plan/Schedule.h. The schedule then says so.
struct FoundTiles {
  std::optional<passes::TiledIteration> rows;
  std::optional<passes::RaggedLoop> ragged;
};
FoundTiles findTiles(const Program& program, Scope& scope, const ir::Statements& iteration,
                     llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);

// What stands between the braces of that form. `prologue`: definitions in front of the iteration.
std::string tiledFrame(Program& program, Scope& scope, const passes::TiledIteration& tiled,
                       const ir::Statements& prologue);

// The same where all work-items walk along the same elements.
std::string commonFrame(Program& program, Scope& scope, const passes::TiledIteration& tiled,
                        const ir::Statements& prologue);

}  // namespace muster::plugin::lower
