// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/ThisUses.h"

#include "clang/AST/ExprCXX.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

using namespace clang;

namespace {

class Finder : public AstVisitor {
 public:
  ThisUses uses;

  bool VisitCXXThisExpr(CXXThisExpr* expr) override {
    if (!expr->isImplicit()) uses.keywords.push_back(expr->getLocation());
    return true;
  }
  bool TraverseLambdaCapture(LambdaExpr* lambda, const LambdaCapture* capture, Expr* value) override {
    if (!capture->capturesThis()) return AstVisitor::TraverseLambdaCapture(lambda, capture, value);
    std::set<std::string> members;
    for (const FieldDecl* field : thisUses(lambda->getBody()).fields) members.insert(field->getNameAsString());
    std::string text;
    if (lambda->getCaptureDefault() != LCD_ByRef)
      for (const std::string& name : members) text += ", &" + name;
    if (capture->isExplicit())
      uses.captures.push_back({capture->getLocation(), 4,
                               (lambda->getCaptureDefault() == LCD_ByCopy ? "&muster_this" : "muster_this") + text});
    else if (!text.empty())
      uses.captures.push_back({lambda->getCaptureDefaultLoc().getLocWithOffset(1), 0, text});
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) override {
    if (!member->isImplicitAccess()) return true;
    if (auto* field = dyn_cast<FieldDecl>(member->getMemberDecl())) {
      // No reference has the name of an anonymous union, nor one with a qualifier.
      if (member->hasQualifier() || !field->getIdentifier())
        uses.prefixed.push_back(member->getBeginLoc());
      else
        uses.fields.insert(field);
    } else if (auto* method = dyn_cast<CXXMethodDecl>(member->getMemberDecl()); method && method->isInstance())
      uses.prefixed.push_back(member->getBeginLoc());
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
