// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments to what is not a thread's own: which of them do the same however often they are done, or add something.
#include "analysis/code/UpdateParts.h"
#include "analysis/counts/ThreadEffects.h"

namespace muster::plugin {

using namespace clang;

// Whether an expression is this member of the old value, or all of it.
bool EffectReader::isOld(const Expr* expr, const Target& target) const {
  expr = bareValue(expr);
  for (const FieldDecl* field : llvm::reverse(target.path)) {
    auto* member = dyn_cast<MemberExpr>(expr);
    if (!member || member->isArrow() || member->getMemberDecl() != field) return false;
    expr = bareValue(member->getBase());
  }
  const Expr* given = values_.argumentFor(expr);
  return isSame(ast_, given ? given : expr, target.place);
}

// Whether a new value is the old one and something neutral, also member by member.
bool EffectReader::addsNeutral(const Expr* value, const Target& target, std::set<NeutralNeed>& needs) {
  value = bareValue(value);
  if (isOld(value, target)) return true;
  const auto both = [&](const Expr* old, const Expr* added) { return isOld(old, target) && isNeutral(added, needs); };
  const auto either = [&](const Expr* left, const Expr* right, bool anyOrder) {
    return both(left, right) || (anyOrder && both(right, left));
  };
  if (auto* literal = dyn_cast<CompoundLiteralExpr>(value))
    return addsNeutral(literal->getInitializer(), target, needs);
  if (auto* construct = dyn_cast<CXXConstructExpr>(value))
    return construct->getNumArgs() == 1 && addsNeutral(construct->getArg(0), target, needs);
  if (auto* list = dyn_cast<InitListExpr>(value)) {
    if (InitListExpr* full = list->getSemanticForm()) list = full;
    const RecordDecl* record = list->getType()->getAsRecordDecl();
    if (!record) return list->getNumInits() == 1 && addsNeutral(list->getInit(0), target, needs);
    if (list->getNumInits() != std::size_t(std::distance(record->field_begin(), record->field_end()))) return false;
    return llvm::all_of(record->fields(), [&](const FieldDecl* field) {
      Target member = target;
      member.path.push_back(field);
      return addsNeutral(list->getInit(field->getFieldIndex()), member, needs);
    });
  }
  if (auto* op = dyn_cast<BinaryOperator>(value); op && op->isAdditiveOp())
    return either(op->getLHS(), op->getRHS(), op->getOpcode() == BO_Add);
  auto* call = dyn_cast<CallExpr>(value);
  if (!call) return false;
  if (values_.lookInto(call, [&](const Expr* only) { return addsNeutral(only, target, needs); })) return true;
  auto* op = dyn_cast<CXXOperatorCallExpr>(call);
  if (!op || op->getNumArgs() != 2 || (op->getOperator() != OO_Plus && op->getOperator() != OO_Minus)) return false;
  return either(op->getArg(0), op->getArg(1), op->getOperator() == OO_Plus);
}

// Whether a value is that of a variable of the thread's that was the old one, or has nothing of it: to assign it
// several times is to do so once.
bool EffectReader::isKept(const Expr* value, const VarDecl* target) const {
  const OwnWrites& writes = values_.writes();
  const auto copies = [&](const Expr* part, auto& self) -> bool {
    if (auto* list = dyn_cast<InitListExpr>(bareValue(part)))
      return llvm::all_of(list->inits(), [&](const Expr* init) { return self(init, self); });
    return writes.placeOf(part).isKnown() || !writes.dependsOn(part, target);
  };
  const VarDecl* own = writes.placeOf(value).var;
  if (!own || !scope_.privates.count(own) || own->getType()->isPointerType()) return false;
  return llvm::all_of(writes.of(own), [&](const OwnWrite& write) {
    return write.kind == OwnWrite::Assigned && write.value && copies(write.value, copies);
  });
}

// Whether a value is made of what it is assigned to, or of another part of that.
bool EffectReader::dependsOnTarget(const Expr* value, const Expr* target) const {
  const OwnPlace place = values_.writes().placeOf(target);
  if (place.var) return values_.writes().dependsOn(value, place.var);
  if (place.isObject && place.path.empty()) return false;
  if (!place.isObject && isSame(ast_, bareValue(value), target)) return true;
  const OwnPlace own = values_.writes().placeOf(value);
  if (place.isObject && own.isObject && !own.path.empty() && own.path.front() == place.path.front()) return true;
  return llvm::any_of(value->children(), [&](const Stmt* part) {
    auto* expr = dyn_cast_or_null<Expr>(part);
    return expr && dependsOnTarget(expr, target);
  });
}

// A new value that comes from the old one in another way.
void EffectReader::assign(const Expr* use, const Expr* target, const Expr* value) {
  Effect effect{use->getBeginLoc()};
  const VarDecl* var = values_.writes().placeOf(target).var;
  if (isKept(value, var) || scope_.reduced.count(var) || !isShared(target, effect) || !dependsOnTarget(value, target))
    return;
  effect.isNeutral = addsNeutral(value, {target}, effect.needs);
  effect.isProtected = protected_ > 0;
  effects.push_back(std::move(effect));
}

}  // namespace muster::plugin
