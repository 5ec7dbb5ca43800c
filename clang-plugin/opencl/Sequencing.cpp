// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables an expression changes, and whether the order of two operands matters.
#include <set>

#include "analysis/Context.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "opencl/Constants.h"

namespace muster::plugin::opencl {

namespace {

class Effects : public clang::RecursiveASTVisitor<Effects> {
 public:
  std::set<const clang::VarDecl*> used, changed;
  bool changesMemory = false;  // elements, or what a pointer that a function gets leads to

  explicit Effects(const clang::Expr* expr) { TraverseStmt(const_cast<clang::Expr*>(expr)); }

  bool VisitDeclRefExpr(clang::DeclRefExpr* ref) {
    if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) used.insert(var->getCanonicalDecl());
    for (const clang::FunctionDecl* body : lambdaBodies(ref->getType()))
      if (lambdas_.insert(body).second) TraverseStmt(body->getBody());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) {
    if (op->isIncrementDecrementOp() || op->getOpcode() == clang::UO_AddrOf) change(op->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->isAssignmentOp()) change(op->getLHS());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const CallShape shape = shapeOf(call);
    if (!shape.callee) return true;
    if (isIdentity(shape.callee)) return true;
    // These give access; only what is done with their result changes the object.
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(shape.callee);
    const bool changesObject = method && !method->isConst() && method->getOverloadedOperator() != clang::OO_Subscript &&
                               !isArrayAccess(method) && vectorOperation(shape) == VectorOperation::None;
    if (shape.object && changesObject) change(shape.object);
    for (unsigned i = 0; i < shape.callee->getNumParams() && i < shape.arguments.size(); ++i) {
      const clang::QualType type = shape.callee->getParamDecl(i)->getType();
      if (type->isReferenceType() && !type->getPointeeType().isConstQualified()) change(shape.arguments[i]);
      changesMemory |= type->isPointerType() && !type->getPointeeType().isConstQualified();
    }
    return true;
  }

 private:
  // std::array's methods but `fill` and `swap`.
  static bool isArrayAccess(const clang::CXXMethodDecl* method) {
    const clang::CXXRecordDecl* record = method->getParent();
    if (!record->isInStdNamespace() || !record->getIdentifier() || record->getName() != "array") return false;
    return method->getIdentifier() && method->getName() != "fill" && method->getName() != "swap";
  }

  std::set<const clang::FunctionDecl*> lambdas_;
  void change(const clang::Expr* target) {
    while (const auto* call = llvm::dyn_cast<clang::CallExpr>(target->IgnoreParenCasts())) {
      if (!isIdentity(call->getDirectCallee())) break;
      target = call->getArg(0);
    }
    if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParenCasts()))
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) {
        changed.insert(var->getCanonicalDecl());
        return;
      }
    changesMemory = true;
  }
};

bool meet(const std::set<const clang::VarDecl*>& changed, const std::set<const clang::VarDecl*>& used) {
  for (const clang::VarDecl* var : changed)
    if (used.count(var)) return true;
  return false;
}

}  // namespace

bool writesVariables(const clang::Expr* expr) { return !Effects(expr).changed.empty(); }

bool mayWrite(const clang::Expr* expr) {
  const Effects effects(expr);
  return effects.changesMemory || !effects.changed.empty();
}

bool dependOnOrder(const clang::Expr* left, const clang::Expr* right) {
  const Effects first(left), second(right);
  return meet(first.changed, second.used) || meet(second.changed, first.used);
}

}  // namespace muster::plugin::opencl
