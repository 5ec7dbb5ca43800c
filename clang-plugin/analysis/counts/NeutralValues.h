// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that threads add up and that give the same sum with any number of threads: in a thread that has no iterations
// they are the operation's identity, and else what its iterations have added up.
#pragma once

#include <memory>
#include <tuple>

#include "analysis/counts/ThreadWrites.h"

namespace muster::plugin {

// What a function's callers have to give for that: its parameter (nullptr: the object that it is called on), or this
// member of it, is such a value.
struct NeutralNeed {
  const clang::ParmVarDecl* parameter = nullptr;
  MemberPath path;
  unsigned kind = 0;  // muster_result_kind
  bool operator<(const NeutralNeed& other) const {
    return std::tie(parameter, path, kind) < std::tie(other.parameter, other.path, other.kind);
  }
};

// The operation by which a region combines what its threads have, if it is one of those below.
std::optional<unsigned> sumKindOf(const clang::OMPReductionClause* clause);

class NeutralFunctions;

class NeutralValues {
 public:
  NeutralValues(const clang::ASTContext& ast, TeamScope scope, NeutralFunctions& functions);

  // Kinds: sums, products, MUSTER_REDUCE_XOR. What it needs is in `needs` then.
  bool isNeutral(const clang::Expr* value, unsigned kind, const MemberPath& path = {});
  // Whether that is all that the code writes to a variable, or to *this (nullptr).
  bool staysNeutral(const clang::VarDecl* var, unsigned kind, const MemberPath& path = {});
  std::set<NeutralNeed> needs;
  // Whether a thread's part of a sum or a product is compared, so that the result depends on who did which iterations.
  bool comparesParts(const clang::Expr* value);
  // Whether that is so of the only expression of a function that is called, where its parameters have their arguments.
  // False: it has another form.
  bool lookInto(const clang::CallExpr* call, llvm::function_ref<bool(const clang::Expr* only)> check);
  // The argument in place of such a parameter; else nullptr.
  const clang::Expr* argumentFor(const clang::Expr* value) const;

  const TeamScope& scope() const { return scope_; }
  const OwnWrites& writes() const { return *writes_; }

 private:
  bool neutral(const clang::Expr* value, const MemberPath& path);
  bool neutralPlace(const clang::Expr* value, const MemberPath& path);
  bool neutralList(const clang::InitListExpr* list, const MemberPath& path);
  bool neutralObject(const clang::CXXConstructExpr* construct, const MemberPath& path);
  bool neutralMembers(const clang::CXXConstructorDecl* constructor, const MemberPath& path);
  bool neutralOperation(clang::BinaryOperatorKind opcode, const clang::Expr* left, const clang::Expr* right);
  bool neutralCall(const clang::CallExpr* call, const MemberPath& path);
  bool neutralVariable(const OwnPlace& place);
  bool neutralStart(const clang::VarDecl* var, const MemberPath& path);
  bool neutralOutside(const clang::VarDecl* var, const MemberPath& path);
  bool neutralWrites(const clang::VarDecl* var, const MemberPath& path);
  bool neutralWrite(const OwnWrite& write, const MemberPath& path);
  bool givenNeutral(const OwnWrite& write, const MemberPath& path);
  const std::vector<TeamVariable>& loopUses(const clang::VarDecl* var);
  bool addedInLoops(const clang::VarDecl* var, const MemberPath& path);
  bool needsMet(const std::set<NeutralNeed>& inside, const clang::Expr* call, const clang::FunctionDecl* function);
  bool dependsOnLoops(const clang::Expr* expr) const;
  bool isIdentity(const clang::Expr* value) const;

  const clang::ASTContext& ast_;
  const TeamScope scope_;
  NeutralFunctions& functions_;
  std::unique_ptr<OwnWrites> writes_;
  unsigned kind_ = 0;
  std::map<std::pair<const clang::VarDecl*, MemberPath>, bool> known_;
  std::map<const clang::VarDecl*, const clang::Expr*> given_;  // parameters of functions that are looked through
  std::optional<std::map<const clang::VarDecl*, std::vector<TeamVariable>>> loopUses_;
  unsigned depth_ = 0;
};

// Functions that regions call, each read once.
class NeutralFunctions {
 public:
  explicit NeutralFunctions(const clang::ASTContext& ast) : ast_(ast) {}
  // nullptr: it is being read, or has no code.
  NeutralValues* valuesOf(const clang::FunctionDecl* definition);
  // Of its parameter, or of the object that it is called on.
  bool staysNeutral(const clang::FunctionDecl* definition, const clang::ParmVarDecl* parameter, unsigned kind,
                    const MemberPath& path, std::set<NeutralNeed>& needs);

 private:
  const clang::ASTContext& ast_;
  std::map<const clang::FunctionDecl*, std::unique_ptr<NeutralValues>> values_;
  std::set<const clang::FunctionDecl*> active_;
};

}  // namespace muster::plugin
