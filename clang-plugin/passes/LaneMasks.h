// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of an iteration differ between lanes (passes/Lanes.h), and along which axes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

class LaneMasks {
 public:
  using Mask = unsigned;  // a bit for each axis along which lanes differ

  // `axes`: the variable of each axis that has several lanes, and the axis' bit.
  LaneMasks(const ir::Statements& iteration, const Memory& memory,
            const std::vector<std::pair<std::string, Mask>>& axes);

  // Statements that lanes may run one after the other, which end inside of it.
  static bool mayStandIn(const ir::Statements& iteration);
  // A number's type.
  static bool isScalar(const std::string& type);
  // A jump that leaves it, or goes on with a loop around it.
  static bool jumpsOut(const ir::Statement& statement);
  // A function gets an array or an object of the iteration, which it may change.
  bool givesOwn(const ir::Statements& iteration) const;

  Mask all() const { return all_; }
  Mask of(const std::string& variable) const;
  Mask of(const ir::Expression& value) const;
  Mask of(const ir::Statement& statement) const;
  // Lanes go through it together: what it depends on is the same for them.
  bool isTogether(const ir::Statement& statement) const;

  // A pointer to memory of others: an array, or the iteration's own.
  bool isShared(const std::string& name) const { return memory_.isArray(name) || pointers_.count(name) != 0; }
  // A variable of the iteration that is no such pointer.
  bool isOwn(const std::string& name) const { return own_.count(name) != 0 && !isShared(name); }
  // What an expression changes in memory of others; nullptr: nothing.
  const ir::Expression* changedOutside(const ir::Expression& value) const;

 private:
  bool givesOwn(const ir::Expression& argument) const;
  void noteOwn(const ir::Statements& statements);
  void mark(const ir::Statements& statements, Mask mask);
  void spread(const ir::Statements& statements);

  const Memory& memory_;
  Mask all_ = 0;
  std::map<std::string, Mask> masks_;
  std::set<std::string> own_, pointers_, arrays_, objects_;  // arrays: of numbers, with one dimension
};

}  // namespace muster::plugin::passes
