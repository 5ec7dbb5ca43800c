// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/teams/ThreadQueries.h"

#include "analysis/code/Functions.h"
#include "analysis/teams/TeamCalls.h"
#include "analysis/teams/ThreadSlots.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/OpenMPClause.h"
#include "llvm/ADT/StringSet.h"
#include "source/AstVisitor.h"
#include "source/Compat.h"

namespace muster::plugin {

using namespace clang;

namespace {

enum class Query { None, Number, Count };

Query queryOf(const Expr* expr) {
  auto* call = dyn_cast<CallExpr>(expr->IgnoreParenImpCasts());
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (!function || !function->getIdentifier()) return Query::None;
  if (function->getName() == "omp_get_thread_num") return Query::Number;
  return function->getName() == "omp_get_num_threads" ? Query::Count : Query::None;
}

bool isZero(const ASTContext& ast, const Expr* expr) {
  Expr::EvalResult value;
  return expr->EvaluateAsInt(value, ast) && value.Val.getInt() == 0;
}

// Whether a statement may be left by a jump, or entered by one: then what stands behind it is for some threads only.
bool hasJumps(const Stmt* statement, bool inLoop = false) {
  if (!statement) return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt>(statement)) return true;
  if (isa<BreakStmt, ContinueStmt>(statement)) return !inLoop;
  // The `break` of a switch counts, too.
  inLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement);
  return llvm::any_of(statement->children(), [&](const Stmt* child) { return hasJumps(child, inLoop); });
}

// What the region does with the calls, and with variables that have nothing but their values.
class QueryReader : public AstVisitor {
 public:
  explicit QueryReader(const ASTContext& ast) : ast_(ast) {}

  // What a thread's iterations are is the team's choice.
  bool TraverseStmt(Stmt* statement) override {
    auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
    auto* choice = dyn_cast_or_null<IfStmt>(statement);
    const Expr* number = choice && loops_ == 0 ? firstOnly(choice) : nullptr;
    if (number) {
      use(number, Query::Number);
      firstOnly_.insert(choice);
    }
    const bool shares = directive && isOpenMPLoopDirective(directive->getDirectiveKind());
    const bool once = number || isa_and_nonnull<OMPSingleDirective, OMPMasterDirective, OMPMaskedDirective>(directive);
    loops_ += shares;
    once_ += once;
    const bool goOn = AstVisitor::TraverseStmt(statement);
    loops_ -= shares;
    once_ -= once;
    return goOn;
  }
  bool VisitIfStmt(IfStmt* statement) override {
    store(statement->getThen());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    if (loops_ == 0 && queryOf(call) == Query::Count) counts_.push_back(call);
    if (once_ > 0 && isPrinting(call))
      for (const Expr* argument : call->arguments()) use(argument, Query::Count);
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt* block) override {
    for (const Stmt* statement : block->body()) store(statement);
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) override {
    if (directive->hasAssociatedStmt()) store(directive->getRawStmt());
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    if (var->getInit() && queryOf(var->getInit()) != Query::None) set(var, var->getInit());
    declared_.insert(var);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) ++mentions_[var];
    return true;
  }

  // It may run anywhere.
  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    ++loops_;
    const bool goOn = AstVisitor::TraverseLambdaExpr(lambda);
    --loops_;
    return goOn;
  }

  // `region`: nullptr for a function's body.
  std::set<const Expr*> found(const OMPExecutableDirective* region) const;
  // Calls outside of worksharing loops.
  const std::vector<const CallExpr*>& counts() const { return counts_; }
  const std::set<const Stmt*>& firstOnly() const { return firstOnly_; }

 private:
  struct Variable {
    std::vector<const Expr*> calls;  // whose values it gets
    Query query = Query::None;
    bool mixed = false;
    std::map<Query, unsigned> uses;
    unsigned stores = 0;
  };

  // `if (number == 0)` or `if (!number && ...)`, for the first thread alone: the number.
  const Expr* firstOnly(const IfStmt* statement) const {
    return statement->getElse() || hasJumps(statement->getThen()) ? nullptr : numberIn(statement->getCond());
  }
  const Expr* numberIn(const Expr* condition) const {
    condition = condition->IgnoreParenImpCasts();
    auto* op = dyn_cast<BinaryOperator>(condition);
    if (op && op->getOpcode() == BO_LAnd) {
      const Expr* number = numberIn(op->getLHS());
      return number ? number : numberIn(op->getRHS());
    }
    auto* negation = dyn_cast<UnaryOperator>(condition);
    const Expr* number = nullptr;
    if (negation && negation->getOpcode() == UO_LNot) number = negation->getSubExpr();
    if (op && op->getOpcode() == BO_EQ && isZero(ast_, op->getRHS())) number = op->getLHS();
    if (!number || queryOf(number) == Query::Number) return number;
    const auto variable = variables_.find(variableNamed(number));
    return variable != variables_.end() && variable->second.query == Query::Number ? number : nullptr;
  }
  // The value does no more than the query's kind allows.
  void use(const Expr* expr, Query query) {
    if (loops_ > 0) return;
    if (const VarDecl* var = variableNamed(expr)) ++variables_[var].uses[query];
    if (queryOf(expr) == query) direct_.insert(expr->IgnoreParenImpCasts());
  }
  void set(const VarDecl* var, const Expr* value) {
    Variable& variable = variables_[var];
    const Query query = queryOf(value);
    variable.mixed |= variable.query != Query::None && variable.query != query;
    variable.query = query;
    variable.calls.push_back(value->IgnoreParenImpCasts());
  }
  void store(const Stmt* statement) {
    auto* assignment = dyn_cast_or_null<BinaryOperator>(statement);
    if (!assignment || assignment->getOpcode() != BO_Assign || loops_ > 0) return;
    const VarDecl* var = variableNamed(assignment->getLHS());
    if (!var || queryOf(assignment->getRHS()) == Query::None || !stored_.insert(assignment).second) return;
    set(var, assignment->getRHS());
    ++variables_[var].stores;
  }
  bool isOwn(const VarDecl* var, const OMPExecutableDirective* region) const;

  const ASTContext& ast_;
  unsigned loops_ = 0, once_ = 0;
  std::vector<const CallExpr*> counts_;
  std::set<const Stmt*> firstOnly_;
  std::set<const Expr*> direct_;
  std::set<const Stmt*> stored_;
  std::set<const VarDecl*> declared_;
  std::map<const VarDecl*, unsigned> mentions_;
  std::map<const VarDecl*, Variable> variables_;
};

