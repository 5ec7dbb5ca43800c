// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags: variables that a loop only sets, all to one constant. Whoever sets one, and how often, makes no difference.
#include "analysis/Updates.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

namespace {

class Settings : public RecursiveASTVisitor<Settings> {
 public:
  explicit Settings(const VarDecl* var) : var_(var) {}
  std::vector<const Expr*> values;
  unsigned uses = 0;

  bool VisitBinaryOperator(BinaryOperator* op) {
    auto* target = dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens());
    if (op->getOpcode() == BO_Assign && target && target->getDecl() == var_) values.push_back(op->getRHS());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    uses += reference->getDecl() == var_;
    return true;
  }

 private:
  const VarDecl* var_;
};

}  // namespace

std::optional<ResultFact> flagOf(const ASTContext& ast, const Stmt* code, const VarDecl* var) {
  const QualType type = var->getType().getNonReferenceType();
  if (!type->isIntegerType() || type->isEnumeralType() || type.isVolatileQualified() || !canBeMerged(ast, type))
    return std::nullopt;
  Settings settings(var);
  settings.TraverseStmt(const_cast<Stmt*>(code));
  if (settings.values.empty() || settings.values.size() != settings.uses) return std::nullopt;
  std::optional<std::int64_t> constant;
  for (const Expr* value : settings.values) {
    Expr::EvalResult result;
    if (!value->EvaluateAsInt(result, ast) || result.Val.getInt().getSignificantBits() > 32) return std::nullopt;
    const std::int64_t number = result.Val.getInt().getExtValue();
    if (constant && *constant != number) return std::nullopt;
    constant = number;
  }
  const bool isBool = type->isBooleanType();
  const unsigned kind = *constant != 0 ? (isBool ? MUSTER_REDUCE_LOR : MUSTER_REDUCE_OR)
                                       : (isBool ? MUSTER_REDUCE_LAND : MUSTER_REDUCE_AND);
  return ResultFact{var, kind, settings.values.front()};
}

}  // namespace muster::plugin
