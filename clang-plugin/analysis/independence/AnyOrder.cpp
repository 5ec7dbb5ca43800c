// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/independence/AnyOrder.h"

#include "analysis/code/Functions.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin {

using namespace clang;

namespace {

class OrderChecker {
 public:
  OrderChecker(const ASTContext& ast, const VarDecl* var)
      : ast_(ast), var_(var), type_(ast.getCanonicalType(var->getType()).getUnqualifiedType()) {}

  bool isNumber() const {
    return isWhole(type_) || type_->isSpecificBuiltinType(BuiltinType::Float) ||
           type_->isSpecificBuiltinType(BuiltinType::Double);
  }

  bool check(const Stmt* statement) const {
    if (!statement || !mentions(statement, {var_})) return true;
    const auto* value = dyn_cast<Expr>(statement);
    if (value) return checkValue(value);
    return llvm::all_of(statement->children(), [&](const Stmt* part) { return check(part); });
  }

 private:
  static bool isWhole(QualType type) {
    return type->isIntegerType() && !type->isBooleanType() && !type->isEnumeralType();
  }

  // Nothing is lost between its steps.
  bool isOfKind(QualType type) const { return isWhole(type_) ? isWhole(type) : type->isRealFloatingType(); }

  bool isVariable(const Expr* value) const {
    const auto* name = dyn_cast<DeclRefExpr>(value->IgnoreParens());
    return name && name->getDecl() == var_;
  }

  bool checkValue(const Expr* value) const {
    if (isVariable(value)) return true;
    if (const auto* inner = dyn_cast<ParenExpr>(value)) return check(inner->getSubExpr());
    if (isa<ExprWithCleanups, MaterializeTemporaryExpr, ConstantExpr>(value))
      return llvm::all_of(value->children(), [&](const Stmt* part) { return check(part); });
    if (const auto* cast = dyn_cast<ImplicitCastExpr>(value))
      return (cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_NoOp ||
              isOfKind(cast->getType())) &&
             check(cast->getSubExpr());
    if (const auto* cast = dyn_cast<ExplicitCastExpr>(value))
      return isOwn(cast->getType()) && check(cast->getSubExpr());
    if (const auto* step = dyn_cast<UnaryOperator>(value)) return step->isIncrementDecrementOp();
    if (const auto* choice = dyn_cast<ConditionalOperator>(value))
      return check(choice->getCond()) && checkExtreme(choice->getTrueExpr()) && checkExtreme(choice->getFalseExpr());
    if (const auto* call = dyn_cast<CallExpr>(value)) return checkCall(call);
    const auto* pair = dyn_cast<BinaryOperator>(value);
    return pair && checkPair(pair);
  }

  bool checkPair(const BinaryOperator* pair) const {
    if (pair->getOpcode() == BO_Comma) return check(pair->getLHS()) && check(pair->getRHS());
    if (pair->isRelationalOp()) return isFree(pair) && checkExtreme(pair->getLHS()) && checkExtreme(pair->getRHS());
    if (pair->getOpcode() == BO_Assign) {
      if (!isVariable(pair->getLHS())) return false;
      return mentions(pair->getRHS(), {var_}) ? check(pair->getRHS()) : fits(pair->getRHS());
    }
    if (const auto* compound = dyn_cast<CompoundAssignOperator>(pair))
      return isVariable(pair->getLHS()) && isFree(pair) && isOfKind(compound->getComputationResultType()) &&
             isOfKind(compound->getComputationLHSType()) && !mentions(pair->getRHS(), {var_});
    return isFree(pair) && isOfKind(pair->getType()) && check(pair->getLHS()) && check(pair->getRHS());
  }

  // The larger or the smaller one of two numbers of the type: of a library.
  bool checkCall(const CallExpr* call) const {
    const FunctionDecl* callee = call->getDirectCallee();
    const bool isOfLibrary =
        callee && (callee->getBuiltinID() != 0 || ast_.getSourceManager().isInSystemHeader(callee->getLocation()));
    return isOfLibrary && hasRules(call->getFPFeaturesInEffect(ast_.getLangOpts())) && isOwn(call->getType()) &&
           llvm::all_of(call->arguments(),
                        [&](const Expr* argument) { return isOwn(argument->getType()) && check(argument); });
  }

  bool isOwn(QualType type) const { return ast_.hasSameUnqualifiedType(type.getNonReferenceType(), type_); }

  bool checkExtreme(const Expr* value) const { return fits(value) && check(value); }

  // All its values are the type's: a comparison with one of these is exact.
  bool fits(const Expr* value) const {
    const QualType type = value->IgnoreParenImpCasts()->getType();
    if (!isWhole(type_)) return type->isRealFloatingType() || type->isIntegerType();
    if (!type->isIntegerType()) return false;
    const std::uint64_t bits = ast_.getIntWidth(type), own = ast_.getIntWidth(type_);
    if (type->isSignedIntegerOrEnumerationType()) return type_->isSignedIntegerType() && bits <= own;
    return bits + type_->isSignedIntegerType() <= own;
  }

  bool isFree(const BinaryOperator* pair) const { return hasRules(pair->getFPFeaturesInEffect(ast_.getLangOpts())); }
  bool hasRules(const FPOptions& rules) const {
    return isWhole(type_) || (rules.getAllowFPReassociate() && rules.getNoSignedZero() && rules.getNoHonorNaNs());
  }

  const ASTContext& ast_;
  const VarDecl* var_;
  const QualType type_;
};

}  // namespace

bool hasAnyOrder(const ASTContext& ast, const Stmt* statement, const VarDecl* var) {
  const OrderChecker checker(ast, var);
  return checker.isNumber() && checker.check(statement);
}

}  // namespace muster::plugin
