// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables each thread of a team has for itself, and which pointers lead to such storage.
#include "analysis/code/Functions.h"
#include "analysis/objects/Objects.h"
#include "analysis/teams/TeamVariables.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

static const VarDecl* namedVariable(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  while (auto* section = dyn_cast<ArraySectionExpr>(expr)) expr = section->getBase()->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(withoutSubscripts(expr));
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

static bool leadsToStorage(QualType type) { return type->isPointerType() || type->isReferenceType(); }

namespace {

class LocalVariables : public AstVisitor {
 public:
  explicit LocalVariables(TeamScope& scope) : scope_(scope) {}
  bool VisitVarDecl(VarDecl* var) override {
    if (!var->hasLocalStorage()) return true;
    scope_.privates.insert(var);
    if (!var->hasInit()) scope_.uninitialised.insert(var);
    return true;
  }

 private:
  TeamScope& scope_;
};

// Marks the pointers and references that get what is a thread's own; to be run until nothing more is found.
class StorageFinder : public AstVisitor {
 public:
  explicit StorageFinder(TeamScope& scope) : scope_(scope) {}
  bool found = false;

  bool VisitVarDecl(VarDecl* var) override {
    if (var->getInit()) flows(var->getInit(), var);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->getOpcode() == BO_Assign && op->getType()->isPointerType())
      flows(op->getRHS(), namedVariable(op->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->getOpcode() == UO_AddrOf) givenAway(op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    if (!function || isa<CXXOperatorCallExpr>(call)) return true;
    if (isSwap(function)) {
      flows(call->getArg(0), namedVariable(call->getArg(1)));
      flows(call->getArg(1), namedVariable(call->getArg(0)));
      return true;
    }
    for (unsigned i = 0; i < call->getNumArgs() && i < function->getNumParams(); ++i) {
      const QualType type = function->getParamDecl(i)->getType();
      if (type->isReferenceType() && !type->getPointeeType().isConstQualified()) givenAway(call->getArg(i));
    }
    return true;
  }

 private:
  void mark(const VarDecl* var) { found |= scope_.ownStorage.insert(var).second; }
  bool isTracked(const VarDecl* var) const {
    return var && scope_.privates.count(var) && leadsToStorage(var->getType());
  }
  void flows(const Expr* from, const VarDecl* to) {
    if (!isTracked(to)) return;
    if (isOwnStorage(scope_, from)) mark(to);
    // A pointer that the caller gave stays one under its other names.
    const VarDecl* source = namedVariable(from);
    if (source && scope_.given.count(source)) found |= scope_.given.insert(to).second;
  }
  // Whoever has its address may make it point anywhere.
  void givenAway(const Expr* expr) {
    auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParens());
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (isTracked(var) && var->getType()->isPointerType()) mark(var);
  }

  TeamScope& scope_;
};

}  // namespace

bool isOwnStorage(const TeamScope& scope, const Expr* expr) {
  expr = expr->IgnoreParenCasts();
  auto own = [&](const Expr* part) { return isOwnStorage(scope, part); };
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return !isa<FunctionDecl>(reference->getDecl());
    return leadsToStorage(var->getType()) ? scope.ownStorage.count(var) > 0 : scope.privates.count(var) > 0;
  }
  if (auto* unary = dyn_cast<UnaryOperator>(expr)) return own(unary->getSubExpr());
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) return own(subscript->getBase());
  if (auto* member = dyn_cast<MemberExpr>(expr)) return own(member->getBase());
  if (auto* choice = dyn_cast<AbstractConditionalOperator>(expr))
    return own(choice->getTrueExpr()) || own(choice->getFalseExpr());
  if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (op->isAssignmentOp()) return own(op->getLHS()) || own(op->getRHS());
    if (op->isCommaOp()) return own(op->getRHS());
    return (op->getLHS()->getType()->isPointerType() && own(op->getLHS())) ||
           (op->getRHS()->getType()->isPointerType() && own(op->getRHS()));
  }
  if (auto* call = dyn_cast<CXXOperatorCallExpr>(expr)) return call->getNumArgs() == 0 || own(call->getArg(0));
  if (auto* call = dyn_cast<CXXMemberCallExpr>(expr)) return own(call->getImplicitObjectArgument());
  if (auto* full = dyn_cast<FullExpr>(expr)) return own(full->getSubExpr());
  return !isa<CXXThisExpr, StringLiteral, IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr>(expr);
}

static void followPointers(TeamScope& scope) {
  for (bool again = true; again;) {
    StorageFinder finder(scope);
    finder.TraverseStmt(const_cast<Stmt*>(scope.code));
    again = finder.found;
  }
}

