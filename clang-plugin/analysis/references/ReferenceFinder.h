// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The visitor of a loop's body and of the functions that it calls: what they refer to, and what keeps them from running
// on another rank.
#pragma once

#include "analysis/objects/RowTables.h"
#include "analysis/references/Parameters.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

class ReferenceFinder : public AstVisitor {
 public:
  ReferenceFinder(LoopContext& context, const clang::FunctionDecl* function,
                  std::vector<const clang::FunctionDecl*> stack, ObjectBindings bindings)
      : context_(context),
        parameters_(context),
        function_(function),
        stack_(std::move(stack)),
        bindings_(std::move(bindings)) {}

  // One reason for each statement that native code in another place, or another process, would not do alike.
  bool VisitStmt(clang::Stmt* statement) override {
    if (const char* what = unsupported(statement)) return context_.refuse(statement->getBeginLoc(), what);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* var) override;
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override;

  // Members, and methods of objects outside of the loop, do not come here.
  bool VisitCXXThisExpr(clang::CXXThisExpr* expr) override {
    return !context_.objects().pointee(expr, bindings_) || addWhole(expr, "this");
  }

  // What names an object outside of the loop is bound to it; only its members count.
  bool TraverseVarDecl(clang::VarDecl* var) override;
  bool TraverseDecompositionDecl(clang::DecompositionDecl* var) override;
  bool TraverseMemberExpr(clang::MemberExpr* member) override;
  bool TraverseUnaryOperator(clang::UnaryOperator* op) override;
  bool TraverseArraySubscriptExpr(clang::ArraySubscriptExpr* subscript) override;

  // Their operands name variables that native code has to know, but nothing is called.
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* expr) override {
    return unevaluated([&] { return AstVisitor::TraverseUnaryExprOrTypeTraitExpr(expr); });
  }
  // Of _Generic, one branch counts; the others name what native code has to know, too.
  bool TraverseGenericSelectionExpr(clang::GenericSelectionExpr* expr) override;
  bool TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc type) override {
    return unevaluated([&] { return AstVisitor::TraverseTypeOfExprTypeLoc(type); });
  }
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc type) override {
    return unevaluated([&] { return AstVisitor::TraverseDecltypeTypeLoc(type); });
  }

  // Where only the body names a table of rows, native code declares it as an array of rows, which has no pointers.
  bool TraverseImplicitCastExpr(clang::ImplicitCastExpr* cast) override;

  bool TraverseCallExpr(clang::CallExpr* call) override { return traverseCall(call); }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override { return traverseCall(call); }
  bool TraverseCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override { return traverseCall(call); }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) override;

  // Its body is followed where it is called.
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) override;

  // The loop itself, and what the clauses name; native code has the directive's text.
  bool TraverseOMPSimdDirective(clang::OMPSimdDirective* directive) override;

  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* loop) override;

  // All of a body.
  bool traverseBody(const clang::Stmt* body) {
    return checkJumps(body) && TraverseStmt(const_cast<clang::Stmt*>(body));
  }

 private:
  bool addRow(const RowUse& use, clang::SourceLocation loc, bool byPointers);
  bool traversePointers(clang::Expr* place);
  template <class Action>
  bool unevaluated(Action traverse) {
    ++unevaluated_;
    const bool goOn = traverse();
    --unevaluated_;
    return goOn;
  }
  bool checkJumps(const clang::Stmt* body);
  const char* unsupported(const clang::Stmt* statement) const;
  bool vectorsFit(const clang::CallExpr* call, const clang::FunctionDecl* definition, const ObjectBindings& inside);
  bool traverseCall(clang::CallExpr* call);
  bool refuseType(const clang::VarDecl* var);
  bool traverseAll(llvm::iterator_range<clang::Stmt::child_iterator> parts) {
    return llvm::all_of(parts, [&](clang::Stmt* part) { return TraverseStmt(part); });
  }
  bool isFlag(const clang::MemberExpr* member) const;
  bool addWhole(const clang::Expr* expr, const std::string& name);
  bool addCapture(const clang::LambdaExpr* lambda, const clang::LambdaCapture& capture, clang::Expr* value);
  bool isOfCall(const clang::VarDecl* var) const;
  // Arrays inside of objects are not where native code's stand-ins are.
  void noteUse(const clang::VarDecl* member, const clang::Expr* expr);
  void nameObjects(const ObjectBindings& bindings) {
    if (bindings.self) context_.objects().name(*bindings.self);
    for (const auto& [parameter, path] : bindings.objects) context_.objects().name(path);
  }
  bool addMethod(clang::CallExpr* call, const clang::CXXMethodDecl* method, bool& follow);
  bool addCallee(const clang::Expr* use, const clang::FunctionDecl* definition, ObjectBindings inside);

  LoopContext& context_;
  Parameters parameters_;
  const clang::FunctionDecl* function_;  // whose text it is; nullptr: the body itself
  std::vector<const clang::FunctionDecl*> stack_;
  ObjectBindings bindings_;
  unsigned unevaluated_ = 0;  // how many operands deep
};

}  // namespace muster::plugin
