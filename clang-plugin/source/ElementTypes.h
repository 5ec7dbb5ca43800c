// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What types of variables and elements are: numbers, what is copied byte by byte, and what can be elements.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

namespace muster::plugin {

// The type below all references, pointers and arrays.
clang::QualType innermostType(clang::QualType type);

// An arithmetic type or an enumeration: what elements, scalars and results can be.
inline bool isScalarType(clang::QualType type) { return type->isArithmeticType() || type->isEnumeralType(); }

// A class whose objects the runtime may copy byte by byte.
bool isCopiedByBytes(clang::QualType type);

// Whether the compiler makes the constructor, and it does nothing (a default one) or what copying the bytes does.
bool isPlainConstructor(const clang::CXXConstructorDecl* constructor);

// Why this cannot be the element type of an array that a distributed loop uses ("are volatile"); empty if it can.
std::string canBeElement(const clang::ASTContext& ast, clang::QualType type);

// What native code can declare again for an iteration: arithmetic types, arrays of them and pointers to them.
bool isPrivateType(const clang::ASTContext& ast, clang::QualType type);

// What a parameter of this type lets a function reach, innermost: of a pointer or reference; else null.
clang::QualType givenAway(clang::QualType type);

// Of which each thread has one: thread_local and threadprivate ones.
bool isThreadLocal(const clang::VarDecl* var);

}  // namespace muster::plugin
