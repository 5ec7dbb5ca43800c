// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates in the walk over a body: `omp atomic`, `omp critical` around one update, and reductions over arrays.
#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/SimdLoops.h"
#include "analysis/walk/BodyWalker.h"
#include "clang/AST/OpenMPClause.h"
#include "llvm/Support/SaveAndRestore.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

// A device reduces into its own copy of the whole section, wherever the body's indexes are.
void BodyWalker::useSections() {
  for (const SectionFact& section : context_.facts.sections) {
    AccessFact access;
    access.update = true;
    access.op = section.kind;
    access.array = section.array;
    access.conditional = true;
    access.reason = say::ReductionIsReplicated(section.var->getNameAsString());
    access.loc = section.item->getExprLoc();
    context_.facts.accesses.push_back(std::move(access));
    context_.facts.arrays[section.array].updated = true;
  }
}

// False: nothing is to be recorded, because the array's section is recorded already or the loop is refused.
bool BodyWalker::checkSection(const Pointer& pointer, const AccessMode& mode, const Expr* expr) {
  for (const SectionFact& section : context_.facts.sections) {
    if (section.array != pointer.array) continue;
    if (!mode.update)
      context_.refuse(expr->getExprLoc(), say::ReductionUsedOtherwise(section.var->getNameAsString()));
    else if (mode.op != section.kind)
      context_.refuse(expr->getExprLoc(), say::UpdatesByAnotherOperator(section.var->getNameAsString()));
    return false;
  }
  return true;
}

// The variable whose element it is, if the text says so.
static const ValueDecl* elementOf(const Expr* target) {
  target = withoutSubscripts(target->IgnoreParenImpCasts());
  auto* reference = dyn_cast<DeclRefExpr>(target);
  return reference ? reference->getDecl() : nullptr;
}

// A statement that updates an element of an array that is reduced. False: it is to be walked as any other.
bool BodyWalker::walkSectionUpdate(const Stmt* statement) {
  if (context_.facts.sections.empty()) return false;
  auto update = updateForm(context_.ast, statement);
  if (!update || !update->commutes || isa<CompoundStmt>(statement) ||
      isa<DeclRefExpr>(update->target->IgnoreParenImpCasts()) ||
      update->target->HasSideEffects(context_.ast, /*IncludePossibleEffects=*/false))
    return false;
  const ValueDecl* named = elementOf(update->target);
  if (llvm::any_of(context_.facts.sections, [&](const SectionFact& section) { return section.var == named; })) {
    walkUpdate(statement, *update);
    return true;
  }
  // Whose element it is shows only once it is walked; calls in it would then be walked twice.
  if (update->target->HasSideEffects(context_.ast)) return false;
  const Place target = place(update->target);
  const bool inSection = llvm::any_of(target.elements, [&](const Pointer& pointer) {
    return !pointer.local && llvm::any_of(context_.facts.sections,
                                          [&](const SectionFact& section) { return section.array == pointer.array; });
  });
  if (inSection) walkUpdate(statement, *update);
  return inSection;
}

// A call whose result nothing uses, and that is an update. False: it is to be walked as any other.
bool BodyWalker::walkAtomicCall(const Stmt* statement) {
  const auto update = atomicCall(context_.ast, statement, atomicReferences_);
  if (update) walkUpdate(statement, *update);
  return update.has_value();
}

// A call that sets or unsets a lock around updates, or one of these. False: it is to be walked as any other.
bool BodyWalker::walkLocked(const Stmt* statement) {
  for (const LockFact& lock : context_.facts.locks) {
    if (llvm::is_contained(lock.calls, statement)) {
      held_ = statement == lock.calls.back() ? nullptr : &lock;
      return true;
    }
    if (!llvm::is_contained(lock.updates, statement)) continue;
    walkUpdate(statement, *protectedUpdate(context_.ast, statement));
    return true;
  }
  return false;
}

