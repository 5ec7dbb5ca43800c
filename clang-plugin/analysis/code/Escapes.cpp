// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Escapes.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/Library.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

using namespace clang;

namespace {

// A function, and the variable that it looks for there; nullptr: the object that it is called on.
using Followed = std::set<std::pair<const FunctionDecl*, const VarDecl*>>;

// Whether something of the type can refer to another object.
bool mayKeep(QualType type) {
  if (type->isPointerType() || type->isReferenceType()) return true;
  type = QualType(type->getBaseElementTypeUnsafe(), 0);
  const RecordDecl* record = type->getAsRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record) return false;
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  return llvm::any_of(record->fields(), [](const FieldDecl* field) { return mayKeep(field->getType()); }) ||
         (inCxx && llvm::any_of(inCxx->bases(), [](const auto& base) { return mayKeep(base.getType()); }));
}

class ThisFinder : public AstVisitor {
 public:
  bool VisitCXXThisExpr(CXXThisExpr*) override { return false; }
};

// Stops where it finds another way to the variable. var: nullptr for *this.
class EscapeFinder : public AstVisitor {
 public:
  EscapeFinder(const VarDecl* var, Followed& followed, const std::vector<const VarDecl*>& leftOut = {})
      : var_(var), followed_(followed), leftOut_(leftOut) {}

  bool TraverseVarDecl(VarDecl* var) override {
    return llvm::is_contained(leftOut_, var) || AstVisitor::TraverseVarDecl(var);
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    return op->getOpcode() != UO_AddrOf || !isPlace(op->getSubExpr());
  }
  bool VisitVarDecl(VarDecl* var) override {
    return !var->getType()->isReferenceType() || !var->getInit() || !isPlace(var->getInit());
  }
  bool VisitLambdaExpr(LambdaExpr* lambda) override { return !names(lambda); }
  bool VisitReturnStmt(ReturnStmt* statement) override {
    return !var_ || !var_->hasGlobalStorage() || !bindsTo(statement->getRetValue());
  }
  // Members that are references.
  bool VisitInitListExpr(InitListExpr* list) override {
    const InitListExpr* converted = list->isSemanticForm() ? list : list->getSemanticForm();
    return !converted || llvm::none_of(converted->inits(), [&](const Expr* init) { return bindsTo(init); });
  }
  bool VisitCXXParenListInitExpr(CXXParenListInitExpr* list) override {
    return llvm::none_of(list->getInitExprs(), [&](const Expr* init) { return bindsTo(init); });
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override {
    const CXXConstructorDecl* constructor = construct->getConstructor();
    return !givesReference(constructor, construct->arguments(), mayKeep(construct->getType()));
  }
  bool VisitCallExpr(CallExpr* call) override;

  // Arrays of an object become pointers; alone they are never set as a whole.
  bool VisitImplicitCastExpr(ImplicitCastExpr* cast) override {
    const bool isMember = cast->getCastKind() == CK_ArrayToPointerDecay && (!var_ || var_->getType()->isRecordType());
    return !isMember || !isPlace(cast->getSubExpr());
  }
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr* subscript) override {
    auto* decay = dyn_cast<ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
    Expr* base = decay && decay->getCastKind() == CK_ArrayToPointerDecay ? decay->getSubExpr() : subscript->getBase();
    return TraverseStmt(base) && TraverseStmt(subscript->getIdx());
  }

  bool VisitCXXThisExpr(CXXThisExpr*) override { return var_ != nullptr; }
  bool TraverseMemberExpr(MemberExpr* member) override {
    return isThis(member->getBase()) || AstVisitor::TraverseMemberExpr(member);
  }
  bool TraverseUnaryOperator(UnaryOperator* op) override {
    const bool isObject = op->getOpcode() == UO_Deref && isThis(op->getSubExpr());
    return isObject || AstVisitor::TraverseUnaryOperator(op);
  }

  // What follows `:` in a constructor.
  bool visitInitialisers(const CXXConstructorDecl* constructor) {
    return llvm::all_of(constructor->inits(), [&](const CXXCtorInitializer* init) {
      return !bindsTo(init->getInit()) && TraverseStmt(init->getInit());
    });
  }

