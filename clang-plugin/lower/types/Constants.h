// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the compiler knows, as literals and as initialisers of tables; which variables an expression changes.
#pragma once

#include <optional>
#include <string>

#include "clang/AST/APValue.h"
#include "lower/program/Program.h"

namespace muster::plugin::lower {

std::optional<ir::Expression> scalarConstant(Program& program, const clang::APValue& value, clang::QualType type);
// What an object of the type holds.
std::optional<ir::Expression> storedConstant(Program& program, const clang::APValue& value, clang::QualType type);
// With braces; none if the value has parts that OpenCL cannot express.
ir::Expression constantInitialiser(Program& program, const clang::APValue& value, clang::QualType type);

// The compiler evaluates constants with a rounding after each operation in half precision, the program perhaps not.
bool computesInHalf(const clang::Expr* expr);

// The expression assigns, counts, or calls something that may.
bool writesVariables(const clang::Expr* expr);
// Or elements, or by a pointer: an expression that cannot be evaluated twice.
bool mayWrite(const clang::Expr* expr);
// One of two operands changes a variable that the other uses, so that their order of evaluation, which C++17 fixes for
// some operators and C for none, matters.
bool dependOnOrder(const clang::Expr* left, const clang::Expr* right);
// The same for `target = value`, which does not read what it writes: `c.x = c.y = 0`.
bool assignmentDependsOnOrder(const clang::Expr* target, const clang::Expr* value);

}  // namespace muster::plugin::lower
