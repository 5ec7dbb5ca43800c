// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all work-items of a group may run code, once more or together: it changes their own variables alone, and
// none leaves it.
#pragma once

#include "passes/Elements.h"

namespace muster::plugin::passes {

class OwnEffects {
 public:
  // `isRead`: an array that no work-item writes.
  OwnEffects(const Memory& memory, std::function<bool(const std::string& name)> isRead,
             const ir::Statements& iteration);

  // No effects on memory of others, no jumps out: all work-items of a group come to the barriers.
  bool changesOwnAlone(const ir::Statements& statements) const;

 private:
  // An element of an array that no work-item writes.
  bool isElementRead(const ir::Expression& element) const;
  void notePointers(const ir::Statements& statements);
  bool givesPointer(const ir::Expression& argument) const;

  const Memory& memory_;
  const std::function<bool(const std::string& name)> isRead_;
  std::map<std::string, bool> pointers_;  // variables, and whether each leads to numbers or objects, not to rows
};

}  // namespace muster::plugin::passes
