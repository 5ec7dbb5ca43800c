// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/teams/TeamVariables.h"
#include "analysis/code/Functions.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Escapes.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/code/VariableFlow.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/updates/MemberSums.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Variables in the order in which the code names them, and those that it declares.
class NamedVariables : public AstVisitor {
 public:
  std::vector<const DeclRefExpr*> named;
  std::set<const VarDecl*> declared;

  bool VisitVarDecl(VarDecl* var) override {
    declared.insert(var);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (var && seen_.insert(var).second) named.push_back(reference);
    return true;
  }

 private:
  std::set<const VarDecl*> seen_;
};

// Whether all that a statement does with a variable's elements is to read them, each at once.
class ReadsOnly : public AstVisitor {
 public:
  ReadsOnly(const TeamScope& scope, const VarDecl* var) : scope_(scope), var_(var) {}
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == CK_LValueToRValue && readsElement(cast->getSubExpr())) return true;
    return AstVisitor::TraverseImplicitCastExpr(cast);
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return reference->getDecl() != var_; }

 private:
  bool readsElement(Expr* expr) {
    expr = expr->IgnoreParens();
    if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr))
      return isBase(subscript->getBase()) && TraverseStmt(subscript->getIdx());
    if (auto* op = dyn_cast<UnaryOperator>(expr)) return op->getOpcode() == UO_Deref && isBase(op->getSubExpr());
    // A pointer in an object of the region may lead to the thread's own storage, too.
    if (auto* member = dyn_cast<MemberExpr>(expr))
      return !member->isArrow() && isBase(member->getBase()) && (isScalarType(expr->getType()) || !scope_.region);
    auto* call = dyn_cast<CXXOperatorCallExpr>(expr);
    return call && call->getOperator() == OO_Subscript && !vectorElement(call->getArg(0)->getType()).isNull() &&
           isBase(call->getArg(0)) && TraverseStmt(call->getArg(1));
  }
  bool isBase(Expr* expr) {
    expr = expr->IgnoreParenImpCasts();
    if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr))
      return isBase(subscript->getBase()) && TraverseStmt(subscript->getIdx());
    if (auto* member = dyn_cast<MemberExpr>(expr)) return !member->isArrow() && isBase(member->getBase());
    auto* reference = dyn_cast<DeclRefExpr>(expr);
    return reference && reference->getDecl() == var_;
  }

  const TeamScope& scope_;
  const VarDecl* var_;
};

// Whether all that a statement does with a variable, or its elements, are updates of one kind.
class UpdatesOnly {
 public:
  UpdatesOnly(const ASTContext& ast, const VarDecl* var) : ast_(ast), var_(var) {}
  bool check(const Stmt* statement) {
    visit(statement, true);
    return kind_ && !other_;
  }
  unsigned kind() const { return *kind_; }

 private:
  void visit(const Stmt* statement, bool isStatement);
  bool visitUpdate(const Stmt* statement);

  const ASTContext& ast_;
  const VarDecl* var_;
  std::optional<unsigned> kind_;
  bool other_ = false;
};

bool UpdatesOnly::visitUpdate(const Stmt* statement) {
  const auto update = updateForm(ast_, statement);
  if (!update) return false;
  const Expr* target = update->target->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(withoutSubscripts(target));
  if (!reference || reference->getDecl() != var_) return false;
  const bool floating = update->target->getType()->isRealFloatingType();
  other_ |= !update->commutes || (floating && !update->keepsNan) || (kind_ && *kind_ != update->kind) ||
            mentions(update->value, {var_}) || target->HasSideEffects(ast_);
  for (const Expr* part = target; auto* element = dyn_cast<ArraySubscriptExpr>(part);
       part = element->getBase()->IgnoreParenImpCasts())
    other_ |= mentions(element->getIdx(), {var_});
  kind_ = update->kind;
  return true;
}

