// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Functions.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/walk/BodyWalker.h"
#include "analysis/walk/WalkBody.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Bodies that make the walk longer than this are not worth the compile time.
static constexpr unsigned mostSteps = 200000;

void BodyWalker::run() {
  // An iteration's own pointers are there before its first loop.
  for (const auto& [var, role] : context_.roles)
    if ((role == Role::Private || role == Role::Firstprivate) && var->getType()->isPointerType())
      state_.values[var] = initialValue(var, nullptr);
  for (const DimFact& dim : context_.facts.dims) addDirectiveLoop(dim);
  for (const DimFact& dim : context_.facts.dims)
    if (dim.pointer) bind(dim.pointer, dim.value);
  for (const LinearFact& linear : context_.facts.linears) bind(linear.var, linear.value);
  for (const VarDecl* object : context_.facts.remade) walkDeclaration(object);
  useSections();
  labels_ = labelsOf(context_.facts.body);
  walk(context_.facts.body);
  for (const LockFact& lock : context_.facts.locks) checkLock(lock);
  checkCritical();
}

bool walkBody(LoopContext& context) {
  BodyWalker(context).run();
  return !context.refused();
}

void BodyWalker::walk(const Stmt* statement) {
  if (!statement || context_.refused()) return;
  if (++steps_ > mostSteps) {
    context_.refuse(statement->getBeginLoc(), say::TooLargeToAnalyse);
    return;
  }
  if (walkLocked(statement) || walkSectionUpdate(statement) || walkAtomicCall(statement)) return;
  if (auto* expr = dyn_cast<Expr>(statement)) {
    evaluate(expr);
  } else if (auto* compound = dyn_cast<CompoundStmt>(statement)) {
    for (const Stmt* child : compound->body()) {
      noteAtomicReferences(child, compound, atomicReferences_);
      walk(child);
    }
  } else if (auto* declaration = dyn_cast<DeclStmt>(statement)) {
    for (const Decl* decl : declaration->decls())
      if (auto* var = dyn_cast<VarDecl>(decl)) walkDeclaration(var);
  } else if (auto* condition = dyn_cast<IfStmt>(statement)) {
    walkIf(condition);
  } else if (auto* loop = dyn_cast<ForStmt>(statement)) {
    walkFor(loop);
  } else if (auto* loop = dyn_cast<CXXForRangeStmt>(statement)) {
    walkRangeFor(loop);
  } else if (auto* loop = dyn_cast<WhileStmt>(statement)) {
    walkOtherLoop(loop->getCond(), loop->getBody(), nullptr, true);
  } else if (auto* loop = dyn_cast<DoStmt>(statement)) {
    walkOtherLoop(loop->getCond(), loop->getBody(), nullptr, false);
  } else if (auto* choice = dyn_cast<SwitchStmt>(statement)) {
    walkSwitch(choice);
  } else if (auto* label = dyn_cast<SwitchCase>(statement)) {
    walk(label->getSubStmt());
  } else if (auto* label = dyn_cast<LabelStmt>(statement)) {
    walkLabel(label);
  } else if (isa<GotoStmt>(statement)) {
    jumped_ = true;
  } else if (auto* attributed = dyn_cast<AttributedStmt>(statement)) {
    walk(attributed->getSubStmt());
  } else if (auto* result = dyn_cast<ReturnStmt>(statement)) {
    walkReturn(result);
  } else if (auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
    walkDirective(directive);
  } else if (isa<ContinueStmt>(statement)) {
    exited_ = true;
    leave(/*continues=*/true, statement->getBeginLoc());
  } else if (isa<BreakStmt>(statement)) {
    leave(/*continues=*/false, statement->getBeginLoc());
  } else if (!isa<NullStmt>(statement)) {
    context_.refuse(statement->getBeginLoc(), say::StatementOfKind(statement->getStmtClassName()));
  }
}

void BodyWalker::walkDeclaration(const VarDecl* var) {
  if (context_.objects().bindLocal(var, bindings_)) return;
  state_.references.erase(var);
  state_.values[var] = Value::unknown();
  if (isAtomicReference(var->getType())) {
    walkAtomicReference(var);
    return;
  }
  for (QualType type = var->getType(); auto* array = context_.ast.getAsArrayType(type); type = array->getElementType())
    if (auto* variable = dyn_cast<VariableArrayType>(array)) evaluate(variable->getSizeExpr());
  if (var->getInit()) bind(var, var->getInit());
  if (auto* decomposed = dyn_cast<DecompositionDecl>(var))
    for (const BindingDecl* binding : decomposed->bindings())
      if (const VarDecl* holder = binding->getHoldingVar()) walkDeclaration(holder);
}

