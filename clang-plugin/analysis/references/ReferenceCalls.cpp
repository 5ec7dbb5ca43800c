// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the calls, constructors and lambdas of a loop's body refer to.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/LinkerNames.h"
#include "analysis/loops/Iterators.h"
#include "analysis/records/Locks.h"
#include "analysis/references/ProgramEnds.h"
#include "analysis/references/ReferenceFinder.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/DeclCXX.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

bool ReferenceFinder::VisitCXXConstructExpr(CXXConstructExpr* construct) {
  if (withPointers(context_.ast, construct)) return true;
  const CXXConstructorDecl* constructor = construct->getConstructor();
  if (isPlainConstructor(constructor) || referredBy(construct)) return true;
  const FunctionDecl* definition = definitionOf(constructor);
  if (!definition)
    return context_.refuse(construct->getBeginLoc(), say::ConstructsObject(construct->getType().getAsString()));
  ObjectBindings inside;
  inside.isCallee = true;
  return addCallee(construct, definition, std::move(inside));
}

// Its body is followed where it is called.
bool ReferenceFinder::TraverseLambdaExpr(LambdaExpr* lambda) {
  context_.lambdas[lambda->getLambdaClass()] = function_;
  auto value = lambda->capture_init_begin();
  for (const LambdaCapture& capture : lambda->captures())
    if (!addCapture(lambda, capture, *value++)) return false;
  context_.objects().addLambda(lambda, bindings_);
  return true;
}

// Whether a variable belongs to one call of a function that the body calls.
bool ReferenceFinder::isOfCall(const VarDecl* var) const {
  const DeclContext* context = var->getParentFunctionOrMethod();
  return llvm::any_of(stack_, [&](const FunctionDecl* function) { return context && context->Equals(function); });
}

// What a lambda in the loop captures is taken for the variable itself, unless the two may differ.
bool ReferenceFinder::addCapture(const LambdaExpr* lambda, const LambdaCapture& capture, Expr* value) {
  const SourceLocation loc = capture.isExplicit() ? capture.getLocation() : lambda->getBeginLoc();
  // Of a lambda that a function returns there may be several at a time, from several calls.
  const bool isReturned = !stack_.empty() && holdsCaptures(stack_.back()->getReturnType());
  const auto refuseReturned = [&](const std::string& what) {
    return context_.refuse(loc, say::ReturnedLambdaCaptures(what));
  };
  if (capture.getCaptureKind() == LCK_StarThis) return context_.refuse(loc, say::CapturesObjectCopy);
  if (capture.capturesThis()) {
    const bool isMethods = llvm::any_of(stack_, [](const FunctionDecl* function) {
      auto* method = dyn_cast<CXXMethodDecl>(function);
      return method && method->isInstance() && !method->getParent()->isLambda();
    });
    return !isReturned || !isMethods || refuseReturned("'this'");
  }
  auto* var = capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
  if (!var) return context_.refuse(loc, say::CapturesNoVariable);
  const std::string name = "'" + var->getNameAsString() + "'";
  const bool isInit = lambda->isInitCapture(&capture), isCopy = capture.getCaptureKind() == LCK_ByCopy;
  const QualType type = var->getType().getNonReferenceType();
  const bool changes =
      !isInit && (function_ ? changedVariables(function_->getBody()).count(var) : context_.changed.count(var));
  const bool hasMany = isReturned && (isInit || isOfCall(var) || (isCopy && changes));
  if (hasMany && (!isCopy || !isScalarType(type))) return refuseReturned(name);
  const bool isMutable = isCopy && lambda->isMutable();
  if (isMutable && !isScalarType(type)) return context_.refuse(loc, say::MutableLambdaWithCopy(name));
  if (isInit) {
    if (hasMany || isMutable) context_.objects().addManifold(var);
    return TraverseVarDecl(var);
  }
  if (capture.isExplicit() && !context_.declaredInside.count(var) && parameters_.constantRole(var) == Role::Table)
    return context_.refuse(loc, say::CapturesConstant(name));
  if (!isCopy || (!hasMany && !isMutable && !changes)) return true;
  if (!isScalarType(type)) return context_.refuse(loc, say::CapturesChangingCopy(name));
  const VarDecl* copy = context_.objects().addCopy(lambda, var, value);
  if (hasMany || isMutable) context_.objects().addManifold(copy);
  return TraverseVarDecl(const_cast<VarDecl*>(copy));
}