void UpdatesOnly::visit(const Stmt* statement, bool isStatement) {
  if (!statement || other_) return;
  if (isStatement && isa<Expr, IfStmt>(statement) && visitUpdate(statement)) return;
  if (auto* reference = dyn_cast<DeclRefExpr>(statement)) other_ |= reference->getDecl() == var_;
  if (auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
    for (const OMPClause* clause : directive->clauses())
      for (const Stmt* part : const_cast<OMPClause*>(clause)->children()) other_ |= mentions(part, {var_});
    if (directive->hasAssociatedStmt()) visit(directive->getRawStmt(), true);
    return;
  }
  for (const Stmt* child : statement->children()) visit(child, isStatementOf(statement, child));
}

}  // namespace

static bool isBetween(QualType type) { return isScalarType(type) || type->isPointerType(); }

const Stmt* innermostBody(const OMPLoopDirective* directive) {
  const Stmt* statement = directive->getInnermostCapturedStmt()->getCapturedStmt();
  for (unsigned i = 0; i < loopsInText(directive).value_or(1); ++i) {
    const ForStmt* loop = onlyLoop(statement);
    if (!loop) break;
    statement = loop->getBody();
  }
  return statement;
}

// Whether the loops' heads, or the directive's clauses, name a variable.
static bool mentionedInHeads(const OMPLoopDirective* directive, const VarDecl* var) {
  for (const OMPClause* clause : directive->clauses()) {
    if (isa<OMPSharedClause>(clause)) continue;
    for (const Stmt* part : const_cast<OMPClause*>(clause)->children())
      if (mentions(part, {var})) return true;
  }
  const Stmt* statement = directive->getInnermostCapturedStmt()->getCapturedStmt();
  for (unsigned i = 0; i < loopsInText(directive).value_or(1); ++i) {
    const ForStmt* loop = onlyLoop(statement);
    if (!loop) return mentions(statement, {var});
    for (const Stmt* part :
         {loop->getInit(), static_cast<const Stmt*>(loop->getCond()), static_cast<const Stmt*>(loop->getInc())})
      if (mentions(part, {var})) return true;
    statement = loop->getBody();
  }
  return false;
}

namespace {

// Whether code outside of worksharing loops names a variable.
class NamedOutside : public AstVisitor {
 public:
  explicit NamedOutside(const VarDecl* var) : var_(var) {}
  bool TraverseStmt(Stmt* statement) override {
    auto* directive = dyn_cast_or_null<OMPLoopDirective>(statement);
    if (!directive || !isOpenMPWorksharingDirective(directive->getDirectiveKind()))
      return AstVisitor::TraverseStmt(statement);
    return !mentionedInHeads(directive, var_);
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return reference->getDecl() != var_; }

 private:
  const VarDecl* var_;
};

}  // namespace

bool staysInBody(const TeamScope& scope, const OMPLoopDirective* loop, const VarDecl* var,
                 const std::vector<const VarDecl*>& remade) {
  return !mentionedInHeads(loop, var) && !mayEscape(var, scope.code, remade);
}

// Those of the objects that refer to a variable.
static std::vector<const VarDecl*> referringTo(const VarDecl* var, const std::vector<const VarDecl*>& remade) {
  std::vector<const VarDecl*> found;
  llvm::copy_if(remade, std::back_inserter(found),
                [&](const VarDecl* object) { return mentions(object->getInit(), {var}); });
  return found;
}

