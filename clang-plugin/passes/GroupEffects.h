// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the work-items of a group that goes through an iteration together have for themselves, and what they share
// (passes/GroupLoops.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "passes/GroupLoops.h"
#include "passes/LaneMasks.h"

namespace muster::plugin::passes {

class GroupEffects {
 public:
  GroupEffects(const ir::Statements& iteration, const GroupContext& context);

  // A function gets an object of the iteration's, which all work-items have, and which it may change.
  bool givesObject(const ir::Statements& iteration) const;
  // The variable of the iteration that an expression changes, or whose address it takes; "": none.
  std::string changedOwn(const ir::Expression& part) const;
  // It stores to memory of others, or may do so in a function.
  bool stores(const ir::Statements& statements) const;
  // It depends on what the loop's work-items write, which a wrong program may change meanwhile.
  bool varies(const ir::Expression& value) const;
  // A pointer to what the loop's work-items write, or one of which that is not known.
  bool mayReachWritten(const std::string& pointer) const { return masks_.isShared(pointer) && !isReadOnly(pointer); }
  // Of a variable with a number, or a whole one; "": it is none.
  std::string numberTypeOf(const std::string& variable) const;
  std::string wholeTypeOf(const std::string& variable) const;

 private:
  void note(const ir::Statements& statements, bool isShared = false);
  void findVarying(const ir::Statements& statements);
  bool isReadOnly(const std::string& pointer, unsigned depth = 0) const;
  bool readsWritten(const ir::Expression& pointer) const;
  bool mayStoreBy(const ir::Expression& argument) const;
  bool stores(const ir::Expression& part) const;

  const GroupContext& context_;
  const LaneMasks masks_;
  std::map<std::string, std::vector<ir::Expression>> definitions_;
  std::map<std::string, std::string> types_;  // of numbers
  std::set<std::string> varying_, objects_;
};

}  // namespace muster::plugin::passes