// Whether the method's definition is to be followed; all others have an effect that is known.
bool ReferenceFinder::addMethod(CallExpr* call, const CXXMethodDecl* method, bool& follow) {
  const Expr* object = objectOf(call);
  std::string name = method->getNameAsString();
  follow = false;
  if (object && !vectorElement(object->getType()).isNull()) {
    static const std::set<std::string> known = {"operator[]", "at",    "size", "data",   "front", "back",
                                                "empty",      "begin", "end",  "cbegin", "cend"};
    if (known.count(name)) return true;
    return context_.refuse(call->getBeginLoc(), say::CallsOfVector(name));
  }
  if (object && !smartPointee(object->getType()).isNull()) {
    if (name == "operator[]" || name == "get") return true;
    return context_.refuse(call->getBeginLoc(), say::CallsOfSmartPointer(name));
  }
  if (method->isTrivial()) {  // a struct's assignment
    if (!object || !context_.objects().object(object, bindings_)) return true;
    return context_.refuse(call->getBeginLoc(), say::AssignsToObject);
  }
  if (method->isVirtual()) return context_.refuse(call->getBeginLoc(), say::CallsVirtualMethod(name));
  follow = true;
  return true;
}

// In native code a vector is a view of its elements, which only a template takes for one.
bool ReferenceFinder::vectorsFit(const CallExpr* call, const FunctionDecl* definition, const ObjectBindings& inside) {
  const FunctionDecl* pattern = definition->getTemplateInstantiationPattern();
  unsigned number = 0;
  for (const Expr* argument : argumentsOf(call)) {
    if (number >= definition->getNumParams()) break;
    const ParmVarDecl* parameter = definition->getParamDecl(number++);
    const bool isTaken =
        pattern && number <= pattern->getNumParams() && pattern->getParamDecl(number - 1)->getType()->isDependentType();
    if (isTaken || inside.knows(parameter) || inside.rowTables.count(parameter)) continue;
    auto* reference = dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts());
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!var || context_.declaredInside.count(var) || vectorElement(var->getType()).isNull()) continue;
    return context_.refuse(argument->getExprLoc(),
                           say::GivesVectorAway(var->getNameAsString(), definition->getNameAsString()));
  }
  return true;
}