static TeamVariable classify(const ASTContext& ast, const TeamScope& scope, const OMPLoopDirective* loop,
                             const VarDecl* var, const std::vector<const VarDecl*>& remade) {
  const Stmt* loops = loop->getInnermostCapturedStmt()->getCapturedStmt();
  const Stmt* body = innermostBody(loop);
  const QualType type = var->getType();
  if (llvm::is_contained(remade, var)) return {var, TeamUse::Remade};
  if (type->isReferenceType())
    return {var, scope.ownStorage.count(var) && changedVariables(loop).count(var) ? TeamUse::Carried : TeamUse::Read};
  const bool changed = isBetween(type) && changedVariables(loop).count(var);
  const bool leadsElsewhere = isBetween(type) ? !scope.ownStorage.count(var) : type.isConstQualified();
  if (!changed && (leadsElsewhere || ReadsOnly(scope, var).TraverseStmt(const_cast<Stmt*>(loops))))
    return {var, TeamUse::Read};
  // What only such loops know is theirs alone: any iteration can be a thread's first.
  if (scope.uninitialised.count(var) && NamedOutside(var).TraverseStmt(const_cast<Stmt*>(scope.code)))
    return {var, TeamUse::Private};
  if (!staysInBody(scope, loop, var, remade)) return {var, TeamUse::Carried};
  const std::vector<const VarDecl*> objects = referringTo(var, remade);
  VariableFlow iteration(var);
  iteration.alsoThrough(objects);
  iteration.run(body);
  if (!iteration.isExposed()) {
    VariableFlow after(var, loop);
    after.run(scope.code);
    if (!after.isExposed() && !scope.reduced.count(var)) return {var, TeamUse::Private};
    if (isBetween(type) && iteration.isAssigned()) return {var, TeamUse::Last};
  }
  if (!objects.empty()) return {var, TeamUse::Carried};
  UpdatesOnly updates(ast, var);
  const bool summable = isScalarType(type) || ast.getAsConstantArrayType(type);
  if (summable && updates.check(body)) return {var, TeamUse::Updated, updates.kind()};
  if (const auto flag = flagOf(ast, body, var)) return {var, TeamUse::Updated, flag->kind, flag->constant};
  if (auto members = memberSums(ast, body, var); !members.empty())
    return {var, TeamUse::Updated, MUSTER_REDUCE_OTHER, nullptr, nullptr, std::move(members)};
  return {var, TeamUse::Carried};
}

std::vector<TeamVariable> teamVariables(const ASTContext& ast, const TeamScope& scope, const OMPLoopDirective* loop) {
  NamedVariables all;
  all.TraverseStmt(const_cast<Stmt*>(loop->getInnermostCapturedStmt()->getCapturedStmt()));
  std::set<const VarDecl*> own = all.declared;
  for (const Expr* counter : loop->counters())
    if (auto* reference = dyn_cast<DeclRefExpr>(counter)) own.insert(dyn_cast<VarDecl>(reference->getDecl()));
  for (const OMPClause* clause : loop->clauses())
    if (auto* privates = dyn_cast<OMPPrivateClause>(clause))
      for (const Expr* expr : compat::items(privates))
        if (auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()))
          own.insert(dyn_cast<VarDecl>(reference->getDecl()));
  std::vector<TeamVariable> variables;
  const std::vector<const VarDecl*> remade = remadeObjects(ast, scope, loop);
  for (const VarDecl* object : remade) all.TraverseStmt(const_cast<Expr*>(object->getInit()));
  for (const DeclRefExpr* reference : all.named) {
    auto* var = cast<VarDecl>(reference->getDecl());
    if (own.count(var) || !scope.privates.count(var)) continue;
    variables.push_back(classify(ast, scope, loop, var, remade));
    variables.back().first = reference;
  }
  return variables;
}

static Refusal carried(const TeamVariable& variable) {
  std::string what = say::GivesToNextIteration(variable.var->getNameAsString());
  const QualType type = variable.var->getType();
  if (type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull()) what = say::WithSumsOfArrays(what);
  return {variable.first->getLocation(), what};
}

bool shareTeamVariables(LoopContext& context) {
  if (!context.team) return true;
  LoopFacts& facts = context.facts;
  const auto* loop = cast<OMPLoopDirective>(facts.directive);
  facts.remade = remadeObjects(context.ast, *context.team, loop);
  for (const TeamVariable& variable : teamVariables(context.ast, *context.team, loop)) {
    const VarDecl* var = variable.var;
    const SourceLocation loc = variable.first->getLocation();
    if (variable.use == TeamUse::Read || context.roles.count(var)) continue;
    const bool isArray = var->getType()->isArrayType();
    if (variable.use == TeamUse::Remade) continue;
    if (variable.use == TeamUse::Carried) {
      const Refusal why = carried(variable);
      return context.refuse(why.loc, why.what);
    }
    if (!variable.members.empty()) {
      context.roles[var] = Role::Private;
      facts.results.push_back(
          {.var = var, .kind = MUSTER_REDUCE_OTHER, .byClause = false, .members = variable.members});
      continue;
    }
    // An object of the library that each iteration sets first may be made as often as one likes.
    const CXXRecordDecl* record = var->getType()->getAsCXXRecordDecl();
    const bool isRemade =
        variable.use == TeamUse::Private && record && record->isInStdNamespace() && isCopiedByBytes(var->getType());
    if (!(isPrivateType(context.ast, var->getType()) || isRemade) ||
        (variable.use == TeamUse::Last && !isScalarType(var->getType())))
      return context.refuse(loc, say::ChangesThreadsOwn(var->getNameAsString(), var->getType().getAsString()));
    if (variable.use == TeamUse::Updated && !isScalarType(context.ast.getBaseElementType(var->getType())))
      return context.refuse(loc, say::ChangesThreadsOwn(var->getNameAsString(), var->getType().getAsString()));
    if (variable.use == TeamUse::Updated && isArray) {
      if (context.ast.getAsArrayType(var->getType())->getElementType()->isArrayType())
        return context.refuse(loc, say::AddsUpSeveralDimensions(var->getNameAsString()));
      facts.sections.push_back({.var = var, .kind = variable.kind, .item = variable.first});
      continue;
    }
    context.roles[var] = Role::Private;
    if (variable.use == TeamUse::Private)
      facts.privates.push_back(var);
    else
      facts.results.push_back(
          {var, variable.use == TeamUse::Last ? MUSTER_LASTPRIVATE : variable.kind, variable.constant, false});
  }
  return true;
}