// A variable of each thread, so that its value ends with the region.
bool QueryReader::isOwn(const VarDecl* var, const OMPExecutableDirective* region) const {
  if (declared_.count(var)) return true;
  if (!region) return false;
  for (const OMPClause* clause : region->clauses())
    if (auto* own = dyn_cast<OMPPrivateClause>(clause))
      for (const Expr* item : compat::items(own))
        if (variableNamed(item) == var) return true;
  return false;
}

// Whether a pointer may lead to the variable.
bool hasAddress(const VarDecl* var) {
  class Finder : public AstVisitor {
   public:
    explicit Finder(const VarDecl* var) : var_(var) {}
    bool VisitUnaryOperator(UnaryOperator* op) override {
      return op->getOpcode() != UO_AddrOf || variableNamed(op->getSubExpr()) != var_;
    }
    bool VisitVarDecl(VarDecl* other) override {
      return !other->getType()->isReferenceType() || !other->getInit() || variableNamed(other->getInit()) != var_;
    }

   private:
    const VarDecl* var_;
  };
  auto* function = dyn_cast_or_null<FunctionDecl>(var->getParentFunctionOrMethod());
  return !function || !function->getBody() || !Finder(var).TraverseStmt(function->getBody());
}

std::set<const Expr*> QueryReader::found(const OMPExecutableDirective* region) const {
  std::set<const Expr*> calls = direct_;
  for (const auto& [var, variable] : variables_) {
    if (variable.calls.empty() || variable.mixed || !var->getType()->isIntegerType()) continue;
    const auto uses = variable.uses.find(variable.query);
    const auto mentioned = mentions_.find(var);
    const unsigned known = variable.stores + (uses != variable.uses.end() ? uses->second : 0);
    if (mentioned != mentions_.end() && mentioned->second != known) continue;
    const bool isKept = variable.query == Query::Count && var->isLocalVarDeclOrParm() && !hasAddress(var);
    if (isOwn(var, region) || isKept) calls.insert(variable.calls.begin(), variable.calls.end());
  }
  return calls;
}

}  // namespace

