// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/counts/ThreadEffects.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/objects/Objects.h"
#include "analysis/teams/ThreadQueries.h"

namespace muster::plugin {

using namespace clang;

namespace {

bool isOperation(unsigned kind) {
  return kind == MUSTER_REDUCE_ADD || kind == MUSTER_REDUCE_MUL || kind == MUSTER_REDUCE_XOR;
}

// Whether code takes a lock: nothing says for how long.
class LockFinder : public ByAllVisitor {
 public:
  using ByAllVisitor::ByAllVisitor;
  bool VisitExpr(Expr* expr) override { return !takesLock(expr); }
};

}  // namespace

llvm::StringRef libraryClass(const CXXRecordDecl* record) {
  return record && record->isInStdNamespace() && record->getIdentifier() ? record->getName() : "";
}

llvm::StringRef libraryClass(const FunctionDecl* function) {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
  return libraryClass(method ? method->getParent() : nullptr);
}

bool keepsKeysOnce(llvm::StringRef type) {
  return llvm::is_contained({"set", "map", "unordered_set", "unordered_map"}, type);
}

void EffectReader::run() {
  Stmt* code = const_cast<Stmt*>(scope_.code);
  protected_ = !byLibrary_ && !LockFinder(values_.writes().once()).TraverseStmt(code);
  if (auto* constructor = dyn_cast_or_null<CXXConstructorDecl>(scope_.function))
    for (const CXXCtorInitializer* part : constructor->inits()) TraverseStmt(part->getInit());
  if (scope_.region)
    for (VarDecl* copy : objectCopies(scope_.region)) {
      VisitVarDecl(copy);
      TraverseStmt(copy->getInit());
    }
  TraverseStmt(code);
}

// Whether a thread's copy begins with what the variable in front of the region has.
bool EffectReader::isGiven(const VarDecl* var) const {
  if (!scope_.region || scope_.uninitialised.count(var)) return false;
  const SourceManager& sources = ast_.getSourceManager();
  const auto place = [&](SourceLocation loc) { return sources.getFileLoc(loc); };
  return !sources.isPointWithin(place(var->getLocation()), place(scope_.code->getBeginLoc()),
                                place(scope_.code->getEndLoc()));
}

bool EffectReader::isOwnPointer(const VarDecl* pointer, bool surely, unsigned depth) const {
  if (depth > 8 || isa<ParmVarDecl>(pointer) || isGiven(pointer)) return false;
  return llvm::all_of(values_.writes().of(pointer), [&](const OwnWrite& write) {
    const bool points = write.kind == OwnWrite::Assigned && write.path.empty() && write.value &&
                        write.value->getType()->isPointerType();
    if (!points) return write.kind != OwnWrite::Unknown || !surely;
    const Expr* value = bareValue(write.value);
    if (isa<CXXNewExpr>(value)) return true;
    if (auto* call = dyn_cast<CallExpr>(value)) {
      const FunctionDecl* function = call->getDirectCallee();
      return function && llvm::is_contained({"malloc", "calloc", "aligned_alloc"}, nameOfCallee(function));
    }
    const OwnPlace place = values_.writes().placeOf(value);
    const VarDecl* var = place.var;
    if (!var || !scope_.privates.count(var) || place.leadsOn) return false;
    // A pointer that is a member or an element.
    if (!isa<DeclRefExpr>(value) && value->isGLValue() && value->getType()->isPointerType()) return false;
    return var->getType()->isPointerType() ? isOwnPointer(var, surely, depth + 1) : !var->getType()->isReferenceType();
  });
}

bool EffectReader::isShared(const Expr* place, Effect& effect) const {
  const OwnPlace found = values_.writes().placeOf(place);
  if (found.leadsOn) return true;
  if (found.isObject && !scope_.region) {
    effect.isObject = true;
    return true;
  }
  const VarDecl* var = found.var;
  effect.var = var;
  if (!var || !scope_.privates.count(var)) return true;
  const QualType type = var->getType();
  if (!type->isPointerType() && !type->isReferenceType()) return false;
  // The pointer itself is the thread's.
  if (type->isPointerType() && isa<DeclRefExpr>(bareValue(place)) && bareValue(place)->getType()->isPointerType() &&
      place->isGLValue())
    return false;
  if (type->isPointerType() && isOwnPointer(var)) return false;
  effect.parameter = scope_.region ? nullptr : dyn_cast<ParmVarDecl>(var);
  return true;
}

void EffectReader::change(const Expr* use, const Expr* target, unsigned kind, const Expr* value, bool isProtected) {
  const bool picks = kind == MUSTER_REDUCE_MIN || kind == MUSTER_REDUCE_MAX;
  const VarDecl* changed = values_.writes().placeOf(target).var;
  const bool again = value && !picks && !isOperation(kind) && changed && mentions(value, {changed});
  if (!again && !isOperation(kind) && !(picks && value && values_.comparesParts(value))) return;
  Effect effect{use->getBeginLoc()};
  if (scope_.reduced.count(changed) || !isShared(target, effect)) return;
  effect.isNeutral = !picks && !again && values_.isNeutral(value, kind);
  if (!picks && !again) effect.needs = values_.needs;
  effect.isProtected = isProtected;
  effects.push_back(std::move(effect));
}

void EffectReader::operate(const Expr* use, const Expr* target, BinaryOperatorKind opcode, const Expr* value) {
  if (opcode == BO_Add || opcode == BO_Sub || opcode == BO_Xor)
    change(use, target, opcode == BO_Xor ? MUSTER_REDUCE_XOR : MUSTER_REDUCE_ADD, value, protected_ > 0);
  else if (opcode == BO_Mul || opcode == BO_Div)
    change(use, target, MUSTER_REDUCE_MUL, value, protected_ > 0);
  else if (opcode == BO_Shl || opcode == BO_Shr || dependsOnTarget(value, target))
    change(use, target, MUSTER_REDUCE_MUL, nullptr, protected_ > 0);
}

void EffectReader::changeBy(const Expr* use, const UpdateFact& update) {
  // Each thread turns it around.
  const bool turns = update.valueFirst && (update.opcode == BO_Sub || update.opcode == BO_Div);
  const bool known = update.kind != MUSTER_REDUCE_ADD || update.opcode == BO_Add || update.opcode == BO_Sub;
  if (update.opcode == BO_Div && !turns)
    change(use, update.target, MUSTER_REDUCE_MUL, update.value, protected_ > 0);
  else
    change(use, update.target, update.kind, known && !turns ? update.value : nullptr, protected_ > 0);
}

bool EffectReader::VisitCallExpr(CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (onlyFollows() || !function) return true;
  const Expr* object = objectOf(call);
  auto* op = dyn_cast<CXXOperatorCallExpr>(call);
  const bool isAtomic = libraryClass(function).contains("atomic");
  keepArguments(call, object);
  repeat(call, object);
  if (op && (function->isTrivial() || function->isDefaulted() || isLibrary(function))) {
    const Expr* target = call->getArg(0);
    const OverloadedOperatorKind kind = op->getOperator();
    if (kind == OO_PlusPlus || kind == OO_MinusMinus)
      change(op, target, MUSTER_REDUCE_ADD, nullptr, isAtomic);
    else if (kind == OO_Equal && call->getNumArgs() == 2)
      assign(op, target, call->getArg(1));
    else if (op->isAssignmentOp() && call->getNumArgs() == 2)
      change(op, target, kind == OO_StarEqual || kind == OO_SlashEqual ? MUSTER_REDUCE_MUL : MUSTER_REDUCE_ADD,
             call->getArg(1), isAtomic || protected_ > 0);
    return true;
  }
  if (object && isAtomic && function->getDeclName().isIdentifier() && call->getNumArgs() > 0 &&
      (function->getName() == "fetch_add" || function->getName() == "fetch_sub"))
    change(call, object, MUSTER_REDUCE_ADD, call->getArg(0), true);
  return true;
}

void EffectReader::follow(const CalledCode& called, const Expr* use, SourceLocation loc) {
  for (const FunctionDecl* function : called.functions) {
    if (written_.count(function) && protected_ == 0) continue;
    if (!inTurn_)
      for (const Effect& effect : all_.read(function)->effects) followEffect(effect, function, use, loc);
    if (inTurn_ || protected_ > 0)
      for (const Effect& effect : all_.readTurn(function)->effects) followEffect(effect, function, use, loc);
  }
}

void EffectReader::followEffect(const Effect& inner, const FunctionDecl* function, const Expr* use,
                                SourceLocation loc) {
  Effect effect{loc};
  effect.isProtected = inner.isProtected || protected_ > 0;
  effect.isNeutral = inner.isNeutral;
  if (inner.isObject || inner.parameter) {
    // An object that is being made is its thread's own.
    if (inner.isObject && (!use || isa<CXXConstructExpr>(use))) return;
    const Expr* given = use ? givenTo(use, function, inner.isObject ? nullptr : inner.parameter) : nullptr;
    if (given && !isShared(given, effect)) return;
  } else {
    effect.var = inner.var;
    // What a lambda expression captured.
    if (inner.var && scope_.privates.count(inner.var) && !inner.var->getType()->isReferenceType()) return;
  }
  for (const NeutralNeed& need : inner.needs) {
    const Expr* given = use ? givenTo(use, function, need.parameter) : nullptr;
    effect.isNeutral = effect.isNeutral && values_.isNeutral(given, need.kind, need.path);
    if (given) effect.needs.insert(values_.needs.begin(), values_.needs.end());
  }
  if (inner.kept || inner.keepsObject)
    followKept(inner, function, use, effect);
  else
    effects.push_back(std::move(effect));
}

}  // namespace muster::plugin
