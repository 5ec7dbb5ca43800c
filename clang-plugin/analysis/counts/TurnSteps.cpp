// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/TurnSteps.h"

#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/teams/ThreadQueries.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

using namespace clang;

namespace {

llvm::ArrayRef<const Stmt*> stepsOf(const CompoundStmt* block) { return {block->body_begin(), block->size()}; }

// The last step of it leaves.
bool endsByLeaving(const Stmt* statement) {
  if (auto* block = dyn_cast<CompoundStmt>(statement)) return !block->body_empty() && endsByLeaving(block->body_back());
  return isa<ReturnStmt, ContinueStmt, BreakStmt>(statement);
}

bool isPartOf(const ASTContext& ast, const Expr* part, const Expr* whole) {
  if (isSame(ast, part, whole)) return true;
  auto* member = dyn_cast<MemberExpr>(bareValue(part));
  return member && !member->isArrow() && isPartOf(ast, member->getBase(), whole);
}

// Elements of one array with different numbers.
bool areDifferent(const ASTContext& ast, const Expr* left, const Expr* right) {
  const auto element = [](const Expr* expr) {
    expr = bareValue(expr);
    while (auto* member = dyn_cast<MemberExpr>(expr)) expr = bareValue(member->getBase());
    return dyn_cast<ArraySubscriptExpr>(expr);
  };
  const ArraySubscriptExpr *first = left ? element(left) : nullptr, *second = right ? element(right) : nullptr;
  Expr::EvalResult from, to;
  if (!first || !second || !isSame(ast, first->getBase(), second->getBase())) return false;
  return first->getIdx()->EvaluateAsInt(from, ast) && second->getIdx()->EvaluateAsInt(to, ast) &&
         !llvm::APSInt::isSameValue(from.Val.getInt(), to.Val.getInt());
}

const VarDecl* loopVariable(const ForStmt* loop) {
  const Stmt* init = loop->getInit();
  if (auto* declaration = dyn_cast_or_null<DeclStmt>(init))
    return declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
  auto* expr = dyn_cast_or_null<Expr>(init);
  auto* op = expr ? dyn_cast<BinaryOperator>(bareExpr(expr)) : nullptr;
  return op && op->getOpcode() == BO_Assign ? variableNamed(op->getLHS()) : nullptr;
}

}  // namespace

bool TurnSteps::differs(Steps block) {
  for (const Stmt* part : block) {
    const SharedUses uses = sharedUses(writes_, functions_, part);
    for (const SharedUse& write : uses.writes)
      if (isShared(write)) written_.push_back(write);
  }
  // What a loop around it left in the thread's variables.
  for (unsigned pass = 0; pass < 2 && !differs_ && !written_.empty(); ++pass) {
    readings_.clear();
    fresh_.clear();
    stale_.clear();
    all(block);
  }
  return differs_;
}

std::set<const VarDecl*> TurnSteps::told() const {
  std::set<const VarDecl*> result = tainted_;
  for (const auto& [var, uses] : copies_) result.insert(var);
  return result;
}

bool TurnSteps::isFresh(const SharedUse& read) const {
  return llvm::any_of(fresh_, [&](const Expr* set) {
    if (read.expr && isSame(ast_, set, read.expr)) return true;
    // A part of a variable that was assigned as a whole.
    auto* reference = dyn_cast<DeclRefExpr>(bareExpr(set));
    return reference && reference->getDecl() == read.place.var && !read.place.leadsOn &&
           !reference->getType()->isPointerType();
  });
}

bool TurnSteps::overlap(const SharedUse& left, const SharedUse& right) const {
  const auto isGiven = [](const SharedUse& use) {
    return use.place.isObject || isa_and_nonnull<ParmVarDecl>(use.place.var);
  };
  const bool meets =
      isFunction && isGiven(left) && isGiven(right) ? mayOverlap(left, right) : functions_.mayMeet(left, right);
  return meets && !areDifferent(ast_, left.expr, right.expr);
}

bool TurnSteps::isOld(const SharedUse& read) const {
  if (!isShared(read) || isFresh(read)) return false;
  return llvm::any_of(written_, [&](const SharedUse& write) { return overlap(write, read); });
}

