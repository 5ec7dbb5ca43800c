// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop uses of the standard library and of the system: which parts no other device can run, in the user's words.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

// Of the compiler, the C or C++ library, or the system's headers.
bool isLibrary(const clang::FunctionDecl* function);
// As the user spelled it: '__sync_fetch_and_add', not '__sync_fetch_and_add_4'.
std::string nameOfCallee(const clang::FunctionDecl* function);

// Why a library function that has no definition here, or does what the analysis refuses, cannot be called on another
// rank, and what to do instead; empty if nothing special is known.
std::string whyUnserved(const clang::FunctionDecl* function);
// The same for objects of a class of the standard library.
std::string whyUnserved(clang::QualType type);

// A function of the C library that gives the number at the start of a text and nothing else: atof, strtol with a null
// pointer for the end.
bool readsText(clang::ASTContext& ast, const clang::CallExpr* call);

// What is said of a call of a function without a definition here.
std::string undefinedInWords(const clang::FunctionDecl* function);

// A type as the user may have written it.
std::string typeInWords(const clang::ASTContext& ast, clang::QualType type);
// What a call, or the construction of an object, is to the user who wrote it: "calls 'load' of 'std::atomic<int>'".
std::string inWords(const clang::ASTContext& ast, const clang::Expr* use, const clang::FunctionDecl* callee);

// A call, or construction, of a function whose code the analysis follows now.
struct FollowedCall {
  const clang::Expr* use = nullptr;
  const clang::FunctionDecl* callee = nullptr;
};
// What a refusal inside of the library says to the user, who called what leads there: names of the library's own are
// none of the user's words. Leaves `loc` and `what` as they are where the user's code is refused.
void putInWords(const clang::ASTContext& ast, const std::vector<FollowedCall>& calls, clang::SourceLocation& loc,
                std::string& what);

}  // namespace muster::plugin
