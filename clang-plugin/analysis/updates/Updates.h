// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that do `x = x OP value`, as `omp atomic`, `omp critical` and the body of an array reduction have them.
#pragma once

#include <optional>

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Whether the runtime can add up what several devices did to elements of this type.
bool canBeMerged(const clang::ASTContext& ast, clang::QualType type);
// `x OP= e`, `x++`, `x = x OP e`, `x = e OP x`, `if (x < e) x = e`, `x = x < e ? e : x`, `x = std::max(x, e)`, also
// alone in a block. nullopt: the statement is something else.
std::optional<UpdateFact> updateForm(const clang::ASTContext& ast, const clang::Stmt* statement);
// The update of `omp atomic [update | capture | compare]`; nullopt for a compare that is no minimum or maximum. For a
// capture that sets x to a value of its own the opcode is BO_Assign.
std::optional<UpdateFact> updateOf(const clang::ASTContext& ast, const clang::OMPAtomicDirective* directive);
// The same of a statement that no other thread's comes between, if its order does not matter.
std::optional<UpdateFact> protectedUpdate(const clang::ASTContext& ast, const clang::Stmt* statement);
// The update that is all that `omp critical` protects, if its order does not matter.
std::optional<UpdateFact> updateOf(const clang::ASTContext& ast, const clang::OMPCriticalDirective* directive);

// `x = x OP value`.
UpdateFact updateBy(const clang::ASTContext& ast, const clang::Expr* target, const clang::Expr* value,
                    clang::BinaryOperatorKind opcode);

// Variables of type std::atomic_ref that the body declares, and the blocks in which they are known.
using AtomicReferences = std::map<const clang::VarDecl*, const clang::Stmt*>;
bool isAtomicReference(clang::QualType type);
void noteAtomicReferences(const clang::Stmt* statement, const clang::Stmt* block, AtomicReferences& named);
// The element that its initialiser denotes is the same wherever the variable is known.
bool isStableReference(const clang::VarDecl* var, const AtomicReferences& named);
// What a std::atomic_ref that is made here refers to; nullptr: unknown.
const clang::Expr* referredBy(const clang::Expr* object);
// A call of __sync_fetch_and_add(&x, value) and the like, __atomic_fetch_add, or a method of a std::atomic_ref, that
// is an update which commutes; nullopt for all others.
std::optional<UpdateFact> atomicCall(const clang::ASTContext& ast, const clang::Stmt* statement,
                                     const AtomicReferences& named);
// Whether it is one, perhaps.
bool mayBeAtomicCall(const clang::CallExpr* call);
// The operand of `&`, or what another pointer leads to; nullptr for what is no pointer to a number.
const clang::Expr* pointedTo(const clang::ASTContext& ast, const clang::Expr* pointer);

// Shared variables that the body only updates, by `omp atomic` or `omp critical`, and flags become reductions.
void findSharedUpdates(LoopContext& context);
// The variable as a flag, of which `code` knows nothing but to assign one constant.
std::optional<ResultFact> flagOf(const clang::ASTContext& ast, const clang::Stmt* code, const clang::VarDecl* var);
// Members of outside objects that are flags become reductions.
void findMemberFlags(LoopContext& context);
// Refuses a loop that also uses a flag's object as a whole.
bool checkMemberFlags(LoopContext& context);
// Where a body's text names the members that are flags.
std::vector<std::pair<const clang::MemberExpr*, const clang::VarDecl*>> memberFlags(const LoopFacts& facts);

}  // namespace muster::plugin
