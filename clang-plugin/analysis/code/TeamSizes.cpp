// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/TeamSizes.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/code/Instances.h"
#include "analysis/code/Library.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/UserFiles.h"

namespace muster::plugin {

using namespace clang;

namespace {

const ValueDecl* canonical(const ValueDecl* decl) {
  if (auto* field = dyn_cast<FieldDecl>(decl)) return patternOf(field);
  return cast<ValueDecl>(decl->getCanonicalDecl());
}

llvm::StringRef nameOf(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  return function && function->getIdentifier() ? function->getName() : "";
}

bool asksForThreads(const CallExpr* call) {
  return llvm::is_contained({"omp_get_max_threads", "omp_get_num_threads", "omp_get_thread_limit", "omp_get_num_procs",
                             "omp_get_team_size", "hardware_concurrency", "get_nprocs"},
                            nameOf(call));
}

const VarDecl* namedVariable(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

bool isQuestion(const Expr* expr) {
  auto* call = dyn_cast<CallExpr>(expr->IgnoreParenImpCasts());
  return call && asksForThreads(call);
}

// `threads > 1`: whether there are several threads. No part is made of that. The number, or nullptr.
const Expr* askedForSeveral(const BinaryOperator* op) {
  if (!op->isComparisonOp() || op->getLHS()->isValueDependent() || op->getRHS()->isValueDependent()) return nullptr;
  auto* one = dyn_cast<IntegerLiteral>(op->getRHS()->IgnoreParenImpCasts());
  if (!one || one->getValue() != 1) return nullptr;
  const bool isEither = op->getOpcode() != BO_LT && op->getOpcode() != BO_GE;
  return isEither && (namedVariable(op->getLHS()) || isQuestion(op->getLHS())) ? op->getLHS() : nullptr;
}

// What a value is made of.
struct Sources {
  std::set<const ValueDecl*> decls;
  std::set<const ValueDecl*> several;  // of which it only tells whether they are more than 1
  bool asks = false;

  void add(const Expr* expr);
};

// The number that an index gives is another one. Of an address, what it leads to counts, not where.
void Sources::add(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) decls.insert(canonical(var));
  } else if (auto* member = dyn_cast<MemberExpr>(expr)) {
    if (auto* field = dyn_cast<FieldDecl>(member->getMemberDecl())) decls.insert(canonical(field));
  } else if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
    add(subscript->getBase());
  } else if (auto* call = dyn_cast<CallExpr>(expr)) {
    const FunctionDecl* definition = call->getDirectCallee() ? definitionOf(call->getDirectCallee()) : nullptr;
    asks |= asksForThreads(call);
    if (definition) decls.insert(canonical(definition));
    auto* method = dyn_cast<CXXMemberCallExpr>(call);
    if (const Expr* object = method ? method->getImplicitObjectArgument() : nullptr) add(object);
    if (isa<CXXOperatorCallExpr>(call)) return call->getNumArgs() > 0 ? add(call->getArg(0)) : void();
    if (call->getType()->isArithmeticType())
      for (const Expr* argument : call->arguments()) add(argument);
  } else if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (const Expr* const number = askedForSeveral(op)) {
      if (const VarDecl* const var = namedVariable(number)) several.insert(canonical(var));
      return;
    }
    const bool isAddress = op->getType()->isPointerType();
    for (const Expr* side : {op->getLHS(), op->getRHS()})
      if (!isAddress || side->getType()->isPointerType()) add(side);
  } else if (auto* conditional = dyn_cast<AbstractConditionalOperator>(expr)) {
    for (const Expr* part : {conditional->getCond(), conditional->getTrueExpr(), conditional->getFalseExpr()})
      add(part);
  } else if (isa<CastExpr, UnaryOperator, MaterializeTemporaryExpr, InitListExpr>(expr)) {
    for (const Stmt* child : expr->children())
      if (child) add(cast<Expr>(child));
  }
}

// What an assignment changes: the variable or member, of whatever object, or that which leads to the element.
const ValueDecl* targetOf(const Expr* expr) {
  if (!expr) return nullptr;
  expr = expr->IgnoreParenCasts();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return dyn_cast<VarDecl>(reference->getDecl());
  if (auto* member = dyn_cast<MemberExpr>(expr)) return dyn_cast<FieldDecl>(member->getMemberDecl());
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) return targetOf(subscript->getBase());
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return targetOf(op->getSubExpr());
  if (auto* call = dyn_cast<CXXOperatorCallExpr>(expr))
    return call->getNumArgs() > 0 ? targetOf(call->getArg(0)) : nullptr;
  return nullptr;
}