bool ReferenceFinder::traverseCall(CallExpr* call) {
  if (unevaluated_ > 0) return traverseAll(call->children());
  if (isLockCall(context_.facts, call)) return true;
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) return context_.refuse(call->getBeginLoc(), say::CallsThroughPointer);
  if (isMaths(function) || isSwap(function) || isMemoryFunction(function) || isForwarding(function) ||
      isSeeded(function))
    return traverseAll(call->children());
  if (isAssertion(function)) return true;
  if (readsText(context_.ast, call)) return traverseAll(call->children());
  if (const auto arguments = reportArguments(call))
    return llvm::all_of(*arguments, [&](const Expr* argument) { return TraverseStmt(const_cast<Expr*>(argument)); });
  if (mayBeAtomicCall(call)) return traverseAll(call->children());
  if (withPointers(context_.ast, call)) return traverseAll(call->children());
  if (const auto use = rowUse(call, context_.objects(), bindings_); use && !context_.declaredInside.count(use->table))
    return parameters_.addTable(call->getExprLoc(), use->table, true) &&
           (!use->indexes.front() || TraverseStmt(const_cast<Expr*>(use->indexes.front())));
  if (const VarDecl* table = tableOfSize(call, context_.objects(), bindings_);
      table && !context_.declaredInside.count(table))
    return parameters_.addTable(call->getExprLoc(), table, true);
  bool follow = true;
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance())
    if (!addMethod(call, method, follow)) return false;
  if (!follow) return traverseAll(call->children());
  const FunctionDecl* definition = definitionOf(function);
  // In C, a declaration may say nothing of its parameters.
  if (!definition && isOfOtherUnit(function) && argumentsOf(call).size() == function->getNumParams()) {
    context_.facts.unseen.insert(linkerName(context_.ast, function));
    return traverseAll(call->children());
  }
  if (!definition) return context_.refuse(call->getBeginLoc(), undefinedInWords(function));
  const Expr* object = objectOf(call);
  const auto arguments = argumentsOf(call);
  // A lambda that is called where it is made is known before its body is entered.
  const auto* lambda = object ? dyn_cast<LambdaExpr>(object->IgnoreParenImpCasts()) : nullptr;
  if (lambda && !TraverseStmt(const_cast<LambdaExpr*>(lambda))) return false;
  ObjectBindings inside = context_.objects().enter(definition, object, arguments, bindings_);
  if (!function_) nameObjects(inside);
  if (object && !lambda && !inside.self && !TraverseStmt(const_cast<Expr*>(object))) return false;
  for (const Expr* argument : arguments)
    if (!iteratorPointee(argument->getType()).isNull())
      return context_.refuse(argument->getExprLoc(), say::GivesIteratorAway(function->getNameAsString()));
  if (!function_ && !vectorsFit(call, definition, inside)) return false;
  if (!function_ && object && inside.self) context_.objects().use(*inside.self, object);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ParmVarDecl* parameter = i < definition->getNumParams() ? definition->getParamDecl(i) : nullptr;
    if (const auto table = inside.rowTables.find(parameter); table != inside.rowTables.end())
      if (!parameters_.addTable(arguments[i]->getExprLoc(), table->second, true)) return false;
    const bool bound = parameter && inside.knows(parameter);
    if (!function_ && parameter && inside.objects.count(parameter))
      context_.objects().use(inside.objects.at(parameter), arguments[i]);
    if (!bound && !TraverseStmt(const_cast<Expr*>(arguments[i]))) return false;
  }
  return addCallee(call, definition, std::move(inside));
}

bool ReferenceFinder::addCallee(const Expr* use, const FunctionDecl* definition, ObjectBindings inside) {
  const SourceLocation loc = use->getBeginLoc();
  std::string name = definition->getNameAsString();
  for (const FunctionDecl* caller : stack_)
    if (caller == definition) return mayRecur(definition) || context_.refuse(loc, say::CallsRecursively(name));
  if (!context_.followed.insert({definition, inside.key()}).second) return true;
  if (context_.ast.getSourceManager().isInSystemHeader(definition->getLocation()) && !definition->isConstexpr() &&
      !definition->isInlined() && !definition->isTemplateInstantiation() && !definition->isStatic())
    return context_.refuse(loc, say::CallsLibraryFunction(name));
  auto stack = stack_;
  stack.push_back(definition);
  context_.calls.push_back({use, definition});
  auto* method = dyn_cast<CXXMethodDecl>(definition);
  const auto lambda = method ? context_.lambdas.find(method->getParent()) : context_.lambdas.end();
  const FunctionDecl* function = lambda != context_.lambdas.end() ? lambda->second : definition;
  ReferenceFinder inner(context_, function, std::move(stack), std::move(inside));
  for (const ParmVarDecl* parameter : definition->parameters()) context_.declaredInside.insert(parameter);
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer* part : constructor->inits())
      if (!inner.TraverseStmt(part->getInit())) return false;
  if (!inner.traverseBody(definition->getBody())) return false;
  context_.calls.pop_back();
  if (lambda != context_.lambdas.end()) return true;
  auto& callees = context_.facts.callees;
  if (!llvm::is_contained(callees, definition)) callees.push_back(definition);
  return true;
}

}  // namespace muster::plugin
