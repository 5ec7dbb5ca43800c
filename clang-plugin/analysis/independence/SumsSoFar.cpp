// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/independence/SharedElements.h"
#include "analysis/updates/DeclaredReductions.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

static bool names(const Expr* expr, const VarDecl* var) {
  auto* reference = expr ? dyn_cast<DeclRefExpr>(bareExpr(expr)) : nullptr;
  return reference && reference->getDecl() == var;
}

// What is done with a variable and another value: "+" of `sum + v`, "add" of `add(sum, v)`; empty: something else.
static std::string operationWith(const Expr* expr, const VarDecl* var) {
  const auto otherThan = [&](const Expr* left, const Expr* right) {
    return names(left, var) && !mentions(right, {var});
  };
  if (auto* op = dyn_cast<BinaryOperator>(expr))
    return otherThan(op->getLHS(), op->getRHS()) ? op->getOpcodeStr().str() : "";
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (!function) return "";
  std::vector<const Expr*> values = argumentsOf(call);
  const Expr* object = objectOf(call);
  if (object && !llvm::is_contained(values, object)) values.insert(values.begin(), object);
  if (values.size() != 2 || !otherThan(values[0], values[1])) return "";
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(call)) return getOperatorSpelling(op->getOperator());
  return function->getNameAsString();
}

// The same of a statement that changes the variable, and nothing else: `sum += v`, `sum = sum + v`, `sum.add(v)`.
static std::string changeOf(const Expr* expr, const VarDecl* var) {
  expr = bareExpr(expr);
  const Expr *target = nullptr, *value = nullptr;
  if (auto* op = dyn_cast<BinaryOperator>(expr); op && op->getOpcode() == BO_Assign)
    target = op->getLHS(), value = op->getRHS();
  else if (auto* call = dyn_cast<CXXOperatorCallExpr>(expr); call && call->getOperator() == OO_Equal)
    target = call->getArg(0), value = call->getArg(1);
  if (target) return names(target, var) ? operationWith(bareExpr(value), var) : "";
  std::string operation = operationWith(expr, var);
  const bool isAssignment = operation.size() > 1 && operation.back() == '=' && !isalpha(operation[0]) &&
                            operation != "==" && operation != "<=" && operation != ">=" && operation != "!=";
  if (isAssignment) operation.pop_back();
  return isAssignment || (!operation.empty() && isa<CallExpr>(expr) && !isa<CXXOperatorCallExpr>(expr)) ? operation
                                                                                                        : "";
}

// Whether a statement does with the variable what the user's operator does with two parts of the result.
static bool combines(const Stmt* statement, const VarDecl* var, const OMPDeclareReductionDecl* declared) {
  auto* expr = dyn_cast<Expr>(statement);
  const VarDecl* out = declared ? combinerOut(declared) : nullptr;
  if (!expr || !out || !declared->getCombiner()) return false;
  const std::string operation = changeOf(expr, var);
  return !operation.empty() && operation == changeOf(declared->getCombiner(), out);
}

// The variable that an update changes, or a member of which.
static const VarDecl* ownerOfTarget(const Expr* target) {
  target = bareExpr(target);
  while (auto* member = dyn_cast<MemberExpr>(target)) {
    if (member->isArrow()) return nullptr;
    target = bareExpr(member->getBase());
  }
  auto* reference = dyn_cast<DeclRefExpr>(target);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

// Whether a body does anything with a variable but to update it, by values that do not depend on it.
static bool usesOtherwise(const ASTContext& ast, const Stmt* statement, const ResultFact& result, bool isStatement) {
  const VarDecl* var = result.var;
  if (!mentions(statement, {var})) return false;
  if (auto* directive = dyn_cast<OMPExecutableDirective>(statement); directive && directive->hasAssociatedStmt())
    return usesOtherwise(ast, directive->getRawStmt(), result, true);
  if (isStatement && combines(statement, var, result.declared)) return false;
  const auto update = isStatement ? updateForm(ast, statement) : std::nullopt;
  const bool updates = update && (result.declared ? ownerOfTarget(update->target) == var : names(update->target, var));
  if (updates) return mentions(update->value, {var});
  if (isa<DeclRefExpr, DeclStmt, LambdaExpr>(statement)) return true;
  return llvm::any_of(statement->children(), [&](const Stmt* child) {
    return child && usesOtherwise(ast, child, result, isStatementOf(statement, child));
  });
}

bool usesSumsSoFar(const LoopContext& context) {
  return llvm::any_of(context.facts.results, [&](const ResultFact& result) {
    return result.kind != MUSTER_LASTPRIVATE && result.byClause && result.members.empty() && !result.constant &&
           usesOtherwise(context.ast, context.facts.body, result, true);
  });
}

}  // namespace muster::plugin