// Of an element, the index that chooses it; else nullptr.
const Expr* indexOf(const Expr* place) {
  place = place->IgnoreParenImpCasts();
  if (auto* element = dyn_cast<ArraySubscriptExpr>(place)) return element->getIdx();
  auto* call = dyn_cast<CXXOperatorCallExpr>(place);
  if (call && call->getOperator() == OO_Subscript && call->getNumArgs() == 2) return call->getArg(1);
  auto* deref = dyn_cast<UnaryOperator>(place);
  auto* sum = deref ? dyn_cast<BinaryOperator>(deref->getSubExpr()->IgnoreParenImpCasts()) : nullptr;
  if (!sum || !sum->isAdditiveOp()) return nullptr;
  return sum->getLHS()->getType()->isPointerType() ? sum->getRHS() : sum->getLHS();
}

class FlowReader : public AstVisitor {
 public:
  TeamSizes::Flows flows, copies;      // from a value to what is made of it; from a copy to its original
  TeamSizes::Flows several;            // to what is made of whether it is more than 1
  std::set<const ValueDecl*> asked;    // variables that were a question's answer once
  std::set<const ValueDecl*> changed;  // that may have been something else
  std::set<const ValueDecl*> counts;   // numbers of threads
  std::set<const ValueDecl*> said;     // of these, what the program says
  Sources passed;                      // to functions that are not seen

  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool TraverseDecl(Decl* decl) override {
    auto* function = dyn_cast_or_null<FunctionDecl>(decl);
    const FunctionDecl* const outer = function_;
    if (function) function_ = function;
    const bool goOn = AstVisitor::TraverseDecl(decl);
    function_ = outer;
    return goOn;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    const FunctionDecl* const outer = function_;
    function_ = lambda->getCallOperator();
    const bool goOn = AstVisitor::TraverseLambdaExpr(lambda);
    function_ = outer;
    return goOn;
  }

  bool TraverseIfStmt(IfStmt* statement) override {
    if (statement->getCond()) conditions_.push_back(statement->getCond());
    const bool goOn = AstVisitor::TraverseIfStmt(statement);
    if (statement->getCond()) conditions_.pop_back();
    return goOn;
  }

