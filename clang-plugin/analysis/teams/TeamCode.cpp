// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/teams/TeamCode.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/loops/LoopNest.h"
#include "analysis/objects/ClauseText.h"
#include "analysis/teams/TeamCalls.h"
#include "analysis/teams/ThreadQueries.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/Attr.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

bool isTeamLoop(const OMPExecutableDirective* directive) {
  return isa<OMPForDirective, OMPForSimdDirective>(directive);
}

namespace {

class TeamCodeReader : public AstVisitor {
 public:
  TeamCodeReader(const ASTContext& ast, const OMPExecutableDirective* region, TeamCode& code)
      : ast_(ast), code_(code), queries_(threadQueries(ast, region)) {}
  // Of one function.
  TeamCodeReader(const ASTContext& ast, TeamCode& code) : ast_(ast), code_(code), alone_(true) {}

  void readCopies(const OMPExecutableDirective* region) {
    for (VarDecl* copy : objectCopies(region))
      if (!VisitVarDecl(copy) || !TraverseStmt(copy->getInit())) return;
  }
  void readFunction(const FunctionDecl* definition) {
    inFunction_ = true;
    entered_.insert({definition, 0});
    traverseFunction(definition);
  }

  bool TraverseStmt(Stmt* statement) override {
    auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
    const bool once = isa_and_nonnull<OMPSingleDirective, OMPMasterDirective, OMPMaskedDirective>(directive) ||
                      queries_.once.count(statement);
    const bool chooses = isa_and_nonnull<IfStmt, SwitchStmt, AbstractConditionalOperator>(statement);
    once_ += once;
    choices_ += chooses;
    const bool goOn = directive ? traverseDirective(directive) : AstVisitor::TraverseStmt(statement);
    once_ -= once;
    choices_ -= chooses;
    return goOn;
  }

  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    ++lambdas_;
    const bool result = AstVisitor::TraverseLambdaExpr(lambda);
    --lambdas_;
    return result;
  }

