// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of which each thread of a team has its own, as a worksharing loop uses them once one thread runs all code
// around it: what the loop's iterations may do to such a variable and still be spread over threads and devices.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "analysis/facts/Context.h"

namespace muster::plugin {

// The code that all threads of a team run.
struct TeamScope {
  const clang::Stmt* code = nullptr;
  const clang::OMPExecutableDirective* region = nullptr;  // nullptr: a function that a region may call
  const clang::FunctionDecl* function = nullptr;          // that one
  std::set<const clang::VarDecl*> privates;               // each thread has its own
  std::set<const clang::VarDecl*> uninitialised;          // of these
  std::set<const clang::VarDecl*> reduced;                // of these; needed when the region ends
  std::set<const clang::VarDecl*> copied;                 // of these; canonical ones of static storage (LoopFacts)
  std::set<const clang::FieldDecl*> copiedMembers;        // of the object that the region's method is called for
  std::set<const clang::VarDecl*> ownStorage;  // pointers and references to what may be a thread's own storage
  std::set<const clang::VarDecl*> given;       // pointers that the function's callers give, which may be that too
};

TeamScope scopeOf(const clang::OMPExecutableDirective* region);
TeamScope scopeOf(const clang::FunctionDecl* function);

// Why the region's copies of variables of static storage cannot be told from the originals.
std::optional<Refusal> unclearCopies(const TeamScope& scope);

// Refuses a loop that uses the object's own member where the region has copies of it.
bool checkCopiedMembers(LoopContext& context);

// Whether `expr`, a pointer or an lvalue, may be, or point to, a thread's own storage.
bool isOwnStorage(const TeamScope& scope, const clang::Expr* expr);

// How a loop uses a thread's variable. Carried: an iteration needs what an earlier one left. Remade: an object that is
// the same wherever it is made.
enum class TeamUse { Read, Private, Last, Updated, Carried, Remade };

struct TeamVariable {
  const clang::VarDecl* var = nullptr;
  TeamUse use = TeamUse::Read;
  unsigned kind = 0;                          // of an update: muster_result_kind
  const clang::Expr* constant = nullptr;      // of a flag
  const clang::DeclRefExpr* first = nullptr;  // where the loop names it first
  std::vector<unsigned> members = {};         // of an updated struct (ResultFact)
};

// The team's variables that a worksharing loop names and does not declare, or name in a clause, itself.
std::vector<TeamVariable> teamVariables(const clang::ASTContext& ast, const TeamScope& scope,
                                        const clang::OMPLoopDirective* loop);

// Whether neither the loops' heads and clauses name a thread's variable, nor anything but its name leads to it.
// `remade`: objects that may refer to it.
bool staysInBody(const TeamScope& scope, const clang::OMPLoopDirective* loop, const clang::VarDecl* var,
                 const std::vector<const clang::VarDecl*>& remade = {});
// Gives these variables their roles in a loop that is to be distributed. False: refused.
bool shareTeamVariables(LoopContext& context);
// Gives shared scalars that each iteration sets before it reads them their roles.
void takeSharedScalars(LoopContext& context);
// Refuses those that a function of another file may use.
bool checkTakenScalars(LoopContext& context);
// What is private or lastprivate in a loop although OpenMP shares it.
struct TakenScalar {
  const clang::VarDecl* var = nullptr;
  clang::SourceLocation loc;  // where the body names it first
  bool isLast = false;
};
std::vector<TakenScalar> takenScalars(const LoopFacts& facts);
// Refuses a loop that may write the storage that one thread of its callers has for itself.
bool checkGivenStorage(LoopContext& context);

// The body of the innermost loop of the directive.
const clang::Stmt* innermostBody(const clang::OMPLoopDirective* directive);

// Objects of the threads' that an iteration may make again, in the order of their declarations: what makes them has the
// same values there, they do not change, and the loop alone uses them (RemadeObjects.cpp).
std::vector<const clang::VarDecl*> remadeObjects(const clang::ASTContext& ast, const TeamScope& scope,
                                                 const clang::OMPLoopDirective* loop);

// The loop as a parallel region of its own; nullopt: a variable is carried.
std::optional<NestedLoop> nestedLoop(const clang::ASTContext& ast, const TeamScope& scope,
                                     const clang::OMPLoopDirective* loop, Refusal& why);

}  // namespace muster::plugin
