// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared variables that each iteration sets before it reads them, as where a program forgot `private`. The threads race
// for them, so that all is allowed; what is meant is that each iteration has its own.
#include "analysis/code/Escapes.h"
#include "analysis/code/Functions.h"
#include "analysis/code/VariableFlow.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/objects/Objects.h"
#include "analysis/teams/TeamCode.h"
#include "analysis/teams/TeamVariables.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/OpenMPKinds.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

class BodyUses : public AstVisitor {
 public:
  std::map<const VarDecl*, SourceLocation> first;
  std::set<const VarDecl*> declared;
  std::set<const VarDecl*> inDirectives;  // which order what the threads do, or make them private

  bool TraverseStmt(Stmt* statement) override {
    const bool orders = isa_and_nonnull<OMPExecutableDirective>(statement) && !isa<OMPSimdDirective>(statement);
    depth_ += orders;
    const bool goOn = AstVisitor::TraverseStmt(statement);
    depth_ -= orders;
    return goOn;
  }
  bool VisitOMPSimdDirective(OMPSimdDirective* directive) override {
    for (const VarDecl* var : ownVariables(directive)) inDirectives.insert(var);
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    declared.insert(var);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return true;
    first.try_emplace(var, reference->getLocation());
    if (depth_ > 0) inDirectives.insert(var);
    return true;
  }

 private:
  unsigned depth_ = 0;
};

// Stops where a function gets the variable itself, which it may keep or lock.
class GivenAway : public AstVisitor {
 public:
  explicit GivenAway(const VarDecl* var) : var_(var) {}
  bool VisitUnaryOperator(UnaryOperator* op) override {
    return op->getOpcode() != UO_AddrOf || !mentions(op->getSubExpr(), {var_});
  }
  bool VisitCallExpr(CallExpr* call) override {
    return isa<CXXOperatorCallExpr>(call) || check(call->getDirectCallee(), call->arguments());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* call) override {
    return check(call->getConstructor(), call->arguments());
  }

 private:
  template <class Arguments>
  bool check(const FunctionDecl* function, const Arguments& arguments) const {
    unsigned number = 0;
    for (const Expr* argument : arguments) {
      const QualType type =
          function && number < function->getNumParams() ? function->getParamDecl(number)->getType() : QualType();
      ++number;
      const bool mayKeep = type.isNull() || (type->isReferenceType() && !type->getPointeeType().isConstQualified());
      if (mayKeep && argument->isGLValue() && mentions(argument, {var_})) return false;
    }
    return true;
  }
  const VarDecl* var_;
};

}  // namespace

// Whoever has a global variable's address may be anywhere in the file.
static bool mayBeGivenAway(const LoopContext& context, const VarDecl* var) {
  GivenAway finder(var);
  TranslationUnitDecl* file = context.ast.getTranslationUnitDecl();
  return var->hasGlobalStorage() ? !finder.TraverseDecl(file) || mayEscape(var, file)
                                 : !finder.TraverseStmt(context.facts.function->getBody());
}

static bool mayBeTaken(const LoopContext& context, const VarDecl* var) {
  // Clang's own copies for clauses of directives in the body.
  if (!context.ast.getSourceManager().isBeforeInTranslationUnit(var->getLocation(),
                                                                context.facts.directive->getBeginLoc()))
    return false;
  const QualType type = var->getType();
  const bool isPointer = type->isPointerType() && isScalarType(type->getPointeeType());
  if (!(isScalarType(type) || isPointer) || type.isVolatileQualified() || isThreadLocal(var)) return false;
  return (var->hasGlobalStorage() && !isPointer) || Objects::functionOf(var) == context.facts.function;
}

// How each iteration has it for itself; nullopt: it may need what another one left.
static std::optional<TeamUse> useOf(const LoopContext& context, const VarDecl* var) {
  const auto* directive = cast<OMPLoopDirective>(context.facts.directive);
  TeamScope scope;
  scope.code = context.facts.function->getBody();
  if (!staysInBody(scope, directive, var) || mayBeGivenAway(context, var)) return std::nullopt;
  VariableFlow iteration(var);
  iteration.run(context.facts.body);
  if (iteration.isExposed()) return std::nullopt;
  VariableFlow after(var, directive);
  after.run(scope.code);
  if (!var->hasGlobalStorage() && !after.isExposed()) return TeamUse::Private;
  return isScalarType(var->getType()) && iteration.isAssigned() ? std::optional(TeamUse::Last) : std::nullopt;
}