std::vector<SharedUse> TurnSteps::withCopies(const std::vector<SharedUse>& reads) const {
  std::vector<SharedUse> result = reads;
  for (const SharedUse& read : reads)
    if (const auto copy = copies_.find(read.place.var); read.expr && copy != copies_.end())
      result.insert(result.end(), copy->second.begin(), copy->second.end());
  return result;
}

unsigned TurnSteps::oldOf(const std::vector<SharedUse>& reads) const {
  unsigned old = No;
  for (const SharedUse& read : reads) {
    const VarDecl* var = isShared(read) ? nullptr : read.place.var;
    if (tainted_.count(var) || stale_.count(var)) old |= Own;
    if (isOld(read)) old |= Shared;
    if (const auto copy = copies_.find(var); var && copy != copies_.end() && !copy->second.empty()) old |= Shared;
  }
  return old;
}

bool TurnSteps::hasEffects(Steps steps) {
  return llvm::any_of(steps, [&](const Stmt* step) {
    return step && llvm::any_of(sharedUses(writes_, functions_, step).writes,
                                [&](const SharedUse& write) { return isShared(write); });
  });
}

void TurnSteps::open(const std::vector<SharedUse>& reads, const Stmt* by, const Expr* without) {
  Reading reading;
  reading.by = by;
  for (const SharedUse& read : withCopies(reads))
    if (!(without && read.expr && isPartOf(ast_, read.expr, without)) && isOld(read)) reading.uses.push_back(read);
  if (!reading.uses.empty()) readings_.push_back(std::move(reading));
}

// Elements that each iteration of the loops around it has for itself.
bool TurnSteps::isElement(const SharedUse& read, const SharedUse& write) const {
  if (!read.expr || !write.expr || !isSame(ast_, read.expr, write.expr)) return false;
  return llvm::all_of(loops_, [&](const Loop& loop) { return loop.var && mentions(write.expr, {loop.var}); });
}

bool TurnSteps::allows(const Reading& reading, const SharedUse& read, const SharedUse& write, const Expr* value) const {
  if (llvm::is_contained(active_, &reading)) return true;
  if (!reading.guard) return false;
  const bool isAgain = llvm::any_of(active_, [&](const Reading* now) { return now->guard == reading.guard; });
  if (isAgain && (reading.isOver || isElement(read, write))) return true;
  if (!value || !write.expr || active_.empty()) return false;
  const int direction = directionOf(ast_, active_.back()->condition, write.expr, value);
  return direction != 0 && directionOf(ast_, reading.condition, write.expr, nullptr) == direction;
}

void TurnSteps::write(const SharedUse& use, const Stmt* by, const Expr* value) {
  // Elements that it chose are others now.
  if (const VarDecl* var = use.place.var)
    llvm::erase_if(fresh_, [&](const Expr* set) { return mentions(set, {var}) && writes_.placeOf(set).var != var; });
  if (!isShared(use)) {
    if (underOld_ > 0 && use.place.var) tainted_.insert(use.place.var);
    return;
  }
  for (const Reading& reading : readings_)
    for (const SharedUse& read : reading.uses)
      if (overlap(read, use) && !(reading.by == by && isElement(read, use)) && !allows(reading, read, use, value))
        differBy(use.expr);
  for (const auto& [var, uses] : copies_)
    if (llvm::any_of(uses, [&](const SharedUse& read) { return overlap(read, use); })) stale_.insert(var);
}

void TurnSteps::use(const Stmt* statement) {
  const SharedUses uses = sharedUses(writes_, functions_, statement);
  const unsigned old = oldOf(uses.reads);
  for (const SharedUse& write : uses.writes) {
    if (!isShared(write) && old != No && write.place.var) tainted_.insert(write.place.var);
    if (isShared(write) && (old & Own)) differBy(write.expr);
  }
  // What one step does again and again is for the function that it calls to say.
  for (const SharedUse& write : uses.writes) this->write(write, statement);
  open(uses.reads, statement);
}

void TurnSteps::assignOwn(const VarDecl* var, const std::vector<SharedUse>& reads) {
  const unsigned old = oldOf(reads);
  stale_.erase(var);
  if (!var || (old == No && underOld_ == 0)) return;
  if (old == Shared && underOld_ == 0 && writes_.of(var).size() == 1 && !var->getType()->isReferenceType()) {
    std::vector<SharedUse> source;
    for (const SharedUse& read : withCopies(reads))
      if (isOld(read)) source.push_back(read);
    copies_[var] = std::move(source);
    return;
  }
  tainted_.insert(var);
}

