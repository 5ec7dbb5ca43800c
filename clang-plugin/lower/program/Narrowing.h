// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit numbers of iterations as the program's 32-bit loop variables.
//
// ptxas, which NVIDIA's drivers build kernels with, goes wrong where many indexes are computed from one narrowed
// number: of `(int)k * 34 + 34`, `(int)k * 34 + 68` and so on, sign-extended, one gets the constant of another (seen
// with CUDA 13.0 on H100 and H200; the PTX is right: decision 34). Where the compiler does not see that the number was
// wider, it does not compute so.
#pragma once

#include "lower/program/Program.h"
#include "lower/types/Scope.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// `to`: an integer type, not that of `wide`.
ir::Expression narrowed(Program& program, Scalar to, const ir::Expression& wide);

// Whether the conversion of an expression that names a loop variable is of that kind.
bool narrowsIteration(const Program& program, const clang::Expr* wide, clang::QualType to);

// What a loop variable has in an iteration: first + k * step.
ir::Expression iterationValue(const LoopFacts& facts, unsigned dim, const ir::Expression& k);

// A kernel's code in which the variable along memory is narrowed as in C, if nothing multiplies it and the body has
// loops: the compiler makes better ones of what it sees through (a product of matrices on an H100: 7.8 ms, else 9.9).
// Without loops the other is as fast or faster (3-D heat on an H200: 0.89 ms, else 0.95).
ir::Statements withPlainColumns(const Program& program, Scope& scope, const Schedule& schedule, ir::Statements code);

// Code of a work-item with several points, and what stands in front of all of them.
struct Counted {
  ir::Statements code, ahead;
};
// The rows of a work-item count from its first, so that the compiler knows how far they are apart. Numbers are narrowed
// once for all of its points: to CUDA's compiler each narrowing is another number, so that rows would not share what
// they read.
Counted countedFromPoint(const LoopFacts& facts, const Schedule& schedule, const ir::Statements& code);

}  // namespace muster::plugin::lower
