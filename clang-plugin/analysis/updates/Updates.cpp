// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared variables that a body only updates, and flags.
#include "analysis/updates/Updates.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

namespace {

// The directives of a body that update something, how often each variable is named, and which are declared inside.
class SharedUpdates : public AstVisitor {
 public:
  explicit SharedUpdates(const ASTContext& ast) : ast_(ast) {}
  std::map<const VarDecl*, unsigned> uses;
  std::set<const VarDecl*> inside;
  std::vector<std::pair<const Stmt*, UpdateFact>> updates;
  std::map<const Stmt*, const Expr*> tests;  // in front of `critical`, which holds this statement and is all they guard

  bool VisitVarDecl(VarDecl* var) override {
    inside.insert(var);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) ++uses[var];
    return true;
  }
  bool VisitOMPAtomicDirective(OMPAtomicDirective* directive) override {
    if (!hasClause<OMPCaptureClause>(directive)) add(directive, updateOf(ast_, directive));
    return true;
  }
  bool VisitOMPCriticalDirective(OMPCriticalDirective* directive) override {
    add(directive, updateOf(ast_, directive));
    return true;
  }
  bool VisitIfStmt(IfStmt* statement) override {
    auto* critical = dyn_cast_or_null<OMPCriticalDirective>(onlyStatement(statement->getThen()));
    if (critical && !statement->getElse()) tests[critical->getAssociatedStmt()] = statement->getCond();
    return true;
  }
  // Where their result is used, the walk over the body refuses them.
  bool VisitExpr(Expr* expr) override {
    if (isa<CallExpr, AtomicExpr>(expr)) add(expr, atomicCall(ast_, expr, {}));
    return true;
  }

 private:
  void add(const Stmt* statement, const std::optional<UpdateFact>& update) {
    if (!update || !update->commutes) return;
    auto* directive = dyn_cast<OMPExecutableDirective>(statement);
    updates.emplace_back(directive ? directive->getAssociatedStmt() : statement, *update);
  }
  const ASTContext& ast_;
};

// Whether a test asks no more than whether the minimum or maximum would change, as in `if (v > most)` in front of
// `critical` with `most = max(most, v)`. A copy of the iteration's own says so as well.
bool asksForChange(const ASTContext& ast, const Expr* test, const UpdateFact& update) {
  auto* op = dyn_cast<BinaryOperator>(bareExpr(test));
  if (!op || !op->isRelationalOp() || (update.kind != MUSTER_REDUCE_MIN && update.kind != MUSTER_REDUCE_MAX))
    return false;
  // A variable that is a NaN stays one, as no test holds.
  if (!update.target->getType()->isIntegerType() && (!update.keepsNan || update.skipsNan)) return false;
  const bool less = op->getOpcode() == BO_LT || op->getOpcode() == BO_LE;
  const bool valueFirst = less == (update.kind == MUSTER_REDUCE_MIN);
  const Expr *value = valueFirst ? op->getLHS() : op->getRHS(), *place = valueFirst ? op->getRHS() : op->getLHS();
  return update.value && isSame(ast, place, update.target) && isSame(ast, value, update.value);
}

}  // namespace

static void findFlags(LoopContext& context, const std::set<const VarDecl*>& inside) {
  std::vector<const VarDecl*> changed(context.changed.begin(), context.changed.end());
  llvm::sort(changed, [](const VarDecl* left, const VarDecl* right) { return left->getID() < right->getID(); });
  for (const VarDecl* var : changed) {
    if (inside.count(var) || context.roles.count(var) || var->getTLSKind() != VarDecl::TLS_None) continue;
    if (const auto flag = flagOf(context.ast, context.facts.body, var)) {
      context.roles[var] = Role::Private;
      context.facts.results.push_back(*flag);
    }
  }
}

void findSharedUpdates(LoopContext& context) {
  // A scalar that a target construct does not map is a copy, and what is done to it is lost.
  if (isOpenMPTargetExecutionDirective(context.facts.directive->getDirectiveKind())) return;
  SharedUpdates body(context.ast);
  body.TraverseStmt(const_cast<Stmt*>(context.facts.body));
  for (const LockFact& lock : context.facts.locks)
    for (const Stmt* statement : lock.updates)
      body.updates.emplace_back(statement, *protectedUpdate(context.ast, statement));
  std::map<const VarDecl*, std::pair<unsigned, unsigned>> found;  // kind, how often the updates name it
  std::set<const VarDecl*> other;
  for (const auto& [code, update] : body.updates) {
    auto* reference = dyn_cast<DeclRefExpr>(update.target);
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!var || body.inside.count(var) || context.roles.count(var)) continue;
    SharedUpdates statement(context.ast);
    statement.TraverseStmt(const_cast<Stmt*>(code));
    auto& [kind, uses] = found.try_emplace(var, update.kind, 0).first->second;
    uses += statement.uses[var];
    if (const auto test = body.tests.find(code); test != body.tests.end())
      uses += asksForChange(context.ast, test->second, update) ? 1 : 0;
    if (kind != update.kind || mentions(update.value, {var})) other.insert(var);
  }
  for (const auto& [var, update] : found) {
    const QualType type = var->getType().getNonReferenceType();
    if (other.count(var) || body.uses[var] != update.second || !isScalarType(type) || type.isVolatileQualified() ||
        var->getTLSKind() != VarDecl::TLS_None)
      continue;
    context.roles[var] = Role::Private;
    context.facts.results.push_back({.var = var, .kind = update.first, .byClause = false});
  }
  findFlags(context, body.inside);
}

}  // namespace muster::plugin