// An update happens alone on a device, but what it reads was read before. So nothing under a lock or `critical` may
// read what is updated under one.
BodyWalker::LockedReads BodyWalker::readsUnder(const LockFact& lock) {
  const auto changes = [](const LockedUse& use) { return use.changes(); };
  LockedReads reads = LockedReads::none;
  if (llvm::none_of(lockedUses_, changes)) return reads;
  for (const LockedUse& use : lockedUses_) {
    if (use.lock != &lock || use.mode.ordered || use.changes()) continue;
    reads = LockedReads::ofOthers;
    if (llvm::none_of(lockedUses_, [&](const LockedUse& of) { return of.array == use.array && of.changes(); }))
      continue;
    context_.refuse(use.loc, (&lock == &critical_ ? say::ReadsInCritical : say::ReadsUnderLock)(
                                 context_.facts.arrays[use.array].var->getNameAsString()));
    return LockedReads::ofUpdated;
  }
  return reads;
}

void BodyWalker::checkCritical() {
  if (readsUnder(critical_) == LockedReads::ofOthers) context_.facts.needsDistinct |= context_.facts.arrays.size() > 1;
}

// Nor do all updates under a lock happen together: those that stand together have to commute together.
void BodyWalker::checkLock(const LockFact& lock) {
  LoopFacts& facts = context_.facts;
  const LockedReads reads = readsUnder(lock);
  if (reads == LockedReads::ofUpdated) return;
  std::set<unsigned> kinds;
  for (const Stmt* update : lock.updates) kinds.insert(protectedUpdate(context_.ast, update)->kind);
  std::map<unsigned, unsigned> operations;
  for (const LockedUse& use : lockedUses_) {
    if (use.lock != &lock || !use.changes()) continue;
    const bool isNew = operations.try_emplace(use.array, use.mode.op).first->second == use.mode.op;
    if (isNew && !(use.mode.ordered && kinds.size() > 1)) continue;
    context_.refuse(use.loc, say::UpdatesBySeveralOperators(facts.arrays[use.array].var->getNameAsString()));
    return;
  }
  // Natively they stay together, which is right even where two of the arrays are one.
  if (operations.empty() || (kinds.size() < 2 && reads == LockedReads::none)) return;
  facts.locksAreCritical = true;
  facts.needsDistinct |= facts.arrays.size() > 1;
}

// An atomic function whose result is used: as `omp atomic capture`. False: it is to be walked as any other.
bool BodyWalker::walkFetch(const Expr* expr) {
  const auto update = atomicCall(context_.ast, expr, atomicReferences_);
  if (!update) return false;
  if (uncounted_ > 0 || !labels_.blocks.empty()) return !context_.refuse(expr->getBeginLoc(), say::AtomicResultMayWait);
  const Place target = placeOfUpdate(expr, *update);
  if (target.variable) return false;
  use(target, {{.ordered = true}, {.write = true, .ordered = true}}, update->target);
  context_.facts.fetches[expr] = *update;
  return true;
}

// Updates through it name the element again.
void BodyWalker::walkAtomicReference(const VarDecl* var) {
  if (isStableReference(var, atomicReferences_))
    place(referredBy(var->getInit()));
  else
    context_.refuse(var->getLocation(),
                    say::DeclaresNoFixedElement(var->getNameAsString(), typeInWords(context_.ast, var->getType())));
}

void BodyWalker::walkDirective(const OMPExecutableDirective* directive) {
  if (auto* atomic = dyn_cast<OMPAtomicDirective>(directive)) {
    walkAtomic(atomic);
    return;
  }
  if (auto* simd = dyn_cast<OMPSimdDirective>(directive)) return walkSimd(simd);
  if (const Stmt* loop = withoutTransformations(directive); loop != directive) return walk(loop);
  if (isa<OMPFlushDirective>(directive)) {
    if (uncounted_ > 0 || !labels_.blocks.empty()) context_.refuse(directive->getBeginLoc(), say::FlushMayWait);
    return;
  }
  if (auto* critical = dyn_cast<OMPCriticalDirective>(directive)) {
    const llvm::SaveAndRestore held(held_, &critical_);
    if (context_.facts.needlessCriticals.count(critical)) return walk(critical->getAssociatedStmt());
    if (auto update = updateOf(context_.ast, critical)) return walkUpdate(directive, *update);
  }
  context_.refuse(directive->getBeginLoc(), say::AnotherDirective);
}

