// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of the library do to things that all threads know, one thread after the other.
#include "analysis/code/Calls.h"
#include "analysis/code/Library.h"
#include "analysis/counts/ThreadEffects.h"

namespace muster::plugin {

using namespace clang;

namespace {

llvm::StringRef classOf(QualType type) { return libraryClass(type.getNonReferenceType()->getAsCXXRecordDecl()); }

bool isIterator(const Expr* expr) {
  return expr->getType()->isPointerType() || classOf(bareValue(expr)->getType()).contains("iterator");
}

bool isOneOf(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return llvm::is_contained(names, name);
}

// Methods that do more the more often they are called.
bool growsObject(llvm::StringRef type, llvm::StringRef method, const CallExpr* call) {
  const bool keepsKeys = keepsKeysOnce(type);
  if (isOneOf(method, {"push_back", "emplace_back", "push_front", "emplace_front", "push", "pop", "pop_back",
                       "pop_front", "append", "swap", "flip", "splice", "extract", "getline", "get", "put", "ignore"}))
    return !(method == "get" && !type.contains("stream"));
  if (method == "erase") return !keepsKeys || (call->getNumArgs() > 0 && isIterator(call->getArg(0)));
  return !keepsKeys && isOneOf(method, {"insert", "emplace"});
}

// Of files, the numbers of all threads, and sequences of elements: each call goes on where the last one ended.
bool goesOn(const FunctionDecl* function) {
  return function->getIdentifier() && !isa<CXXMethodDecl>(function) &&
         isOneOf(function->getName(), {"scanf", "fscanf", "fread", "fgets", "getchar", "fgetc", "getc", "rand",
                                       "random", "drand48", "lrand48", "mrand48"});
}

bool turnsElements(llvm::StringRef name) {
  return isOneOf(name, {"rotate", "reverse", "shuffle", "random_shuffle", "next_permutation", "prev_permutation",
                        "swap", "iter_swap", "swap_ranges", "partial_sum", "inclusive_scan", "exclusive_scan",
                        "adjacent_difference", "shift_left", "shift_right", "exchange"});
}

bool callsLength(const Stmt* statement) {
  auto* call = dyn_cast<CallExpr>(statement);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (function && function->getIdentifier() && function->getName() == "strlen") return true;
  return llvm::any_of(statement->children(), [](const Stmt* part) { return part && callsLength(part); });
}

// A function that is given elements of its own to change.
bool changesElements(const Expr* given) {
  const CXXRecordDecl* closure = bareValue(given)->getType()->getAsCXXRecordDecl();
  const CXXMethodDecl* body = closure && closure->isLambda() ? closure->getLambdaCallOperator() : nullptr;
  return body && body->getNumParams() > 0 && body->getParamDecl(0)->getType()->isLValueReferenceType() &&
         !body->getParamDecl(0)->getType()->getPointeeType().isConstQualified();
}

}  // namespace

// What such a call changes, so that another call changes it again.
std::vector<const Expr*> EffectReader::changedAgain(const CallExpr* call, const Expr* object) const {
  const FunctionDecl* function = call->getDirectCallee();
  const auto arguments = argumentsOf(call);
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(call)) {
    const Expr* first = call->getArg(0);
    const llvm::StringRef type = classOf(bareValue(first)->getType());
    const bool moves = op->getOperator() == OO_LessLess || op->getOperator() == OO_GreaterGreater;
    if (moves && type.ends_with("stream") && type != "basic_ostream") return {first};
    if (op->getOperator() != OO_Call) return {};
    if (type.contains("_engine")) return {first};
    if (type.contains("distribution") && call->getNumArgs() > 1) return {call->getArg(1)};
    return {};
  }
  if (!function->getDeclName().isIdentifier()) return {};
  const llvm::StringRef name = function->getName();
  if (auto* method = dyn_cast<CXXMethodDecl>(function)) {
    const llvm::StringRef type = libraryClass(method);
    if (!object || type.empty()) return {};
    const VarDecl* var = values_.writes().placeOf(object).var;
    const bool byItself =
        name == "resize" && var && !arguments.empty() && values_.writes().dependsOn(arguments.front(), var);
    return byItself || growsObject(type, name, call) ? std::vector{object} : std::vector<const Expr*>();
  }
  const auto varOf = [&](unsigned i) { return values_.writes().placeOf(arguments[i]).var; };
  if (isOneOf(name, {"strcat", "strncat"}) && !arguments.empty()) return {arguments.front()};
  // Text behind text.
  if (isOneOf(name, {"sprintf", "snprintf"}) && !arguments.empty() && callsLength(arguments.front()))
    return {arguments.front()};
  if (isOneOf(name, {"memmove", "memcpy"}) && arguments.size() == 3 && varOf(0) && varOf(0) == varOf(1))
    return {arguments.front()};
  if (!function->isInStdNamespace()) return {};
  if (isOneOf(name, {"copy", "copy_backward", "move_backward"}) && arguments.size() == 3 && varOf(0) &&
      varOf(0) == varOf(2))
    return {arguments.back()};
  if (turnsElements(name) || name == "getline") return arguments;
  if (isOneOf(name, {"for_each", "for_each_n"}) && !arguments.empty() && changesElements(arguments.back()))
    return arguments;
  if (name == "transform" && arguments.size() >= 4 && varOf(0) && varOf(0) == varOf(arguments.size() - 2))
    return arguments;
  return {};
}

void EffectReader::repeat(const CallExpr* call, const Expr* object) {
  if (!isLibrary(call->getDirectCallee())) return;
  Effect effect{call->getBeginLoc()};
  effect.isProtected = protected_ > 0;
  if (goesOn(call->getDirectCallee())) {
    effect.isProtected = true;
    return effects.push_back(effect);
  }
  for (const Expr* changed : changedAgain(call, object)) {
    Effect shared = effect;
    if (isa<LambdaExpr>(bareValue(changed)) || !values_.writes().placeOf(changed).isKnown() ||
        !isShared(changed, shared))
      continue;
    return effects.push_back(shared);
  }
}

}  // namespace muster::plugin
