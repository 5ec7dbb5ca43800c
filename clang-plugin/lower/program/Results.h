// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a kernel that are structs: records, and reductions by operators of the user's. The structs are those of
// the native code (rewrite/native/LoopRecords.cpp).
#pragma once

#include "lower/program/Reductions.h"
#include "lower/types/Scope.h"

namespace muster::plugin::lower {

// The type of a variable that is an argument or a result; what OpenCL does not have refuses the kernel.
Scalar scalarOfVariable(Program& program, const clang::VarDecl* var, const char* role);

struct ResultText {
  std::string types, argument;
  ir::Statements prologue;  // the work-item's own value
  Reduction reduction;
};

ResultText recordResult(Program& program, Scope& scope, unsigned number);
ResultText boxedResult(Program& program, Scope& scope, const ResultFact& result);

}  // namespace muster::plugin::lower
