// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of what is a thread's own that sets and maps keep: how many these are shows how many threads there were.
#include "analysis/code/Calls.h"
#include "analysis/code/Library.h"
#include "analysis/counts/ThreadEffects.h"

namespace muster::plugin {

using namespace clang;

// Methods of sets and maps that keep a key once.
static bool keepsKey(const FunctionDecl* function) {
  if (!keepsKeysOnce(libraryClass(function))) return false;
  if (!function->getDeclName().isIdentifier()) return function->getOverloadedOperator() == OO_Subscript;
  return llvm::is_contained({"insert", "emplace", "emplace_hint", "try_emplace", "insert_or_assign"},
                            function->getName());
}

void EffectReader::keepArguments(const CallExpr* call, const Expr* object) {
  Effect effect{call->getBeginLoc()};
  if (!object || !keepsKey(call->getDirectCallee()) || !isShared(object, effect)) return;
  effect.isProtected = protected_ > 0;
  for (const Expr* argument : argumentsOf(call)) keepValue(argument, effect);
}

void EffectReader::keepValue(const Expr* value, const Effect& effect) {
  value = bareValue(value);
  auto* op = dyn_cast<UnaryOperator>(value);
  if (op && op->getOpcode() == UO_AddrOf) return keepAddressOf(op->getSubExpr(), effect);
  if (isa<CXXNewExpr>(value)) return effects.push_back(effect);
  if (isa<CXXThisExpr>(value)) {
    Effect ofObject = effect;
    ofObject.keepsObject = true;
    if (!scope_.region) effects.push_back(ofObject);
    return;
  }
  if (auto* reference = dyn_cast<DeclRefExpr>(value)) {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var || !scope_.privates.count(var)) return;
    Effect given = effect;
    given.kept = scope_.region || !var->getType()->isPointerType() ? nullptr : dyn_cast<ParmVarDecl>(var);
    if (given.kept || var->getType()->isArrayType() || (var->getType()->isPointerType() && isOwnPointer(var, false)))
      effects.push_back(given);
    return;
  }
  auto* call = dyn_cast<CallExpr>(value);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  const bool refers = function && function->isInStdNamespace() && function->getDeclName().isIdentifier() &&
                      llvm::is_contained({"addressof", "ref", "cref"}, function->getName());
  if (refers && call->getNumArgs() == 1) return keepAddressOf(call->getArg(0), effect);
  // Parts of a pair, numbers made of addresses.
  if (isa<InitListExpr, CXXStdInitializerListExpr, CXXConstructExpr, AbstractConditionalOperator, BinaryOperator>(
          value) ||
      (function && isLibrary(function)))
    for (const Stmt* part : value->children())
      if (auto* expr = dyn_cast_or_null<Expr>(part)) keepValue(expr, effect);
}

void EffectReader::keepAddressOf(const Expr* place, Effect effect) {
  const OwnPlace found = values_.writes().placeOf(place);
  if (found.isObject && !found.leadsOn && !scope_.region) {
    effect.keepsObject = true;
    return effects.push_back(effect);
  }
  if (!found.var || found.leadsOn || !scope_.privates.count(found.var)) return;
  const QualType type = found.var->getType();
  if (type->isReferenceType() || (type->isPointerType() && !isa<DeclRefExpr>(bareValue(place)))) {
    effect.kept = scope_.region ? nullptr : dyn_cast<ParmVarDecl>(found.var);
    if (!effect.kept && !(type->isPointerType() && isOwnPointer(found.var, false))) return;
  }
  effects.push_back(effect);
}

void EffectReader::followKept(const Effect& inner, const FunctionDecl* function, const Expr* use,
                              const Effect& effect) {
  // An object that is being made is its thread's own.
  if (inner.keepsObject && (!use || isa<CXXConstructExpr>(use))) return effects.push_back(effect);
  const Expr* given = use ? givenTo(use, function, inner.keepsObject ? nullptr : inner.kept) : nullptr;
  if (!given) return;
  const bool isPointer =
      given->getType()->isPointerType() && (inner.keepsObject || inner.kept->getType()->isPointerType());
  isPointer ? keepValue(given, effect) : keepAddressOf(given, effect);
}

}  // namespace muster::plugin