// Its iterations in their order.
void BodyWalker::walkSimd(const OMPSimdDirective* directive) {
  if (const Expr* condition = conditionOf(directive)) evaluate(condition);
  const auto own = ownVariables(directive), following = followingVariables(directive);
  std::map<const VarDecl*, Value> kept;
  for (const VarDecl* var : own)
    if (auto known = state_.values.find(var); known != state_.values.end())
      kept[var] = std::exchange(known->second, Value::unknown());
  const auto move = [&] {
    for (const VarDecl* var : following) {
      checkStore(var, cast<OMPLoopDirective>(directive)->getIterationVariable());
      state_.values[var] = Value::unknown();
    }
  };
  move();
  walk(directive->getRawStmt());
  move();
  for (auto& [var, value] : kept) state_.values[var] = std::move(value);
}

void BodyWalker::walkAtomic(const OMPAtomicDirective* directive) {
  static constexpr AccessMode orderedRead{.ordered = true}, orderedWrite{.write = true, .ordered = true};
  if (auto update = updateOf(context_.ast, directive); update && !hasClause<OMPCaptureClause>(directive)) {
    walkUpdate(directive, *update);
    return;
  }
  for (const Expr* value : {directive->getExpr(), static_cast<const Expr*>(directive->getD())})
    if (value && !hasClause<OMPReadClause>(directive)) valueOf(value);
  const Expr* target = directive->getX();
  if (hasClause<OMPReadClause>(directive))
    use(place(target), {{.atomic = true}}, target);
  else if (hasClause<OMPWriteClause>(directive))
    use(place(target), {{.write = true, .atomic = true}}, target);
  else
    use(place(target), {orderedRead, orderedWrite}, target);
  for (const Expr* copy : {directive->getV(), directive->getR()})
    if (copy) store(place(copy), Value::unknown(), copy);
}

// In the order in which clang evaluates them: operators take the right operand first, functions their arguments from
// the left.
Place BodyWalker::placeOfUpdate(const Stmt* statement, const UpdateFact& update) {
  const bool isFunction = update.isCall && !isa<CXXOperatorCallExpr>(statement);
  if (update.value && !isFunction) valueOf(update.value);
  Place target = place(update.target);
  if (update.value && isFunction) valueOf(update.value);
  return target;
}

void BodyWalker::walkUpdate(const Stmt* statement, const UpdateFact& update) {
  const Place target = placeOfUpdate(statement, update);
  if (update.commutes)
    use(target, {{.update = true, .op = update.kind}}, update.target);
  else
    use(target, {{.ordered = true}, {.write = true, .ordered = true}}, update.target);
  context_.facts.updates[statement] = update;
}

void BodyWalker::use(const Place& place, std::initializer_list<AccessMode> modes, const Expr* expr) {
  const bool changes = llvm::any_of(modes, [](const AccessMode& mode) { return mode.write || mode.update; });
  for (const Pointer& pointer : place.elements) {
    for (const AccessMode& mode : modes) record(pointer, mode, place.elements.size() > 1, expr);
    if (!pointer.local || !changes) continue;
    checkStore(pointer.local, expr);
    state_.values[pointer.local] = Value::unknown();
  }
  if (!place.variable || !changes) return;
  checkStore(place.variable, expr);
  state_.values[place.variable] = Value::unknown();
}

// `compare and swap` of an element: who comes first is known to one device alone, on which an iteration may also wait
// for another one, as it may in the plain program.
bool BodyWalker::walkExchange(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function || function->getBuiltinID() == 0 || !function->getDeclName().isIdentifier() || call->getNumArgs() != 3)
    return false;
  const llvm::StringRef name = function->getName();
  if (!name.starts_with("__sync_bool_compare_and_swap") && !name.starts_with("__sync_val_compare_and_swap"))
    return false;
  const Expr* target = pointedTo(context_.ast, call->getArg(0));
  if (!target || target->getType().isVolatileQualified()) return false;
  const Place element = place(target);
  for (const Expr* value : {call->getArg(1), call->getArg(2)}) valueOf(value);
  use(element, {{.ordered = true}, {.write = true, .ordered = true}}, target);
  context_.facts.refuseKernel(call->getBeginLoc(), say::IterationsMayWait(nameOfCallee(function)));
  return true;
}

}  // namespace muster::plugin