  bool VisitExpr(Expr* expr) override {
    if (once_ == 0 && loops_ == 0 && library_.isInvalid() && addsUp(ast_, expr)) code_.addsUp = true;
    locks_ |= once_ == 0 && loops_ == 0 && takesLock(expr);
    // Functions, and what stands behind a condition, may be for errors that never come.
    if (!inFunction_ && lambdas_ == 0 && once_ == 0 && loops_ == 0 && choices_ == 0)
      if (auto* call = dyn_cast<CallExpr>(expr); call && isPrinting(call))
        return refuse(call->getBeginLoc(), say::PrintsOutsideOfLoops);
    return queries_.harmless.count(expr) || queries_.free.count(expr) ||
           follow(calledBy(ast_, expr, library_.isValid()), expr->getBeginLoc());
  }
  // What runs without being written.
  bool VisitVarDecl(VarDecl* var) override {
    return !var->hasLocalStorage() || follow(calledAtEnd(ast_, var, library_.isValid()), var->getLocation());
  }
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr* argument) override { return TraverseStmt(argument->getExpr()); }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr* init) override { return TraverseStmt(init->getExpr()); }
  bool TraverseInitListExpr(InitListExpr* list) override {
    if (InitListExpr* full = list->getSemanticForm()) list = full;
    return llvm::all_of(list->inits(), [&](Expr* init) { return TraverseStmt(init); }) &&
           TraverseStmt(list->hasArrayFiller() ? list->getArrayFiller() : nullptr);
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) override {
    return TraverseStmt(loop->getBeginStmt()) && TraverseStmt(loop->getEndStmt()) && TraverseStmt(loop->getCond()) &&
           TraverseStmt(loop->getInc());
  }

  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return true;
    if (library_.isValid()) return true;
    const std::string name = "'" + var->getNameAsString() + "'";
    if (var->hasAttr<OMPThreadPrivateDeclAttr>() || var->getTLSKind() != VarDecl::TLS_None)
      return refuse(reference->getLocation(), say::OwnBeyondRegion(name));
    if (loops_ == 0 && isSignal(var->getType())) return refuse(reference->getLocation(), say::SignalsThreads(name));
    return true;
  }

 private:
  bool follow(const CalledCode& called, SourceLocation loc) {
    if (library_.isValid()) loc = library_;
    if (!called.obstacle.empty()) return refuse(loc, called.obstacle);
    protects_ |= critical_ > 0 && once_ == 0 && loops_ == 0 && !called.unseen.empty();
    for (const FunctionDecl* function : called.unseen)
      if (unseen_.insert(function->getCanonicalDecl()).second) code_.unseen.emplace_back(function, loc);
    return llvm::all_of(called.functions, [&](const FunctionDecl* definition) { return enter(definition, loc); });
  }
  bool traverseFunction(const FunctionDecl* definition);
  bool enter(const FunctionDecl* definition, SourceLocation loc);
  static bool isSignal(QualType type) {
    type = type.getNonReferenceType();
    if (type.isVolatileQualified() || type->isAtomicType()) return true;
    auto* record = type->getAsCXXRecordDecl();
    return record && record->isInStdNamespace() && record->getName().starts_with("atomic");
  }
  // Always false, which ends the traversal.
  bool refuse(SourceLocation loc, std::string what) {
    if (!code_.obstacle) code_.obstacle = Refusal{loc, std::move(what)};
    return false;
  }
  bool refuse(const OMPExecutableDirective* directive, const say::Saying<1>& what) {
    return refuse(directive->getBeginLoc(), what(llvm::omp::getOpenMPDirectiveName(directive->getDirectiveKind())));
  }

  bool traverseDirective(OMPExecutableDirective* directive);

 public:
  // Under `critical`, or anywhere in code that takes a lock: nothing says for how long.
  void readProtected() {
    if (protects_ || (locks_ && !code_.unseen.empty())) code_.callFlags |= MUSTER_CALLS_PROTECTED;
  }
  // A number of threads is right for the code of one thread only if that does what all of them together do.
  void readCounts(const OMPExecutableDirective* region) {
    code_.counts = queries_.counts;
    code_.slots = queries_.slots;
    const auto own = llvm::find_if(queries_.counts, [&](const CallExpr* call) { return queries_.free.count(call); });
    if (own == queries_.counts.end()) return;
    code_.callFlags |= MUSTER_CALLS_COUNTED;
    if ((!code_.addsUp && !hasClause<OMPReductionClause>(region))) return;
    refuse((*own)->getBeginLoc(), dependsOnTeam((*own)->getDirectCallee()));
  }

 private:
  const ASTContext& ast_;
  TeamCode& code_;
  ThreadQueries queries_;  // those of the functions that were entered among them
  bool inFunction_ = false, locks_ = false, protects_ = false;
  unsigned lambdas_ = 0, loops_ = 0, once_ = 0, choices_ = 0, critical_ = 0;
  SourceLocation library_;  // of the call that led into the library's code
  enum How : unsigned { Once = 1, Critical = 2 };
  std::set<std::pair<const FunctionDecl*, unsigned>> entered_;  // and how
  std::set<const FunctionDecl*> unseen_;
  const bool alone_ = false;  // the user's functions are not entered
};

bool TeamCodeReader::traverseFunction(const FunctionDecl* definition) {
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer* part : constructor->inits())
      if (!TraverseStmt(part->getInit())) return false;
  return TraverseStmt(definition->getBody());
}

// A program has its own functions in place of a library's.
bool mayBeReplaced(const ASTContext& ast, const FunctionDecl* definition) {
  return ast.getLangOpts().PICLevel > 0 && !ast.getLangOpts().PIE && definition->getVisibility() == DefaultVisibility &&
         ast.GetGVALinkageForFunction(definition) == GVA_StrongExternal &&
         !isa<CXXConstructorDecl, CXXDestructorDecl>(definition);
}

bool TeamCodeReader::enter(const FunctionDecl* definition, SourceLocation loc) {
  const bool once = once_ > 0 || loops_ > 0;
  const unsigned how = (once ? Once : 0) | (critical_ > 0 ? Critical : 0);
  const auto known = entered_.lower_bound({definition, 0});
  const bool isNew = known == entered_.end() || known->first != definition;
  if (!entered_.insert({definition, how}).second) return true;
  const bool isLibrary = isSystemCode(ast_, definition);
  if (!isLibrary && isNew) code_.callees.emplace_back(definition, loc);
  if (!isLibrary && alone_) {
    if (isNew && mayBeReplaced(ast_, definition)) code_.unseen.emplace_back(definition, loc);
    return true;
  }
  if (!isLibrary && isNew) {
    const ThreadQueries own = threadQueries(ast_, definition);
    queries_.harmless.insert(own.harmless.begin(), own.harmless.end());
    queries_.once.insert(own.once.begin(), own.once.end());
  }
  const bool inFunction = std::exchange(inFunction_, true);
  const unsigned lambdas = std::exchange(lambdas_, 0), loops = std::exchange(loops_, 0);
  const unsigned outer = std::exchange(once_, once);
  const SourceLocation library = std::exchange(library_, isLibrary ? loc : SourceLocation());
  const bool result = traverseFunction(definition);
  inFunction_ = inFunction;
  lambdas_ = lambdas;
  loops_ = loops;
  once_ = outer;
  library_ = library;
  return result;
}