void BodyWalker::walkIf(const IfStmt* statement) {
  walk(statement->getInit());
  if (auto* var = statement->getConditionVariable()) walkDeclaration(var);
  evaluate(statement->getCond());
  State before = state_;
  ++conditional_;
  walkBranch(statement, true);
  State afterThen = std::move(state_);
  state_ = std::move(before);
  walkBranch(statement, false);
  --conditional_;
  join(afterThen);
}

// A label, or a case of a switch around it: what leads here does not ask the branch's condition.
static bool mayBeEnteredInside(const Stmt* statement, bool ownSwitch = false) {
  if (!statement) return false;
  if (isa<LabelStmt>(statement) || (isa<SwitchCase>(statement) && !ownSwitch)) return true;
  const bool inSwitch = ownSwitch || isa<SwitchStmt>(statement);
  return llvm::any_of(statement->children(), [&](const Stmt* child) { return mayBeEnteredInside(child, inSwitch); });
}

// The launch and all devices decide alike: floating-point arithmetic may be fused in one place and not in another.
static bool isDecidedAlike(const ASTContext& ast, const Stmt* statement) {
  if (auto* expr = dyn_cast<Expr>(statement); expr && expr->getType()->isFloatingType())
    if (ast.getLangOpts().FastMath || ast.getLangOpts().NoHonorNaNs || isa<BinaryOperator>(expr->IgnoreParens()))
      return false;
  return llvm::all_of(statement->children(), [&](const Stmt* child) { return isDecidedAlike(ast, child); });
}

// Functions that are followed have variables of their own, whose values differ from call to call.
void BodyWalker::walkBranch(const IfStmt* statement, bool taken) {
  const Expr* condition = statement->getCond();  // nullptr: `if consteval`
  bool known = false;                            // to the compiler, which leaves a branch out
  const Stmt* branch = taken ? statement->getThen() : statement->getElse();
  const bool isInvariantHere = condition && followed_.empty() && isInvariant(context_, condition) &&
                               isDecidedAlike(context_.ast, condition) && !mayBeEnteredInside(branch) &&
                               !condition->EvaluateAsBooleanCondition(known, context_.ast);
  if (isInvariantHere) invariantConditions_.emplace_back(condition, taken);
  walk(branch);
  if (isInvariantHere) invariantConditions_.pop_back();
}

std::set<unsigned> BodyWalker::conditions() {
  std::set<unsigned> symbols;
  for (const auto& [condition, holds] : invariantConditions_) {
    const std::string text =
        "((" + invariantText(context_.ast, context_.objects(), condition) + ") ? " + (holds ? "1 : 0)" : "0 : 1)");
    const AffineExpr form = symbol(condition, text, (holds ? "" : "not ") + sourceText(context_.ast, condition));
    symbols.insert(form.constant.begin()->first.front());
  }
  return symbols;
}

void BodyWalker::walkSwitch(const SwitchStmt* statement) {
  walk(statement->getInit());
  if (auto* var = statement->getConditionVariable()) walkDeclaration(var);
  evaluate(statement->getCond());
  // Any case may come first, and the one before may fall through: what the body changes is unknown in all of it.
  auto changed = changedIn(statement->getBody());
  forget(changed);
  const State assumed = state_;
  left_.push_back({assumed, false});
  maybe([&] { walk(statement->getBody()); });
  left_.pop_back();
  checkPointers(assumed, statement->getBeginLoc());
  forget(changed);
}

void BodyWalker::walkFor(const ForStmt* loop) {
  auto dim = canonicalLoop(loop);
  if (dim) {
    auto changed = changedIn(loop->getBody());
    if (!changed.count(dim->var)) {
      walkCountedLoop(*dim);
      return;
    }
  }
  walk(loop->getInit());
  walkOtherLoop(loop->getCond(), loop->getBody(), loop->getInc(), true);
}

void BodyWalker::walkCountedLoop(const DimFact& dim) {
  const Stmt* body = dim.loop->getBody();
  auto changed = changedIn(body);
  if (dim.declaredInLoop) context_.declaredInside.insert(dim.var);
  LoopVariable variable = boundsOf(dim);
  if (mentions(dim.bound, changed) || mentions(dim.step, changed)) {
    variable.bounded = variable.surelyRuns = false;
    variable.least = variable.most = std::nullopt;
    variable.stride = std::nullopt;
    variable.passed = std::nullopt;
  }
  const unsigned number = context_.variables.size();
  Place counter;
  counter.variable = dim.var;
  if (!dim.declaredInLoop) store(counter, Value::unknown(), dim.lower);  // refuses one that is shared
  context_.variables.push_back(variable);
  const State before = state_;
  forget(changed);
  const State assumed = state_;
  followInductions(dim.loop, variable, before);
  state_.values[dim.var] = variable.bounded ? Value::of(variableForm(number)) : Value::unknown();
  const bool exitedBefore = exited_;
  const bool early = hasEarlyExit(body);
  if (early) ++conditional_;
  auto run = variable.bounded ? subtract(variable.largest, variable.smallest) : std::nullopt;
  const std::size_t runs = runs_.size();
  if (run && run->factors.empty() && run->guards.empty()) runs_.push_back(run->constant);
  enclosing_.push_back(number);
  left_.push_back({assumed, true});
  walk(body);
  left_.pop_back();
  enclosing_.pop_back();
  runs_.resize(runs);
  if (early) --conditional_;
  exited_ = exitedBefore || (early && !frames_.empty());
  checkPointers(assumed, dim.loop->getBeginLoc());
  forget(changed);
  state_.values[dim.var] = Value::unknown();
}