template <class Clause>
static void addClause(const Clause* clause, std::set<const VarDecl*>& variables) {
  for (const Expr* expr : compat::items(clause))
    if (const VarDecl* var = namedVariable(expr)) variables.insert(var);
}

// The member that a clause names: clang makes a variable of it.
static const FieldDecl* memberOf(const VarDecl* var) {
  auto* captured = dyn_cast<OMPCapturedExprDecl>(var);
  auto* member = captured ? dyn_cast<MemberExpr>(captured->getInit()->IgnoreParenImpCasts()) : nullptr;
  return member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
}

TeamScope scopeOf(const OMPExecutableDirective* region) {
  TeamScope scope;
  scope.region = region;
  scope.code = region->getInnermostCapturedStmt()->getCapturedStmt();
  LocalVariables(scope).TraverseStmt(const_cast<Stmt*>(scope.code));
  for (const OMPClause* clause : region->clauses()) {
    if (auto* own = dyn_cast<OMPPrivateClause>(clause)) addClause(own, scope.uninitialised);
    if (auto* initialised = dyn_cast<OMPFirstprivateClause>(clause)) addClause(initialised, scope.privates);
    if (auto* reduction = dyn_cast<OMPReductionClause>(clause)) addClause(reduction, scope.reduced);
  }
  scope.privates.insert(scope.uninitialised.begin(), scope.uninitialised.end());
  scope.privates.insert(scope.reduced.begin(), scope.reduced.end());
  for (const VarDecl* var : scope.privates) {
    if (var->hasGlobalStorage()) scope.copied.insert(var->getCanonicalDecl());
    if (const FieldDecl* field = memberOf(var)) scope.copiedMembers.insert(field);
  }
  for (const VarDecl* var : scope.reduced)
    if (var->getType()->isPointerType()) scope.ownStorage.insert(var);  // a section of what it points to
  followPointers(scope);
  return scope;
}

namespace {

// Other spellings than a plain name, which neither the analysis nor the text that is emitted follows.
class UnclearCopies : public AstVisitor {
 public:
  explicit UnclearCopies(const TeamScope& scope) : scope_(scope) {}
  std::optional<Refusal> found;

  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!isCopied(var)) return true;
    if (reference->hasQualifier()) return refuse(reference->getLocation(), var, say::ByQualifier);
    return !var->getType()->isReferenceType() || refuse(reference->getLocation(), var, say::IsReference);
  }
  bool VisitMemberExpr(MemberExpr* member) override {
    auto* var = dyn_cast<VarDecl>(member->getMemberDecl());
    return !isCopied(var) || refuse(member->getMemberLoc(), var, say::ByMember);
  }
  bool VisitVarDecl(VarDecl* var) override {
    return !isCopied(var) || refuse(var->getLocation(), var, say::DeclaredAgain);
  }

 private:
  bool isCopied(const VarDecl* var) const { return var && scope_.copied.count(var->getCanonicalDecl()); }
  bool refuse(SourceLocation loc, const VarDecl* var, const std::string& how) {
    found = Refusal{loc, say::MakesStaticPrivate(var->getNameAsString(), how)};
    return false;
  }

  const TeamScope& scope_;
};

}  // namespace

// The launch would name the member, which is the copy where it stands.
bool checkCopiedMembers(LoopContext& context) {
  if (!context.team || context.team->copiedMembers.empty()) return true;
  for (const auto& member : context.objects().members()) {
    if (member->path.root) continue;
    const auto first = llvm::find_if(member->path.steps, [](const ObjectPath::Step& step) { return step.field; });
    if (first == member->path.steps.end() || !context.team->copiedMembers.count(first->field)) continue;
    return context.refuse(member->var->getLocation(), say::CalleeUsesOriginalMember(first->field->getNameAsString()));
  }
  return true;
}

std::optional<Refusal> unclearCopies(const TeamScope& scope) {
  UnclearCopies finder(scope);
  if (!scope.copied.empty()) finder.TraverseStmt(const_cast<OMPExecutableDirective*>(scope.region));
  return finder.found;
}

TeamScope scopeOf(const FunctionDecl* function) {
  TeamScope scope;
  scope.function = function;
  scope.code = function->getBody();
  LocalVariables(scope).TraverseStmt(const_cast<Stmt*>(scope.code));
  for (const ParmVarDecl* parameter : function->parameters()) {
    scope.privates.insert(parameter);
    if (leadsToStorage(parameter->getType())) scope.given.insert(parameter);
  }
  followPointers(scope);
  return scope;
}

}  // namespace muster::plugin