const VarDecl* variableNamed(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

bool asksForNumber(const Expr* expr) { return queryOf(expr) == Query::Number; }

ThreadQueries threadQueries(const ASTContext& ast, const OMPExecutableDirective* region) {
  QueryReader reader(ast);
  reader.TraverseStmt(const_cast<Stmt*>(region->getInnermostCapturedStmt()->getCapturedStmt()));
  ThreadQueries queries;
  queries.once = reader.firstOnly();
  const auto isText = [](const Expr* expr) {
    return !expr->getBeginLoc().isMacroID() && !expr->getEndLoc().isMacroID();
  };
  for (const Expr* expr : reader.found(region))
    if (queryOf(expr) != Query::Count || isText(expr)) queries.harmless.insert(expr);
  queries.slots = threadSlots(ast, region);
  queries.harmless.insert(queries.slots.begin(), queries.slots.end());
  for (const CallExpr* call : reader.counts()) {
    if (!isText(call)) continue;
    queries.counts.push_back(call);
    if (!queries.harmless.count(call)) queries.free.insert(call);
  }
  return queries;
}

ThreadQueries threadQueries(const ASTContext& ast, const FunctionDecl* function) {
  QueryReader reader(ast);
  reader.TraverseStmt(function->getBody());
  ThreadQueries queries;
  queries.once = reader.firstOnly();
  for (const Expr* expr : reader.found(nullptr))
    if (queryOf(expr) == Query::Number) queries.harmless.insert(expr);
  return queries;
}

bool isPrinting(const CallExpr* call) {
  const Expr* stream = call;
  while (auto* op = dyn_cast<CXXOperatorCallExpr>(stream)) {
    if (op->getOperator() != OO_LessLess) return false;
    stream = op->getArg(0)->IgnoreParenImpCasts();
  }
  if (const VarDecl* var = variableNamed(stream); var && stream != call)
    return var->isInStdNamespace() && llvm::is_contained({"cout", "cerr", "clog"}, var->getName());
  const FunctionDecl* function = call->getDirectCallee();
  return function && function->getIdentifier() &&
         llvm::is_contained({"printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc", "putc",
                             "fwrite", "perror", "print", "println"},
                            function->getName());
}

bool takesLock(const Expr* use) {
  auto* construct = dyn_cast<CXXConstructExpr>(use);
  auto* call = dyn_cast<CallExpr>(use);
  const FunctionDecl* function = call ? call->getDirectCallee() : construct ? construct->getConstructor() : nullptr;
  if (!function) return false;
  if (construct) {
    const CXXRecordDecl* record = construct->getConstructor()->getParent();
    return record->isInStdNamespace() &&
           llvm::is_contained({"lock_guard", "unique_lock", "scoped_lock", "shared_lock"}, record->getName());
  }
  const std::string name = nameOfCallee(function);
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->getParent()->isInStdNamespace()) {
    const llvm::StringRef type = method->getParent()->getName();
    return (type.contains("mutex") || type.contains("lock")) && llvm::StringRef(name).contains("lock") &&
           !llvm::StringRef(name).contains("unlock");
  }
  return llvm::is_contained({"omp_set_lock", "omp_set_nest_lock", "omp_test_lock", "omp_test_nest_lock",
                             "pthread_mutex_lock", "pthread_spin_lock", "mtx_lock", "GOMP_critical_start"},
                            name) ||
         (name == "lock" && function->isInStdNamespace());
}

bool addsUp(const ASTContext& ast, const Expr* use) {
  if (isa<CallExpr, AtomicExpr>(use) && atomicCall(ast, use, {})) return true;
  const FunctionDecl* function = nullptr;
  if (auto* call = dyn_cast<CallExpr>(use)) function = call->getDirectCallee();
  if (auto* construct = dyn_cast<CXXConstructExpr>(use)) function = construct->getConstructor();
  if (!function || !isSystemCode(ast, function) || isMaths(function) || isMemoryFunction(function) ||
      isSeeded(function))
    return false;
  if (auto* method = dyn_cast<CXXMethodDecl>(function)) {
    const llvm::StringRef name = method->getParent()->getIdentifier() ? method->getParent()->getName() : "";
    return llvm::any_of(std::initializer_list<llvm::StringRef>{"lock", "mutex", "atomic", "stream", "ios", "once"},
                        [&](llvm::StringRef part) { return name.contains(part); });
  }
  const std::string name = nameOfCallee(function);
  const QualType result = function->getReturnType().getNonReferenceType();
  const RecordDecl* record = result->getAsRecordDecl();
  if (record && record->getName().contains("stream")) return true;
  // A template's text is known, and followed where it calls what it is given.
  if (function->isTemplateInstantiation() || llvm::StringRef(name).starts_with("omp_get_")) return false;
  static const llvm::StringSet<> own = {
      "malloc", "calloc", "realloc",       "free",   "aligned_alloc", "posix_memalign", "memcmp",
      "strlen", "strcmp", "strcpy",        "strcat", "sprintf",       "snprintf",       "clock",
      "time",   "now",    "clock_gettime", "qsort",  "exit",          "abort",          "gettimeofday"};
  return !own.contains(name);
}

}  // namespace muster::plugin
