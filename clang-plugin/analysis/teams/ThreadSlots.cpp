// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/teams/ThreadSlots.h"

#include <map>
#include <set>

#include "analysis/code/Functions.h"
#include "analysis/teams/TeamCode.h"
#include "analysis/teams/ThreadQueries.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/Compat.h"

namespace muster::plugin {

using namespace clang;

namespace {

// A call in place of which text can stand.
const CallExpr* numberCall(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  const bool isText = !expr->getBeginLoc().isMacroID() && !expr->getEndLoc().isMacroID();
  return isText && asksForNumber(expr) ? cast<CallExpr>(expr) : nullptr;
}

const VarDecl* arrayOf(const Expr* expr) {
  auto* element = dyn_cast<ArraySubscriptExpr>(expr->IgnoreParens());
  return element ? variableNamed(element->getBase()) : nullptr;
}

bool isNumber(QualType type) { return type->isScalarType() && !type.isVolatileQualified(); }

// How often each variable is named, and how often only to read or assign an element.
class Mentions : public AstVisitor {
 public:
  explicit Mentions(const Stmt* code) { TraverseStmt(const_cast<Stmt*>(code)); }
  std::map<const VarDecl*, unsigned> all, elements;

  // Not what it captures.
  bool TraverseCapturedStmt(CapturedStmt* captured) override { return TraverseStmt(captured->getCapturedStmt()); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) ++all[var];
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr* cast) override {
    if (cast->getCastKind() != CK_LValueToRValue) return true;
    if (const VarDecl* array = arrayOf(cast->getSubExpr())) ++elements[array];
    addAssigned(cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->isPRValue()) addAssigned(op);
    return true;
  }
  bool VisitStmt(Stmt* statement) override {
    if (isa<Expr, DeclStmt, ReturnStmt>(statement)) return true;
    for (const Stmt* part : statement->children())
      if (auto* expr = dyn_cast_or_null<Expr>(part); expr && !expr->isPRValue()) addAssigned(expr);
    return true;
  }

 private:
  // In C++ an assignment is another name of the element, but where only its value is read, or nothing.
  void addAssigned(const Expr* expr) {
    auto* op = dyn_cast<BinaryOperator>(expr->IgnoreParens());
    if (const VarDecl* array = op && op->isAssignmentOp() ? arrayOf(op->getLHS()) : nullptr) ++elements[array];
  }
};

// Whether an expression reads nothing but variables of these.
class OnlyReads : public AstVisitor {
 public:
  explicit OnlyReads(const std::set<const VarDecl*>& vars) : vars_(vars) {}
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return !var || vars_.count(var) > 0;
  }
  bool VisitMemberExpr(MemberExpr*) override { return false; }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr*) override { return false; }
  bool VisitUnaryOperator(UnaryOperator* op) override { return op->getOpcode() != UO_Deref; }

 private:
  const std::set<const VarDecl*>& vars_;
};

class SlotReader {
 public:
  SlotReader(const ASTContext& ast, const OMPExecutableDirective* region) : ast_(ast), region_(region) {}

  bool run() {
    const Stmt* code = region_->getInnermostCapturedStmt()->getCapturedStmt();
    return isa<CompoundStmt>(code) && clauses() && statement(code) && hasLoop_ && !calls.empty() && onlyThese(code);
  }
  std::vector<const CallExpr*> calls;

 private:
  bool clauses() {
    for (const OMPClause* clause : region_->clauses()) {
      // Whoever lists all variables would have to list ours.
      if (auto* byDefault = dyn_cast<OMPDefaultClause>(clause);
          byDefault && byDefault->getDefaultKind() != llvm::omp::OMP_DEFAULT_shared)
        return false;
      if (auto* own = dyn_cast<OMPPrivateClause>(clause)) addOwn(own);
      if (auto* own = dyn_cast<OMPFirstprivateClause>(clause)) addOwn(own);
      if (!isa<OMPPrivateClause, OMPFirstprivateClause, OMPDefaultClause, OMPSharedClause, OMPNumThreadsClause,
               OMPIfClause, OMPProcBindClause>(clause))
        return false;
    }
    return true;
  }
  template <class Clause>
  void addOwn(const Clause* clause) {
    for (const Expr* item : compat::items(clause))
      if (const VarDecl* var = variableNamed(item)) own_.insert(var);
  }

  bool statement(const Stmt* statement);
  bool declaration(const VarDecl* var);
  bool assignment(const BinaryOperator* op);
  bool loop(const OMPLoopDirective* directive);
  bool isByNumber(const Expr* index);
  // A value that depends neither on the order in which threads run, nor on their numbers. What loops have changed no
  // thread may read: the others run before the first one does.
  bool isOwnValue(const Expr* value) {
    if (value->HasSideEffects(ast_)) return false;
    Mentions mentions(value);
    for (const auto& [var, count] : mentions.all)
      if (numbers_.count(var)) return false;
    return !hasLoop_ || OnlyReads(own_).TraverseStmt(const_cast<Expr*>(value));
  }
  bool onlyThese(const Stmt* code) const;