void TurnSteps::declare(const VarDecl* var, const Expr* value) {
  if (var->getType()->isReferenceType() || var->isStaticLocal()) return;
  const SharedUses uses = sharedUses(writes_, functions_, value);
  assignOwn(var, uses.reads);
  for (const SharedUse& write : uses.writes) this->write(write, value);
}

void TurnSteps::assign(const Expr* use, const Expr* target, const Expr* value, bool isPlain) {
  const SharedUses uses = sharedUses(writes_, functions_, use);
  const SharedUse place = uses.writes.back();
  for (const SharedUse& write : llvm::ArrayRef(uses.writes).drop_back()) this->write(write, use);
  if (!isShared(place)) {
    if (isPlain || oldOf(uses.reads) != No) assignOwn(place.place.var, uses.reads);
    if (underOld_ > 0 && place.place.var) tainted_.insert(place.place.var);
    return;
  }
  const bool isKept = isPlain && isKept_(value, place.place.var);
  if (!isKept && (oldOf(uses.reads) & Own)) differBy(target);
  if (!isKept) open(uses.reads, use, target);
  write(place, use, value);
  if (isPlain) fresh_.push_back(target);
}

void TurnSteps::stepExpr(const Expr* expr) {
  expr = bareValue(expr);
  auto* op = dyn_cast<BinaryOperator>(expr);
  if (op && op->isCommaOp()) {
    stepExpr(op->getLHS());
    return stepExpr(op->getRHS());
  }
  if (op && op->isAssignmentOp()) return assign(op, op->getLHS(), op->getRHS(), op->getOpcode() == BO_Assign);
  if (op && op->isLogicalOp() && hasEffects(op->getRHS())) return choose(op, op->getLHS(), op->getRHS(), {});
  auto* choice = dyn_cast<ConditionalOperator>(expr);
  if (choice && hasEffects({choice->getTrueExpr(), choice->getFalseExpr()}))
    return choose(choice, choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  auto* call = dyn_cast<CXXOperatorCallExpr>(expr);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  const bool copies = function && (function->isTrivial() || function->isDefaulted());
  if (copies && call->getOperator() == OO_Equal && call->getNumArgs() == 2)
    return assign(call, call->getArg(0), call->getArg(1), true);
  use(expr);
}

void TurnSteps::all(Steps steps) {
  for (std::size_t i = 0; i < steps.size() && !differs_; ++i) {
    auto* choice = dyn_cast_or_null<IfStmt>(steps[i]);
    // What follows is its other branch.
    if (choice && !choice->getElse() && !choice->getInit() && endsByLeaving(choice->getThen())) {
      return choose(choice, choice->getCond(), choice->getThen(), steps.drop_front(i + 1));
    }
    step(steps[i]);
  }
}

void TurnSteps::step(const Stmt* statement) {
  if (!statement || differs_ || isSharedOut(writes_, statement)) return;
  if (auto* captured = dyn_cast<CapturedStmt>(statement)) return step(captured->getCapturedStmt());
  if (auto* block = dyn_cast<CompoundStmt>(statement)) return all(stepsOf(block));
  if (auto* expr = dyn_cast<Expr>(statement)) return stepExpr(expr);
  if (auto* choice = dyn_cast<IfStmt>(statement)) {
    step(choice->getInit());
    step(choice->getConditionVariableDeclStmt());
    return choose(choice, choice->getCond(), choice->getThen(), choice->getElse());
  }
  if (auto* choice = dyn_cast<SwitchStmt>(statement)) return select(choice);
  if (auto* declaration = dyn_cast<DeclStmt>(statement)) {
    for (const Decl* decl : declaration->decls())
      if (auto* var = dyn_cast<VarDecl>(decl); var && var->getInit()) declare(var, var->getInit());
    return;
  }
  if (isa<BreakStmt, ReturnStmt, GotoStmt>(statement)) leave();
  if (auto* own = dyn_cast<ForStmt>(statement))
    return loop(own, own->getInit(), own->getCond(), own->getInc(), own->getBody(), loopVariable(own));
  if (auto* own = dyn_cast<WhileStmt>(statement))
    return loop(own, nullptr, own->getCond(), nullptr, own->getBody(), nullptr);
  if (auto* own = dyn_cast<DoStmt>(statement))
    return loop(own, nullptr, own->getCond(), nullptr, own->getBody(), nullptr);
  if (auto* own = dyn_cast<CXXForRangeStmt>(statement)) {
    use(own->getRangeInit());
    return loop(own, nullptr, nullptr, nullptr, own->getBody(), own->getLoopVariable());
  }
  for (const Stmt* part : statement->children()) step(part);
}

void TurnSteps::branch(Steps steps, std::vector<const Expr*>& fresh) {
  const auto before = fresh_;
  all(steps);
  fresh = std::exchange(fresh_, before);
}

void TurnSteps::choose(const Stmt* statement, const Expr* condition, Steps thens, Steps elses) {
  const SharedUses uses = sharedUses(writes_, functions_, condition);
  const unsigned old = oldOf(uses.reads);
  const bool changes = llvm::any_of(uses.writes, [&](const SharedUse& write) { return isShared(write); });
  const bool first = hasEffects(thens), second = hasEffects(elses);
  if (!uses.writes.empty()) use(condition);
  if (((old & Own) || changes) && (first || second)) return differBy(nullptr);
  Assigned assigned;
  const bool isStraight = llvm::all_of(thens, [&](const Stmt* then) { return assignments(then, assigned); });
  const auto value = isStraight ? valueAfter(ast_, condition, assigned) : std::nullopt;
  Reading reading{{}, statement, statement, condition, value && !*value};
  for (const SharedUse& read : withCopies(uses.reads))
    if (isOld(read)) reading.uses.push_back(read);
  const bool both = old == Shared && first && second;
  if (both && !(value && (*value || rests(ast_, elses, assigned)))) {
    for (const SharedUse& read : reading.uses)
      if (read.expr) return differBy(read.expr);
    return differBy(nullptr);
  }
  readings_.push_back(std::move(reading));
  active_.push_back(&readings_.back());
  underOld_ += old != No;
  std::vector<const Expr*> left, right;
  branch(thens, left);
  // The next thread's condition must be as it was.
  if (both) active_.pop_back();
  branch(elses, right);
  if (!both) active_.pop_back();
  underOld_ -= old != No;
  llvm::erase_if(left, [&](const Expr* set) { return !llvm::is_contained(right, set); });
  fresh_ = std::move(left);
}

// A loop around it may end here, or the code, by what earlier turns left.
void TurnSteps::leave() {
  if (underOld_ == 0 || loops_.empty()) return;
  const Stmt* around = loops_.front().statement;
  if (hasEffects(around)) differBy(nullptr);
  taintChanged(around);
}

void TurnSteps::taintChanged(const Stmt* statement) {
  for (const VarDecl* var : changedVariables(statement)) tainted_.insert(var);
}

void TurnSteps::select(const SwitchStmt* statement) {
  step(statement->getInit());
  step(statement->getConditionVariableDeclStmt());
  use(statement->getCond());
  const bool isOld = oldOf(sharedUses(writes_, functions_, statement->getCond()).reads) != No;
  if (isOld && hasEffects(statement->getBody())) return differBy(nullptr);
  underOld_ += isOld;
  std::vector<const Expr*> ignored;
  branch(statement->getBody(), ignored);
  underOld_ -= isOld;
}

void TurnSteps::loop(const Stmt* statement, const Stmt* first, const Expr* condition, const Stmt* next,
                     const Stmt* body, const VarDecl* var) {
  step(first);
  if (auto* own = dyn_cast<WhileStmt>(statement)) step(own->getConditionVariableDeclStmt());
  const auto before = fresh_;
  loops_.push_back({statement, var});
  for (unsigned pass = 0; pass < 2 && !differs_; ++pass) {
    if (condition) {
      if (oldOf(sharedUses(writes_, functions_, condition).reads) != No) {
        if (hasEffects({body, next})) differBy(nullptr);
        taintChanged(statement);
      }
      use(condition);
    }
    step(body);
    step(next);
    fresh_ = before;
  }
  loops_.pop_back();
}

}  // namespace muster::plugin