  bool VisitVarDecl(VarDecl* var) override {
    if (!var->getInit()) return true;
    flow(var->getInit(), var);
    if (var->hasLocalStorage() && isQuestion(var->getInit())) asked.insert(canonical(var));
    if (var->getType()->isReferenceType()) change(var->getInit());
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl* constructor) override {
    for (const CXXCtorInitializer* init : constructor->inits())
      if (init->isMemberInitializer()) flow(init->getInit(), init->getMember());
    return true;
  }
  bool VisitInitListExpr(InitListExpr* list) override {
    const InitListExpr* const meant = list->isSemanticForm() ? list : list->getSemanticForm();
    const RecordDecl* const record = meant ? meant->getType()->getAsRecordDecl() : nullptr;
    if (!record || record->isUnion()) return true;
    unsigned i = 0;
    if (auto* inCxx = dyn_cast<CXXRecordDecl>(record)) i = inCxx->getNumBases();
    for (const FieldDecl* field : record->fields()) {
      if (field->isUnnamedBitField()) continue;
      if (i < meant->getNumInits()) flow(meant->getInit(i), field);
      ++i;
    }
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (!op->isAssignmentOp()) return true;
    change(op->getLHS());
    if (const ValueDecl* target = targetOf(op->getLHS())) flow(op->getRHS(), target, op->getLHS()->getType());
    choose(op->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp()) choose(op->getSubExpr());
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf) change(op->getSubExpr());
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* statement) override {
    if (function_ && statement->getRetValue()) flow(statement->getRetValue(), function_, function_->getReturnType());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* const function = call->getDirectCallee();
    auto* const called = dyn_cast_or_null<CXXMethodDecl>(function);
    const bool isUnseen =
        !function || (!isLibrary(function) && (!definitionOf(function) || (called && called->isVirtual())));
    if (isUnseen && !call->isInstantiationDependent())
      for (const Expr* argument : call->arguments()) passed.add(argument);
    const unsigned params = function ? function->getNumParams() : 0;
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (i >= params || function->getParamDecl(i)->getType()->isReferenceType()) changeByReference(call->getArg(i));
    if (!function) return true;
    if (nameOf(call) == "omp_set_num_threads" && call->getNumArgs() == 1) say(call->getArg(0));
    // push_back and the like: what elements of the object are.
    if (auto* method = dyn_cast<CXXMemberCallExpr>(call); method && function->getReturnType()->isVoidType())
      if (const ValueDecl* object = targetOf(method->getImplicitObjectArgument()))
        for (const Expr* argument : call->arguments()) flow(argument, object, argument->getType());
    const FunctionDecl* const definition = definitionOf(function);
    if (!definition) return true;
    const unsigned first = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(function) ? 1 : 0;
    for (unsigned i = first; i < call->getNumArgs() && i - first < definition->getNumParams(); ++i)
      pass(call->getArg(i), definition->getParamDecl(i - first));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override {
    for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
      changeByReference(construct->getArg(i));
      if (i < construct->getConstructor()->getNumParams())
        pass(construct->getArg(i), construct->getConstructor()->getParamDecl(i));
    }
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) override {
    for (const OMPClause* clause : directive->clauses())
      if (auto* threads = dyn_cast<OMPNumThreadsClause>(clause)) say(clauseValue(threads->getNumThreads()));
    return true;
  }

 private:
  void flow(const Expr* from, const ValueDecl* to) { flow(from, to, to->getType()); }
  void flow(const Expr* from, const ValueDecl* to, QualType type);
  void pass(const Expr* from, const ParmVarDecl* to);
  void choose(const Expr* place);
  void say(const Expr* threads);
  void change(const Expr* place) {
    if (const ValueDecl* const target = targetOf(place)) changed.insert(canonical(target));
  }
  // Values go as such, others may be changed.
  void changeByReference(const Expr* argument) {
    if (argument->isGLValue()) change(argument);
  }

  const FunctionDecl* function_ = nullptr;
  std::vector<const Expr*> conditions_;  // around the code
};

// What pointers and arrays lead to.
QualType innermost(QualType type) {
  while (type->isPointerType() || type->isArrayType()) type = QualType(type->getPointeeOrArrayElementType(), 0);
  return type;
}

// Elements that are no whole numbers are data, not numbers of threads or iterations.
void FlowReader::flow(const Expr* from, const ValueDecl* to, QualType type) {
  type = type.getNonReferenceType();
  const QualType own = isa<FunctionDecl>(to) ? type : to->getType().getNonReferenceType();
  const bool isNumber = own->isArithmeticType() || own->isEnumeralType();
  if (!isNumber && !innermost(type)->isIntegerType()) return;
  if (auto* list = dyn_cast<InitListExpr>(from->IgnoreParenImpCasts())) {
    for (const Expr* init : list->inits()) flow(init, to, init->getType());
    return;
  }
  Sources sources;
  sources.add(from);
  to = canonical(to);
  if (sources.asks) counts.insert(to);
  for (const ValueDecl* source : sources.decls) flows[source].insert(to);
  for (const ValueDecl* source : sources.several) several[source].insert(to);
  const Expr* const named = from->IgnoreParenCasts();
  if (isa<DeclRefExpr, MemberExpr>(named))
    for (const ValueDecl* source : sources.decls) copies[to].insert(source);
}

// Elements that are marked by their indexes, or under conditions.
void FlowReader::choose(const Expr* place) {
  const Expr* const index = indexOf(place);
  const ValueDecl* const target = index ? targetOf(place) : nullptr;
  if (!target) return;
  flow(index, target, place->getType());
  for (const Expr* condition : conditions_) flow(condition, target, place->getType());
}

// What a function stores through a parameter comes back.
void FlowReader::pass(const Expr* from, const ParmVarDecl* to) {
  flow(from, to);
  const QualType type = to->getType();
  if ((!type->isReferenceType() && !type->isPointerType()) || type->getPointeeType().isConstQualified()) return;
  if (const ValueDecl* target = targetOf(from); target && type->getPointeeType()->isArithmeticType())
    flows[canonical(to)].insert(canonical(target));
}

