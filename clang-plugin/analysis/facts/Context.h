// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes over one loop share: the facts being collected and the role of each variable.
#pragma once

#include <map>
#include <set>

#include "analysis/facts/Values.h"
#include "clang/AST/ASTContext.h"
#include "source/UserFiles.h"

namespace muster::plugin {

enum class Role {
  Loop,     // variable of a loop of the directive
  Private,  // private, lastprivate or reduction: a variable of the iteration (or thread) itself
  Firstprivate,
  Array,     // pointer, array or vector that elements are reached through
  Scalar,    // shared, read only
  Constant,  // value known at compile time
  Table,     // constant array of static storage
};

// Loops around an access, and those on which it depends whether it happens in every iteration of what becomes a
// dimension.
struct Doubt {
  std::set<unsigned> values;  // its index uses their variables, which skip values
  std::set<unsigned> runs;    // it is inside of them, and they may have no iteration
  std::set<unsigned> around;  // all loops that it is inside of, wherever the same access stands
  std::size_t size() const { return values.size() + runs.size(); }
};

// What a loop does with tables of rows: uses their rows, takes the start of one for the end of another, or more.
enum class TableUse { None, Rows, Ends, Whole };

struct TeamScope;
class Aliases;
class TeamSizes;

struct LoopContext {
  clang::ASTContext& ast;
  LoopFacts& facts;
  std::map<const clang::VarDecl*, Role> roles;        // of every variable declared outside the body
  std::map<const clang::VarDecl*, unsigned> arrayOf;  // index into facts.arrays
  std::set<const clang::VarDecl*> declaredInside;
  std::set<const clang::VarDecl*> changed;   // in the body
  std::set<const clang::VarDecl*> managed;   // variables that a directive names
  std::vector<LoopVariable> variables;       // in the order of the walk; finishDims renumbers
  std::map<std::size_t, Doubt> doubts = {};  // by access, until finishDims
  const TeamScope* team = nullptr;           // of a worksharing loop in a parallel region or function
  // Functions whose references are known, for the objects that they were called with.
  std::set<std::pair<const clang::FunctionDecl*, std::string>> followed = {};

  // The function whose text a lambda of the loop is part of; nullptr: the body itself.
  std::map<const clang::CXXRecordDecl*, const clang::FunctionDecl*> lambdas = {};
  const Aliases* aliases = nullptr;
  const TeamSizes* teamSizes = nullptr;
  std::set<const clang::FieldDecl*> managedFields = {};  // that a directive names

  std::vector<FollowedCall> calls = {};  // innermost last
  const SkippedText* skipped = nullptr;  // of a loop of the file

  bool unevenRows = false;  // tables of rows have form Starts
  TableUse tables = TableUse::None;
  std::set<const clang::VarDecl*> assignedTables = {};  // whose entries the body assigns

  Objects& objects() const { return *facts.objects; }

  // Keeps the first refusal. Always false, so that passes can `return context.refuse(...)`.
  bool refuse(clang::SourceLocation loc, std::string what);
  bool refused() const { return facts.refusal.has_value(); }
};

}  // namespace muster::plugin
