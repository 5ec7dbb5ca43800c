// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that a loop adds up member by member: complex numbers, several sums that belong together.
#pragma once

namespace muster::plugin {

// The kind (muster_result_kind) of the updates of each member, or untouchedMember, if all that the body does with the
// variable is to update its members, each with one kind and none with values that depend on it; else empty.
std::vector<unsigned> memberSums(const clang::ASTContext& ast, const clang::Stmt* body, const clang::VarDecl* var);

}  // namespace muster::plugin