void takeSharedScalars(LoopContext& context) {
  // A scalar that a target construct does not map is a copy, and what is done to it is lost.
  if (isOpenMPTargetExecutionDirective(context.facts.directive->getDirectiveKind())) return;
  LoopFacts& facts = context.facts;
  BodyUses uses;
  uses.TraverseStmt(const_cast<Stmt*>(facts.body));
  std::vector<const VarDecl*> changed(context.changed.begin(), context.changed.end());
  llvm::sort(changed, [](const VarDecl* left, const VarDecl* right) { return left->getID() < right->getID(); });
  for (const VarDecl* var : changed) {
    if (context.roles.count(var) || uses.declared.count(var) || uses.inDirectives.count(var) ||
        context.managed.count(var) || (context.team && context.team->privates.count(var)) || !mayBeTaken(context, var))
      continue;
    const auto use = useOf(context, var);
    if (!use) continue;
    context.roles[var] = Role::Private;
    if (*use == TeamUse::Private)
      facts.privates.push_back(var);
    else
      facts.results.push_back({.var = var, .kind = MUSTER_LASTPRIVATE, .byClause = false});
  }
}

namespace {

// The innermost parallel region around a directive.
class RegionFinder : public AstVisitor {
 public:
  explicit RegionFinder(const Stmt* inner) : inner_(inner) {}
  const OMPExecutableDirective* found = nullptr;

  bool TraverseStmt(Stmt* statement) override {
    if (statement == inner_) {
      found = region_;
      return false;
    }
    const OMPExecutableDirective* outer = region_;
    if (auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
        directive && isOpenMPParallelDirective(directive->getDirectiveKind()))
      region_ = directive;
    const bool goOn = AstVisitor::TraverseStmt(statement);
    region_ = outer;
    return goOn;
  }

 private:
  const Stmt* inner_;
  const OMPExecutableDirective* region_ = nullptr;
};

}  // namespace

static std::set<const VarDecl*> ownOfThreads(const LoopFacts& facts) {
  if (!isTeamLoop(facts.directive)) return {};
  RegionFinder finder(facts.directive);
  finder.TraverseStmt(facts.function->getBody());
  return (finder.found ? scopeOf(finder.found) : scopeOf(facts.function)).privates;
}

static bool isNamedByClause(const LoopFacts& facts, const VarDecl* var) {
  for (const OMPClause* clause : facts.directive->clauses()) {
    if (isa<OMPSharedClause>(clause)) continue;
    for (const Stmt* part : const_cast<OMPClause*>(clause)->children())
      if (mentions(part, {var})) return true;
  }
  return llvm::any_of(cast<OMPLoopDirective>(facts.directive)->counters(),
                      [&](const Expr* counter) { return mentions(counter, {var}); });
}

std::vector<TakenScalar> takenScalars(const LoopFacts& facts) {
  std::vector<TakenScalar> taken;
  for (const VarDecl* var : facts.privates) taken.push_back({var, {}, false});
  for (const ResultFact& result : facts.results)
    if (result.kind == MUSTER_LASTPRIVATE) taken.push_back({result.var, {}, true});
  llvm::erase_if(taken, [&](const TakenScalar& scalar) { return isNamedByClause(facts, scalar.var); });
  if (taken.empty()) return taken;
  const std::set<const VarDecl*> own = ownOfThreads(facts);
  llvm::erase_if(taken, [&](const TakenScalar& scalar) { return own.count(scalar.var); });
  BodyUses uses;
  uses.TraverseStmt(const_cast<Stmt*>(facts.body));
  llvm::erase_if(taken, [&](const TakenScalar& scalar) { return uses.inDirectives.count(scalar.var); });
  for (TakenScalar& scalar : taken) scalar.loc = uses.first[scalar.var];
  return taken;
}

bool checkTakenScalars(LoopContext& context) {
  if (context.facts.unseen.empty()) return true;
  for (const TakenScalar& taken : takenScalars(context.facts)) {
    const std::string name = "'" + taken.var->getNameAsString() + "'";
    if (taken.var->hasExternalFormalLinkage()) return context.refuse(taken.loc, say::WritesSharedVariable(name));
  }
  return true;
}

}  // namespace muster::plugin