bool checkGivenStorage(LoopContext& context) {
  if (!context.team || context.team->region) return true;
  const LoopFacts& facts = context.facts;
  for (const AccessFact& access : facts.accesses) {
    const VarDecl* var = facts.arrays[access.array].var;
    if (!access.write || var->hasGlobalStorage()) continue;
    bool own = access.index.has_value();
    for (unsigned i = 0; own && i < facts.collapsed; ++i) own = follows(*access.index, i, facts);
    if (!own) return context.refuse(access.loc, say::MayWriteSameElements(var->getNameAsString()));
  }
  return true;
}

std::optional<NestedLoop> nestedLoop(const ASTContext& ast, const TeamScope& scope, const OMPLoopDirective* loop,
                                     Refusal& why) {
  NestedLoop nested;
  nested.directive = loop;
  const bool plain = llvm::all_of(loop->clauses(), [&](const OMPClause* clause) {
    return !isa<OMPNowaitClause, OMPScheduleClause>(clause) || clauseRange(ast, clause);
  });
  if (!plain || !directiveName(ast, loop)) {
    why = {loop->getBeginLoc(), say::MadeByMacro};
    return std::nullopt;
  }
  // Clang 19 does not compile such a step where the construct makes the team, too.
  for (const OMPClause* clause : loop->clauses()) {
    auto* linear = dyn_cast<OMPLinearClause>(clause);
    if (!linear || !linear->getStep() || clauseValue(linear->getStep())->isIntegerConstantExpr(ast)) continue;
    why = {clause->getBeginLoc(), say::LinearOfAnotherVariable};
    return std::nullopt;
  }
  for (const TeamVariable& variable : teamVariables(ast, scope, loop)) {
    const QualType type = variable.var->getType();
    switch (variable.use) {
      case TeamUse::Read:
        break;
      case TeamUse::Private:
        nested.privates.push_back(variable.var);
        break;
      case TeamUse::Last:
        nested.lastprivates.push_back(variable.var);
        break;
      case TeamUse::Updated:
        // Only with `bool` is the value that is set the one that an or, or an and, gives; and the reduction's identity
        // is no infinity, which a maximum may start from.
        if (!variable.members.empty() || (variable.constant && !type->isBooleanType()) ||
            (type->isRealFloatingType() &&
             (variable.kind == MUSTER_REDUCE_MIN || variable.kind == MUSTER_REDUCE_MAX))) {
          why = carried(variable);
          return std::nullopt;
        }
        nested.reductions.push_back({variable.var, variable.kind});
        break;
      case TeamUse::Carried:
      case TeamUse::Remade:
        why = carried(variable);
        return std::nullopt;
    }
    if (variable.use != TeamUse::Read && (type->isVariablyModifiedType() || !type.isTrivialType(ast))) {
      why = {variable.first->getLocation(),
             say::ChangesThreadsOwn(variable.var->getNameAsString(), type.getAsString())};
      return std::nullopt;
    }
  }
  return nested;
}

}  // namespace muster::plugin
