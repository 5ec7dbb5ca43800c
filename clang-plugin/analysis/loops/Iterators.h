// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators of a std::vector are pointers to its elements. Native code has pointers in their place where it has a view
// in place of the vector, and the passes after Clang's see what a program with pointers would have.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// What an iterator of a vector points to, const if it may only be read; null for other types.
clang::QualType iteratorPointee(clang::QualType type);
// The type's own if it is no iterator, else the pointer in its place.
clang::QualType withoutIterator(const clang::ASTContext& ast, clang::QualType type);

// `*it`, `it[k]`, `it + k`, `it - v.begin()`, `it != last`, `std::next(it)`, `v.end()` and the like, with pointers:
// `*p`, `p[k]`, ..., `v.data() + v.size()`. Also `v.front()` and `v.empty()`. nullptr for everything else.
const clang::Expr* withPointers(const clang::ASTContext& ast, const clang::Expr* expr);

// The same for an iterator that is only named or converted, too.
const clang::Expr* pointerOf(const clang::ASTContext& ast, const clang::Expr* iterator);

// `v.data()` and `v.data() + v.size()`.
std::pair<const clang::Expr*, const clang::Expr*> edgesOf(const clang::ASTContext& ast, const clang::Expr* vector);

// `vector.NAME()`, whose text is that, too; nullptr: there is no such method.
clang::Expr* callMember(const clang::ASTContext& ast, const clang::Expr* vector, llvm::StringRef name);

// The characters of the type that a variable is declared with; nullopt where they are not plain text of the file.
std::optional<clang::CharSourceRange> iteratorTypeRange(const clang::ASTContext& ast, const clang::VarDecl* var);

}  // namespace muster::plugin