void FlowReader::say(const Expr* threads) {
  Sources sources;
  if (threads) sources.add(threads);
  said.insert(sources.decls.begin(), sources.decls.end());
}

// Adds all that can be reached.
void close(std::set<const ValueDecl*>& found, const TeamSizes::Flows& flows) {
  std::vector<const ValueDecl*> open(found.begin(), found.end());
  while (!open.empty()) {
    const auto next = flows.find(open.back());
    open.pop_back();
    if (next == flows.end()) continue;
    for (const ValueDecl* target : next->second)
      if (found.insert(target).second) open.push_back(target);
  }
}

class UseFinder : public AstVisitor {
 public:
  UseFinder(const std::set<const ValueDecl*>& known, const std::set<const ValueDecl*>& answers)
      : known_(known), answers_(answers) {}
  bool TraverseBinaryOperator(BinaryOperator* op) override {
    const Expr* const number = askedForSeveral(op);
    const VarDecl* const var = number ? namedVariable(number) : nullptr;
    const bool isHarmless = number && (!var || answers_.count(canonical(var)) > 0);
    return isHarmless || AstVisitor::TraverseBinaryOperator(op);
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override { return !known_.count(canonical(reference->getDecl())); }
  bool VisitMemberExpr(MemberExpr* member) override {
    auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return !field || !known_.count(canonical(field));
  }
  bool VisitCallExpr(CallExpr* call) override { return !asksForThreads(call); }

 private:
  const std::set<const ValueDecl*>&known_, &answers_;
};

}  // namespace

const std::set<const ValueDecl*>& TeamSizes::known() const {
  if (known_) return *known_;
  const SourceManager& sources = context_.getSourceManager();
  FlowReader reader;
  for (Decl* decl : context_.getTranslationUnitDecl()->decls())
    if (isUserCode(sources, decl->getLocation())) reader.TraverseDecl(decl);
  answers_ = std::move(reader.asked);
  for (const ValueDecl* decl : reader.changed) answers_.erase(decl);
  for (const auto& [number, targets] : reader.several)
    if (!answers_.count(number)) reader.flows[number].insert(targets.begin(), targets.end());
  for (const ValueDecl* decl : reader.passed.several)
    if (!answers_.count(decl)) reader.passed.decls.insert(decl);
  // A number that the program says is one wherever it was copied from.
  close(reader.said, reader.copies);
  known_ = std::move(reader.counts);
  known_->insert(reader.said.begin(), reader.said.end());
  close(*known_, reader.flows);
  isPassed_ = reader.passed.asks ||
              llvm::any_of(reader.passed.decls, [&](const ValueDecl* decl) { return known_->count(decl) > 0; });
  return *known_;
}

bool TeamSizes::isSeenByOthers(const ValueDecl* decl) const {
  const auto isCalled = [&](const FunctionDecl* function) {
    if (!function || function->isDependentContext()) return false;
    const GVALinkage linkage = context_.GetGVALinkageForFunction(function);
    return !function->isMain() && (linkage == GVA_StrongExternal || linkage == GVA_StrongODR);
  };
  if (auto* function = dyn_cast<FunctionDecl>(decl)) return isCalled(definitionOf(function));
  if (auto* field = dyn_cast<FieldDecl>(decl))
    return !context_.getLangOpts().CPlusPlus || field->getParent()->isExternallyVisible();
  auto* parameter = dyn_cast<ParmVarDecl>(decl);
  if (!parameter) return decl->isExternallyVisible();
  // What a function stores through it.
  const QualType type = parameter->getType();
  auto* function = dyn_cast<FunctionDecl>(parameter->getDeclContext());
  return function && (type->isPointerType() || type->isReferenceType()) && !type->getPointeeType().isConstQualified() &&
         isCalled(function);
}

bool TeamSizes::toldToOthers() const {
  return llvm::any_of(known(), [&](const ValueDecl* decl) { return isSeenByOthers(decl); }) || isPassed_;
}

bool TeamSizes::usedIn(const Stmt* code) const {
  const std::set<const ValueDecl*>& numbers = known();
  return !UseFinder(numbers, answers_).TraverseStmt(const_cast<Stmt*>(code));
}

}  // namespace muster::plugin