// Over a local array or std::array: its iterator is a pointer that the loop moves within it.
void BodyWalker::walkRangeFor(const CXXForRangeStmt* loop) {
  walk(loop->getInit());
  walk(loop->getRangeStmt());
  walk(loop->getBeginStmt());
  walk(loop->getEndStmt());
  auto changed = changedIn(loop->getBody());
  for (const VarDecl* var : changedVariables(loop->getInc())) changed.insert(var);
  forget(changed);
  const State assumed = state_;
  const bool exitedBefore = exited_;
  ++conditional_;
  left_.push_back({assumed, true});
  walk(loop->getCond());
  walk(loop->getLoopVarStmt());
  walk(loop->getBody());
  walk(loop->getInc());
  left_.pop_back();
  --conditional_;
  exited_ = exitedBefore || (hasEarlyExit(loop->getBody()) && !frames_.empty());
  checkPointers(assumed, loop->getBeginLoc());
  forget(changed);
}

static bool isFirstTest(const Stmt* condition, const BinaryOperator* test) {
  auto* op = dyn_cast<BinaryOperator>(cast<Expr>(condition)->IgnoreParenImpCasts());
  while (op && op->getOpcode() == BO_LAnd) op = dyn_cast<BinaryOperator>(op->getLHS()->IgnoreParenImpCasts());
  return op == test;
}

void BodyWalker::walkOtherLoop(const Stmt* condition, const Stmt* body, const Expr* increment, bool testsFirst) {
  auto changed = changedIn(body);
  for (const Stmt* part : {condition, static_cast<const Stmt*>(increment)})
    for (const VarDecl* var : changedIn(part)) changed.insert(var);
  std::vector<Counter> counters;
  if (testsFirst) counters = countersOf(condition, body, increment, changed);
  forget(changed);
  const State assumed = state_;
  const bool exitedBefore = exited_;
  ++conditional_;
  ++uncounted_;
  std::map<const VarDecl*, Value> counting;
  for (const Counter& counter : counters)
    counting[counter.var] = between(counter.low, counter.high, counter.var->getNameAsString());
  // `k < n && a[k] > 0`: the rest of the condition comes after the test.
  if (!counters.empty() && isFirstTest(condition, counters.front().test))
    state_.values[counters.front().var] = counting[counters.front().var];
  left_.push_back({assumed, true});
  walk(condition);
  for (const auto& [var, value] : counting) state_.values[var] = value;
  walk(body);
  walk(increment);
  left_.pop_back();
  --conditional_;
  --uncounted_;
  exited_ = exitedBefore || (hasEarlyExit(body) && !frames_.empty());
  checkPointers(assumed, body->getBeginLoc());
  forget(changed);
}

// Whoever jumps here was in the label's block. What that changes may have any value, and point anywhere.
void BodyWalker::walkLabel(const LabelStmt* label) {
  for (const VarDecl* var : changedIn(labels_.blocks.lookup(label->getDecl())))
    if (auto known = state_.values.find(var); known != state_.values.end()) known->second = Value::unknown();
  if (labels_.landing == label->getDecl()) jumped_ = jumpedBefore_;
  walk(label->getSubStmt());
}

void BodyWalker::walkReturn(const ReturnStmt* statement) {
  exited_ = true;
  const Expr* result = statement->getRetValue();
  if (frames_.empty()) return;
  if (!result) {
    exits_.back().push_back(state_);
    return;
  }
  const bool isPlace = result->isGLValue();
  Place place;
  Value value;
  if (isPlace)
    place = this->place(result);
  else
    value = evaluate(result);
  Returned& frame = frames_.back();
  if (frame.any) {
    value = unite(frame.value, value);
    if (isPlace && (place.variable || frame.place.variable)) {
      context_.refuse(statement->getBeginLoc(), say::ReturnsSeveralReferences);
      return;
    }
    place.elements.insert(place.elements.end(), frame.place.elements.begin(), frame.place.elements.end());
  }
  frame = {true, value, place};
  exits_.back().push_back(state_);
}

}  // namespace muster::plugin
