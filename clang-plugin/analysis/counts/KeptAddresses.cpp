// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of what is a thread's own that sets and maps keep: how many these are shows how many threads there were.
#include "analysis/code/Calls.h"
#include "analysis/code/Library.h"
#include "analysis/counts/ThreadEffects.h"
#include "clang/AST/DeclTemplate.h"

namespace muster::plugin {

using namespace clang;

// Methods of sets and maps that keep a key once.
static bool keepsKey(const FunctionDecl* function) {
  if (!keepsKeysOnce(libraryClass(function))) return false;
  if (!function->getDeclName().isIdentifier()) return function->getOverloadedOperator() == OO_Subscript;
  return llvm::is_contained({"insert", "emplace", "emplace_hint", "try_emplace", "insert_or_assign"},
                            function->getName());
}

// `data()`, or iterators of pointers.
static bool givesPointers(const CallExpr* call) {
  if (call->getType()->isPointerType()) return true;
  const CXXRecordDecl* object = cast<CXXMethodDecl>(call->getDirectCallee())->getParent();
  auto* instance = dyn_cast<ClassTemplateSpecializationDecl>(object);
  if (!instance || instance->getTemplateArgs().size() == 0 || call->getType()->isArithmeticType()) return false;
  const TemplateArgument& element = instance->getTemplateArgs()[0];
  return element.getKind() == TemplateArgument::Type && element.getAsType()->isPointerType();
}

// A variable of the code around a lambda, perhaps a thread's own.
bool EffectReader::isCaptured(const VarDecl* var) const {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(scope_.function);
  return method && method->getParent()->isLambda() && var->hasLocalStorage() && !scope_.privates.count(var);
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
    if (var && isCaptured(var) && (var->getType()->isArrayType() || var->getType()->isPointerType()))
      return effects.push_back(effect);
    if (!var || !scope_.privates.count(var)) return;
    Effect given = effect;
    given.kept = scope_.region || !var->getType()->isPointerType() ? nullptr : dyn_cast<ParmVarDecl>(var);
    if (given.kept || var->getType()->isArrayType() || (var->getType()->isPointerType() && isOwnPointer(var, false)))
      effects.push_back(given);
    return;
  }
  auto* call = dyn_cast<CallExpr>(value);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  // Of an object of the thread's: a pointer that is a part of it, and what its methods give.
  const bool isPart = isa<MemberExpr, ArraySubscriptExpr>(value) && value->getType()->isPointerType();
  auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
  if (isPart) return keepAddressOf(value, effect);
  if (method && isLibrary(method) && objectOf(call) && givesPointers(call))
    return keepAddressOf(objectOf(call), effect);
  // It is compared by its characters.
  auto* construct = dyn_cast<CXXConstructExpr>(value);
  const llvm::StringRef made = construct ? libraryClass(construct->getConstructor()) : "";
  if (made == "basic_string" || made == "basic_string_view") return;
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
  if (found.var && !found.leadsOn && isCaptured(found.var)) return effects.push_back(effect);
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
