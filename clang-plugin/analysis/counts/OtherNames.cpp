// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/OtherNames.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Library.h"
#include "analysis/counts/SharedUses.h"
#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Variables whose address is taken, or which references are bound to.
class GivenAwayFinder : public AstVisitor {
 public:
  std::set<const VarDecl*> found;

  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->getOpcode() == UO_AddrOf) give(op->getSubExpr());
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    if (var->getInit() && var->getType()->isReferenceType()) give(var->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    // What the library's functions return may be bound to a reference, which is looked at there.
    const bool keeps =
        !function || !isLibrary(function) || isa<CXXMethodDecl>(function) ||
        llvm::is_contained({"ref", "cref", "addressof", "tie", "forward_as_tuple", "bind"}, nameOfCallee(function));
    if (keeps)
      for (const Expr* argument : call->arguments()) giveIfPlace(argument);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override {
    for (const Expr* argument : construct->arguments()) giveIfPlace(argument);
    return true;
  }
  bool VisitInitListExpr(InitListExpr* list) override {
    for (const Expr* init : list->inits()) giveIfPlace(init);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* statement) override {
    if (statement->getRetValue()) giveIfPlace(statement->getRetValue());
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* element) override {
    elements_.insert(element->getBase()->IgnoreParens());
    return true;
  }
  bool VisitCastExpr(CastExpr* conversion) override {
    if (conversion->getCastKind() == CK_ArrayToPointerDecay && !elements_.count(conversion))
      give(conversion->getSubExpr());
    return true;
  }

 private:
  void giveIfPlace(const Expr* expr) {
    if (expr && expr->isGLValue()) give(expr);
  }
  void give(const Expr* expr) {
    expr = bareValue(expr);
    if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
      if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) found.insert(var);
    } else if (auto* member = dyn_cast<MemberExpr>(expr)) {
      if (!member->isArrow()) give(member->getBase());
    } else if (auto* element = dyn_cast<ArraySubscriptExpr>(expr)) {
      if (element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) give(element->getBase());
    } else if (auto* choice = dyn_cast<AbstractConditionalOperator>(expr)) {
      give(choice->getTrueExpr());
      give(choice->getFalseExpr());
    } else if (auto* call = dyn_cast<CallExpr>(expr)) {
      for (const Expr* argument : call->arguments()) giveIfPlace(argument);
    } else if (auto* op = dyn_cast<BinaryOperator>(expr)) {
      give(op->isCommaOp() ? op->getRHS() : op->getLHS());
    }
  }

  std::set<const Expr*> elements_;  // arrays that are only indexed
};

const FunctionDecl* functionAround(const VarDecl* var) {
  const DeclContext* context = var->getDeclContext();
  while (context && !context->isFunctionOrMethod()) context = context->getParent();
  while (context && !isa<FunctionDecl>(context)) context = context->getParent();
  return dyn_cast_or_null<FunctionDecl>(context);
}

// Whether a use is of what a pointer or a reference leads to, which was made elsewhere.
bool isByName(const SharedUse& use) {
  if (use.place.isObject || use.place.leadsOn) return true;
  const QualType type = use.place.var->getType();
  if (type->isReferenceType()) return true;
  if (!type->isPointerType()) return false;
  auto* reference = use.expr ? dyn_cast<DeclRefExpr>(bareValue(use.expr)) : nullptr;
  if (reference) return reference->getDecl() != use.place.var;
  return use.expr || use.type.isNull() || use.type != type.getCanonicalType().getUnqualifiedType();
}

}  // namespace

bool OtherNames::isGivenAway(const VarDecl* var) {
  if (!var->isLocalVarDeclOrParm()) return true;
  // An object's methods may give it away.
  const QualType type = var->getType()->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
  if (const CXXRecordDecl* record = type->getAsCXXRecordDecl(); record && !record->isPOD()) return true;
  const FunctionDecl* function = functionAround(var);
  if (!function || !function->getBody()) return true;
  const auto [known, isNew] = givenAway_.try_emplace(function);
  if (isNew) {
    GivenAwayFinder finder;
    finder.TraverseStmt(function->getBody());
    known->second = std::move(finder.found);
  }
  return known->second.count(var) > 0;
}

bool OtherNames::holds(QualType whole, QualType part, unsigned depth) const {
  whole = ast_.getBaseElementType(whole).getCanonicalType().getUnqualifiedType();
  if (ast_.hasSameType(whole, part) || depth > 8) return true;
  if (whole->isIntegerType() && part->isIntegerType() && !whole->isBooleanType() && !part->isBooleanType() &&
      ast_.getTypeSize(whole) == ast_.getTypeSize(part))
    return true;
  if (auto* complex = whole->getAs<ComplexType>()) return ast_.hasSameType(complex->getElementType(), part);
  const RecordDecl* record = whole->getAsRecordDecl();
  if (!record) return whole->isAtomicType();
  const RecordDecl* definition = record->getDefinition();
  // What the library's objects have is not looked into.
  if (!definition || definition->isInStdNamespace()) return true;
  if (auto* inCxx = dyn_cast<CXXRecordDecl>(definition))
    for (const CXXBaseSpecifier& base : inCxx->bases())
      if (holds(base.getType(), part, depth + 1)) return true;
  return llvm::any_of(definition->fields(),
                      [&](const FieldDecl* field) { return holds(field->getType(), part, depth + 1); });
}

// By the rules of the language for what an lvalue of a type may name.
bool OtherNames::mayBeParts(QualType left, QualType right) const {
  if (left.isNull() || right.isNull() || left->isDependentType() || right->isDependentType()) return true;
  left = ast_.getBaseElementType(left).getCanonicalType().getUnqualifiedType();
  right = ast_.getBaseElementType(right).getCanonicalType().getUnqualifiedType();
  return left->isAnyCharacterType() || right->isAnyCharacterType() || left->isVoidType() || right->isVoidType() ||
         holds(left, right) || holds(right, left);
}

bool OtherNames::mayMeet(const SharedUse& left, const SharedUse& right) {
  const bool byLeft = isByName(left), byRight = isByName(right);
  if (!byLeft && !byRight) return false;
  if (!byLeft && !isGivenAway(left.place.var)) return false;
  if (!byRight && !isGivenAway(right.place.var)) return false;
  return mayBeParts(left.type, right.type);
}

}  // namespace muster::plugin
