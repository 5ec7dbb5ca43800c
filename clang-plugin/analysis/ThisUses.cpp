// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ThisUses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace muster::plugin {

using namespace clang;

namespace {

class Finder : public RecursiveASTVisitor<Finder> {
 public:
  ThisUses uses;

  bool VisitCXXThisExpr(CXXThisExpr* expr) {
    if (!expr->isImplicit()) uses.keywords.push_back(expr->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) {
    if (!member->isImplicitAccess()) return true;
    if (auto* field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      uses.fields.insert(field);
    else if (auto* method = dyn_cast<CXXMethodDecl>(member->getMemberDecl()); method && method->isInstance())
      uses.methods.push_back(member->getBeginLoc());
    return true;
  }
};

}  // namespace

ThisUses thisUses(const Stmt* statement) {
  Finder finder;
  finder.TraverseStmt(const_cast<Stmt*>(statement));
  return std::move(finder.uses);
}

}  // namespace muster::plugin