 private:
  bool isThis(const Expr* expr) const { return !var_ && isa<CXXThisExpr>(expr->IgnoreParenImpCasts()); }
  bool names(const Stmt* part) const {
    return var_ ? mentions(part, {var_}) : !ThisFinder().TraverseStmt(const_cast<Stmt*>(part));
  }
  // Whether an lvalue may be the variable or a part of it.
  bool isPlace(const Expr* place) const {
    place = place->IgnoreParenImpCasts();
    if (auto* element = dyn_cast<ArraySubscriptExpr>(place))
      return element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() && isPlace(element->getBase());
    if (auto* member = dyn_cast<MemberExpr>(place))
      return member->isArrow() ? isThis(member->getBase()) : isPlace(member->getBase());
    return names(place);
  }
  bool bindsTo(const Expr* init) const { return init && init->isGLValue() && isPlace(init); }

  template <class Arguments>
  bool givesReference(const FunctionDecl* function, const Arguments& arguments, bool isKept);
  bool keeps(const FunctionDecl* function, const VarDecl* parameter);

  const VarDecl* var_;
  Followed& followed_;
  const std::vector<const VarDecl*> leftOut_;
};

}  // namespace

// Whether a function that gets a reference to the variable keeps it, or may give it to what the call makes.
template <class Arguments>
bool EscapeFinder::givesReference(const FunctionDecl* function, const Arguments& arguments, bool isKept) {
  unsigned number = 0;
  for (const Expr* argument : arguments) {
    const ParmVarDecl* parameter = number < function->getNumParams() ? function->getParamDecl(number) : nullptr;
    const bool isReference = parameter && parameter->getType()->isReferenceType();
    if (isReference && isPlace(argument) && (isKept || keeps(function, parameter))) return true;
    ++number;
  }
  return false;
}

bool EscapeFinder::VisitCallExpr(CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) {
    const QualType pointee = call->getCallee()->getType()->getPointeeType();
    const auto* prototype = pointee.isNull() ? nullptr : pointee->getAs<FunctionProtoType>();
    for (unsigned i = 0; prototype && i < std::min(prototype->getNumParams(), call->getNumArgs()); ++i)
      if (prototype->getParamType(i)->isReferenceType() && isPlace(call->getArg(i))) return false;
    return true;
  }
  const Expr* object = objectOf(call);
  const bool isKept = mayKeep(call->getType()) || (object && mayKeep(object->getType()));
  const bool isOfIt = object && (object->isGLValue() ? isPlace(object) : isThis(object));
  if (isOfIt && (isKept || keeps(function, nullptr))) return false;
  return !givesReference(function, argumentsOf(call), isKept);
}

bool EscapeFinder::keeps(const FunctionDecl* function, const VarDecl* parameter) {
  if (isLibrary(function) || function->isTrivial() || !followed_.emplace(function, parameter).second) return false;
  const FunctionDecl* definition = definitionOf(function);
  auto* method = dyn_cast<CXXMethodDecl>(function);
  if (!definition || !definition->getBody() || (method && method->isVirtual())) return true;
  if (parameter) parameter = definition->getParamDecl(cast<ParmVarDecl>(parameter)->getFunctionScopeIndex());
  EscapeFinder inside(parameter, followed_);
  auto* constructor = dyn_cast<CXXConstructorDecl>(definition);
  return (constructor && !inside.visitInitialisers(constructor)) || !inside.TraverseStmt(definition->getBody());
}

bool mayEscape(const VarDecl* var, const Stmt* code, const std::vector<const VarDecl*>& leftOut) {
  Followed followed;
  return !EscapeFinder(var, followed, leftOut).TraverseStmt(const_cast<Stmt*>(code));
}

bool mayEscape(const VarDecl* var, const TranslationUnitDecl* file) {
  Followed followed;
  return !EscapeFinder(var, followed).TraverseDecl(const_cast<TranslationUnitDecl*>(file));
}

}  // namespace muster::plugin
