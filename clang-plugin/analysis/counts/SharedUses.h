// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code that all threads run reads and writes of things that may not be a thread's own, in functions that it calls,
// too.
#pragma once

#include "analysis/counts/NeutralValues.h"
#include "analysis/counts/OtherNames.h"

namespace muster::plugin {

struct SharedUse {
  OwnPlace place;
  const clang::Expr* expr = nullptr;  // nullptr: a variable of a called function's file
  clang::QualType type;               // what is read or written
};

struct SharedUses {
  std::vector<SharedUse> reads, writes;
};

// Functions that regions call, each read once.
class FunctionUses {
 public:
  FunctionUses(const clang::ASTContext& ast, NeutralFunctions& functions) : functions_(functions), names_(ast) {}
  const SharedUses& of(const clang::FunctionDecl* definition);
  NeutralFunctions& functions() { return functions_; }
  // Whether both may be one place, or parts of one, also by names that were made elsewhere.
  bool mayMeet(const SharedUse& left, const SharedUse& right);

 private:
  NeutralFunctions& functions_;
  OtherNames names_;
  std::map<const clang::FunctionDecl*, SharedUses> known_;
};

// `writes`: of the code around it, for the places that it names. What a statement assigns to, or updates, is no read.
SharedUses sharedUses(const OwnWrites& writes, FunctionUses& functions, const clang::Stmt* statement);

// Whether both are one place, or parts of one, by what they are named after. Elements are not told apart, and unknown
// places by their types alone.
bool mayOverlap(const SharedUse& left, const SharedUse& right);
// Shared out among the threads, or done by one of them.
bool isSharedOut(const OwnWrites& writes, const clang::Stmt* statement);

}  // namespace muster::plugin
