// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of records that arrays have, by all that code names them as: `p[i].x`, `b->x` where b is `&p[i]`, `(*b).x`.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "ir/Statement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

// Of a record, a member (".speed.x", ".v[2]"), or all of it (""), or an unknown part of a member that is an array.
struct RecordPlace {
  std::string array;
  ir::Expression index;
  std::string member;
  bool isUnknown = false;

  bool isOf(const RecordPlace& other) const { return array == other.array && index == other.index; }
};

enum class RecordMode { Read, Store, Update, Address };

struct RecordAccess {
  RecordPlace place;
  RecordMode mode = RecordMode::Read;
  bool isCertain = true;  // behind no condition
};

class RecordPlaces {
 public:
  using IsArray = std::function<bool(const std::string& name)>;

  // `isRecords`: arrays of records; `isOnlyRead`: of others, too. The memory's variables are those of the iteration.
  RecordPlaces(const ir::Statements& iteration, const Memory& memory, IsArray isRecords, IsArray isOnlyRead);

  // None: it is no place in a record.
  std::optional<RecordPlace> placeOf(const ir::Expression& value) const;
  std::optional<RecordPlace> pointedTo(const ir::Expression& pointer) const;

  // Calls `touch` for each place of the statements, and `mention` for each other name. A pointer's definition touches
  // nothing by itself.
  using Touch = llvm::function_ref<void(const RecordAccess&)>;
  using Mention = llvm::function_ref<void(const std::string& name)>;
  void visit(llvm::ArrayRef<ir::Statement> statements, bool isCertain, Touch touch, Mention mention) const;

  // The index names and reads the same in all of these statements. (Names are unique in an iteration.)
  bool isFixed(const ir::Expression& index, const ir::Statements& statements) const;

  // The statements with `whole` for each record whose place, or a member's, `isIt` says to be one.
  using IsPlace = llvm::function_ref<bool(const RecordPlace&)>;
  ir::Statements renamed(const ir::Statements& statements, IsPlace isIt, const ir::Expression& whole) const;

 private:
  void visit(const ir::Expression& value, RecordMode mode, bool isCertain, Touch touch, Mention mention) const;
  void forEachIndex(const ir::Expression& place, llvm::function_ref<void(const ir::Expression&)> visit) const;
  ir::Expression renamed(const ir::Expression& value, IsPlace isIt, const ir::Expression& whole) const;
  ir::Expression withIndexesRenamed(const ir::Expression& place, IsPlace isIt, const ir::Expression& whole) const;
  static ir::Expression inRecord(const ir::Expression& value, const ir::Expression& whole);
  bool isRecords(const ir::Expression& array) const;

  const Memory& memory_;
  const IsArray isRecords_, isOnlyRead_;
  std::set<std::string> addressed_;  // variables that pointers lead to
};

}  // namespace muster::plugin::passes
