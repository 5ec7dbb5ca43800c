// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the standard library, and tables of rows. Each gives what the elements are; null for other types.
#pragma once

#include "clang/AST/Type.h"

namespace muster::plugin {

// Of a std::vector.
clang::QualType vectorElement(clang::QualType type);
// T of std::vector<T> that depends on a template's parameters, null for other types.
clang::QualType dependentVectorElement(clang::QualType type);
// T of std::array<T, N>, null for other types.
clang::QualType stdArrayElement(clang::QualType type);
// The name of the class template of the library that a type, perhaps a dependent one, is made from.
llvm::StringRef templateOf(clang::QualType type);

// T of std::unique_ptr<T[]> with the library's deleter, null for other types.
clang::QualType uniquePointerElement(clang::QualType type);
// The element type of a smart pointer to one object or to an array, or null.
clang::QualType smartPointee(clang::QualType type);
// A smart pointer to an array.
bool isSmartArray(clang::QualType type);

// Whether a variable of this type is a table of rows: T **, T *[N] or a vector of vectors, or a table of such tables.
// T is then what its elements are, else null.
clang::QualType rowElement(clang::QualType type);
// How many tables lead to a row: 1 for T **.
unsigned rowLevels(clang::QualType type);
// The same for vectors of vectors alone.
clang::QualType rowVectorElement(clang::QualType type);

}  // namespace muster::plugin