// With one thread, `masked` runs what it holds if it asks for the thread number 0.
bool isForFirstThread(const ASTContext& ast, const OMPExecutableDirective* directive) {
  for (const OMPClause* clause : directive->clauses())
    if (auto* filter = dyn_cast<OMPFilterClause>(clause)) {
      Expr::EvalResult value;
      const Expr* thread = clauseValue(filter->getThreadID());
      return thread && thread->EvaluateAsInt(value, ast) && value.Val.getInt() == 0;
    }
  return true;
}

bool TeamCodeReader::traverseDirective(OMPExecutableDirective* directive) {
  const OpenMPDirectiveKind kind = directive->getDirectiveKind();
  if (lambdas_ > 0) return refuse(directive, say::HoldsInLambda);
  if (isTeamLoop(directive)) {
    if (!inFunction_ || alone_) code_.loops.push_back(cast<OMPLoopDirective>(directive));
    ++loops_;
    const bool result = AstVisitor::TraverseStmt(directive);
    --loops_;
    return result;
  }
  if (isa<OMPMaskedDirective>(directive) && !isForFirstThread(ast_, directive))
    return refuse(directive, say::HoldsForAnotherThread);
  if (isa<OMPAtomicDirective>(directive)) {
    const bool reads =
        llvm::any_of(directive->clauses(), [](const OMPClause* clause) { return isa<OMPReadClause>(clause); });
    if (loops_ == 0 && reads) return refuse(directive, say::HoldsAtomicRead);
    code_.addsUp |= loops_ == 0 && once_ == 0;
    return AstVisitor::TraverseStmt(directive);
  }
  if (isa<OMPCriticalDirective>(directive)) {
    code_.addsUp |= loops_ == 0 && once_ == 0;
    ++critical_;
    const bool result = AstVisitor::TraverseStmt(directive);
    --critical_;
    return result;
  }
  if (isa<OMPFlushDirective>(directive) && loops_ > 0) return true;
  if (isa<OMPSingleDirective, OMPMasterDirective, OMPMaskedDirective, OMPBarrierDirective, OMPSimdDirective,
          OMPOrderedDirective, OMPTileDirective, OMPUnrollDirective>(directive))
    return AstVisitor::TraverseStmt(directive);
  // A function may start a team of its own wherever it is called.
  if (inFunction_ && isOpenMPParallelDirective(kind)) return true;
  return refuse(directive, say::HoldsDirective);
}

}  // namespace

TeamCode readTeamCode(const ASTContext& ast, const OMPExecutableDirective* region) {
  TeamCode code;
  TeamCodeReader reader(ast, region, code);
  reader.readCopies(region);
  reader.TraverseStmt(const_cast<Stmt*>(region->getInnermostCapturedStmt()->getCapturedStmt()));
  reader.readCounts(region);
  reader.readProtected();
  if (code.obstacle) return code;
  auto refuse = [&](SourceLocation loc, const char* what) { code.obstacle = Refusal{loc, what}; };
  if (!directiveName(ast, region)) refuse(region->getBeginLoc(), say::MadeByMacro);
  for (const OMPClause* clause : region->clauses()) {
    if (isa<OMPCopyinClause>(clause)) refuse(clause->getBeginLoc(), say::CopiesThreadVariables);
    if (isa<OMPNumThreadsClause, OMPIfClause>(clause) && !clauseRange(ast, clause))
      refuse(clause->getBeginLoc(), say::MadeByMacro);
  }
  return code;
}

TeamCode readTeamCode(const ASTContext& ast, const FunctionDecl* function) {
  TeamCode code;
  TeamCodeReader reader(ast, code);
  reader.readFunction(function);
  reader.readProtected();
  return code;
}

}  // namespace muster::plugin