  const ASTContext& ast_;
  const OMPExecutableDirective* region_;
  bool hasLoop_ = false;
  std::set<const VarDecl*> own_;  // of each thread
  // Variables with the thread's number, and arrays with an element for each; how often they are named for that.
  std::map<const VarDecl*, unsigned> numbers_, slots_;
};

bool SlotReader::statement(const Stmt* statement) {
  if (isa<NullStmt, OMPBarrierDirective>(statement)) return true;
  if (auto* block = dyn_cast<CompoundStmt>(statement))
    return llvm::all_of(block->body(), [&](const Stmt* part) { return this->statement(part); });
  if (auto* choice = dyn_cast<IfStmt>(statement))
    return !choice->getInit() && !choice->getConditionVariable() && isOwnValue(choice->getCond()) &&
           this->statement(choice->getThen()) && (!choice->getElse() || this->statement(choice->getElse()));
  if (auto* declarations = dyn_cast<DeclStmt>(statement))
    return llvm::all_of(declarations->decls(), [&](const Decl* decl) {
      auto* var = dyn_cast<VarDecl>(decl);
      return var && declaration(var);
    });
  if (auto* directive = dyn_cast<OMPLoopDirective>(statement)) return isTeamLoop(directive) && loop(directive);
  auto* expr = dyn_cast<Expr>(statement);
  auto* op = expr ? dyn_cast<BinaryOperator>(expr->IgnoreParenImpCasts()) : nullptr;
  return op && op->isAssignmentOp() && assignment(op);
}

bool SlotReader::declaration(const VarDecl* var) {
  if (!var->hasLocalStorage() || !isNumber(var->getType())) return false;
  own_.insert(var);
  const CallExpr* call = var->getInit() ? numberCall(var->getInit()) : nullptr;
  if (!call) return !var->getInit() || isOwnValue(var->getInit());
  calls.push_back(call);
  numbers_[var] = 0;
  return true;
}

bool SlotReader::assignment(const BinaryOperator* op) {
  if (const VarDecl* var =
          dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens()) ? variableNamed(op->getLHS()) : nullptr) {
    const CallExpr* call = numberCall(op->getRHS());
    if (!own_.count(var) || !isNumber(var->getType()) || numbers_.count(var)) return false;
    if (!call) return isOwnValue(op->getRHS());
    if (op->getOpcode() != BO_Assign) return false;
    calls.push_back(call);
    numbers_[var] = 1;
    return true;
  }
  const VarDecl* array = arrayOf(op->getLHS());
  if (!array || own_.count(array) || !array->isLocalVarDecl() || !array->hasLocalStorage() ||
      !array->getType()->isArrayType() || !isNumber(ast_.getAsArrayType(array->getType())->getElementType()))
    return false;
  ++slots_[array];
  return isByNumber(cast<ArraySubscriptExpr>(op->getLHS()->IgnoreParens())->getIdx()) && isOwnValue(op->getRHS());
}

// An index that follows the number. Several threads may have the same one only where the program has a race.
bool SlotReader::isByNumber(const Expr* index) {
  if (const CallExpr* call = numberCall(index)) {
    calls.push_back(call);
    return true;
  }
  if (index->HasSideEffects(ast_) || !OnlyReads(own_).TraverseStmt(const_cast<Expr*>(index))) return false;
  unsigned found = 0;
  for (const auto& [var, count] : Mentions(index).all)
    if (const auto number = numbers_.find(var); number != numbers_.end()) found += number->second += count;
  return found > 0;
}

// A schedule that says which thread has which iterations is kept by a team only.
bool SlotReader::loop(const OMPLoopDirective* directive) {
  hasLoop_ = true;
  return llvm::none_of(directive->clauses(), [](const OMPClause* clause) {
    auto* schedule = dyn_cast<OMPScheduleClause>(clause);
    return isa<OMPOrderedClause>(clause) || (schedule && schedule->getScheduleKind() == OMPC_SCHEDULE_static);
  });
}

// Nothing else knows the number, and no other name leads to the arrays, which the region does not read.
bool SlotReader::onlyThese(const Stmt* code) const {
  auto* function = dyn_cast_or_null<FunctionDecl>(slots_.empty() ? nullptr : slots_.begin()->first->getDeclContext());
  if (!function || !function->getBody()) return false;
  Mentions inside(code), everywhere(function->getBody());
  return llvm::all_of(numbers_, [&](const auto& number) { return inside.all[number.first] == number.second; }) &&
         llvm::all_of(slots_, [&](const auto& slot) {
           return inside.all[slot.first] == slot.second &&
                  everywhere.all[slot.first] == everywhere.elements[slot.first];
         });
}

}  // namespace

std::vector<const CallExpr*> threadSlots(const ASTContext& ast, const OMPExecutableDirective* region) {
  SlotReader reader(ast, region);
  return reader.run() ? std::move(reader.calls) : std::vector<const CallExpr*>();
}

}  // namespace muster::plugin
