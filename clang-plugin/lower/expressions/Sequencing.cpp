// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables an expression changes, and whether the order of two operands matters.
#include <set>

#include "analysis/code/Functions.h"
#include "lower/types/Constants.h"
#include "source/AstVisitor.h"

namespace muster::plugin::lower {

namespace {

// std::array's methods but `fill` and `swap`.
bool isArrayAccess(const clang::CXXMethodDecl* method) {
  const clang::CXXRecordDecl* record = method->getParent();
  if (!record->isInStdNamespace() || !record->getIdentifier() || record->getName() != "array") return false;
  return method->getIdentifier() && method->getName() != "fill" && method->getName() != "swap";
}

// Whether calling the method changes nothing, as that of an accessor which returns a reference to an element.
class AccessFinder : public AstVisitor {
 public:
  static bool onlyGivesAccess(const clang::CXXMethodDecl* method, unsigned depth = 0) {
    if (method->isConst() || method->getOverloadedOperator() == clang::OO_Subscript || isArrayAccess(method))
      return true;
    const clang::FunctionDecl* definition = nullptr;
    return depth < 8 && method->isDefined(definition) && definition->doesThisDeclarationHaveABody() &&
           AccessFinder(depth).TraverseStmt(definition->getBody());
  }

  bool VisitUnaryOperator(clang::UnaryOperator* op) override { return !op->isIncrementDecrementOp(); }
  bool VisitBinaryOperator(clang::BinaryOperator* op) override { return !op->isAssignmentOp(); }
  bool VisitLambdaExpr(clang::LambdaExpr*) override { return false; }
  bool VisitCXXNewExpr(clang::CXXNewExpr*) override { return false; }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr*) override { return false; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const CallShape shape = shapeOf(call);
    if (!shape.callee || isIdentity(shape.callee)) return shape.callee;
    for (unsigned i = 0; i < shape.callee->getNumParams(); ++i) {
      const clang::QualType type = shape.callee->getParamDecl(i)->getType();
      if ((type->isReferenceType() || type->isPointerType()) && !type->getPointeeType().isConstQualified())
        return false;
    }
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(shape.callee);
    return method ? vectorOperation(shape) != VectorOperation::None || onlyGivesAccess(method, depth_ + 1)
                  : isMaths(shape.callee);
  }

 private:
  explicit AccessFinder(unsigned depth) : depth_(depth) {}
  unsigned depth_;
};

// The variable that an element, a member or what an accessor returns is a part of.
const clang::VarDecl* wholeOf(const clang::Expr* part) {
  for (;;) {
    part = part->IgnoreParenCasts();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(part))
      part = member->getBase();
    else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(part))
      part = element->getBase();
    else if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(part))
      part = op->getSubExpr();
    else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(part); call && shapeOf(call).object)
      part = shapeOf(call).object;
    else
      break;
  }
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(part);
  const auto* var = ref ? llvm::dyn_cast<clang::VarDecl>(ref->getDecl()) : nullptr;
  return var ? var->getCanonicalDecl() : nullptr;
}

class Effects : public AstVisitor {
 public:
  std::set<const clang::VarDecl*> used, changed;
  std::set<const clang::VarDecl*> partly;  // a member or an element of them changes
  bool changesMemory = false;              // elements, or what a pointer that a function gets leads to

  explicit Effects(const clang::Expr* expr) { TraverseStmt(const_cast<clang::Expr*>(expr)); }

  bool VisitDeclRefExpr(clang::DeclRefExpr* ref) override {
    if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) used.insert(var->getCanonicalDecl());
    for (const clang::FunctionDecl* body : lambdaBodies(ref->getType()))
      if (lambdas_.insert(body).second) TraverseStmt(body->getBody());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == clang::UO_AddrOf)
      change(op->getSubExpr(), op->isIncrementDecrementOp());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) override {
    if (op->isAssignmentOp()) change(op->getLHS());
    return true;
  }
  bool VisitAtomicExpr(clang::AtomicExpr*) override { return changesMemory = true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const CallShape shape = shapeOf(call);
    if (!shape.callee) return true;
    if (isIdentity(shape.callee)) return true;
    // These give access; only what is done with their result changes the object.
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(shape.callee);
    const bool changesObject =
        method && vectorOperation(shape) == VectorOperation::None && !AccessFinder::onlyGivesAccess(method);
    if (shape.object && changesObject) change(shape.object);
    for (unsigned i = 0; i < shape.callee->getNumParams() && i < shape.arguments.size(); ++i) {
      const clang::QualType type = shape.callee->getParamDecl(i)->getType();
      if (type->isReferenceType() && !type->getPointeeType().isConstQualified()) change(shape.arguments[i]);
      changesMemory |= type->isPointerType() && !type->getPointeeType().isConstQualified();
    }
    return true;
  }

 private:
  std::set<const clang::FunctionDecl*> lambdas_;
  void change(const clang::Expr* target, bool isPart = true) {
    while (const auto* call = llvm::dyn_cast<clang::CallExpr>(target->IgnoreParenCasts())) {
      if (!isIdentity(call->getDirectCallee())) break;
      target = call->getArg(0);
    }
    if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParenCasts()))
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) {
        changed.insert(var->getCanonicalDecl());
        return;
      }
    if (const clang::VarDecl* whole = isPart ? wholeOf(target) : nullptr) partly.insert(whole);
    changesMemory = true;
  }
};

bool meet(const std::set<const clang::VarDecl*>& changed, const std::set<const clang::VarDecl*>& used) {
  for (const clang::VarDecl* var : changed)
    if (used.count(var)) return true;
  return false;
}

// The variables whose values, or whose elements' and members' values, say which place `place` is.
std::set<const clang::VarDecl*> readForPlace(const clang::Expr* place) {
  place = place->IgnoreParens();
  if (llvm::isa<clang::DeclRefExpr>(place)) return {};
  const auto readForBase = [](const clang::Expr* base) {
    const clang::Expr* bare = base->IgnoreParenImpCasts();
    // What a pointer leads to may change, the pointer does not.
    if (llvm::isa<clang::DeclRefExpr>(bare)) return std::set<const clang::VarDecl*>();
    return bare->getType()->isArrayType() ? readForPlace(bare) : Effects(base).used;
  };
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place))
    return member->isArrow() ? readForBase(member->getBase()) : readForPlace(member->getBase());
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    std::set<const clang::VarDecl*> read = readForBase(element->getBase());
    read.merge(Effects(element->getIdx()).used);
    return read;
  }
  return Effects(place).used;
}

}  // namespace

bool writesVariables(const clang::Expr* expr) { return !Effects(expr).changed.empty(); }

bool mayWrite(const clang::Expr* expr) {
  const Effects effects(expr);
  return effects.changesMemory || !effects.changed.empty();
}

bool dependOnOrder(const clang::Expr* left, const clang::Expr* right) {
  const Effects first(left), second(right);
  return meet(first.changed, second.used) || meet(second.changed, first.used) || meet(first.partly, second.used) ||
         meet(second.partly, first.used);
}

bool assignmentDependsOnOrder(const clang::Expr* target, const clang::Expr* value) {
  const Effects first(target), second(value);
  return meet(first.changed, second.used) || meet(second.changed, first.used) || meet(first.partly, second.used) ||
         meet(second.partly, readForPlace(target));
}

}  // namespace muster::plugin::lower
