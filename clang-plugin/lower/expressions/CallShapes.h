// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one shape of all kinds of calls: functions, methods, operators.
#pragma once

#include <vector>

#include "clang/AST/ExprCXX.h"

namespace muster::plugin::lower {

struct CallShape {
  const clang::FunctionDecl* callee = nullptr;  // nullptr: called through a pointer
  const clang::Expr* object = nullptr;          // of a non-static method
  bool objectIsPointer = false;
  std::vector<const clang::Expr*> arguments;  // without the object
};

CallShape shapeOf(const clang::CallExpr* call);

// Declared by the language's library (std, C library, builtin), so that its name says what it does.
bool isLibraryFunction(const clang::FunctionDecl* function);

// A reference without a name, of which only the type counts.
inline bool isUnused(const clang::ParmVarDecl* parameter) {
  return parameter->getName().empty() && parameter->getType()->isReferenceType();
}

// std::move and other functions that give back their first argument.
bool isIdentity(const clang::FunctionDecl* function);

// Operations on the std::vector variables that the kernel gets as arrays.
enum class VectorOperation { None, Subscript, Data, Size };
VectorOperation vectorOperation(const CallShape& call);

// A method of std::unique_ptr or std::shared_ptr.
bool isSmartPointer(const CallShape& call);

}  // namespace muster::plugin::lower
