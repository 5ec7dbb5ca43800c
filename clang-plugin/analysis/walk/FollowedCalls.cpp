// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: std::vector's members, maths, std::swap, and functions of this translation unit, which are followed.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/LinkerNames.h"
#include "analysis/references/ProgramEnds.h"
#include "analysis/walk/BodyWalker.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

BodyWalker::Returned BodyWalker::call(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) {
    context_.refuse(call->getBeginLoc(), say::CallsThroughPointer);
    return {};
  }
  if (walkFetch(call) || walkExchange(call)) return {true, {}, {}};
  if (isSwap(function)) {
    callSwap(call);
    return {};
  }
  if (isForwarding(function)) {
    Returned same;
    same.any = true;
    same.place = place(call->getArg(0));
    return same;
  }
  if (isAssertion(function)) return {};
  if (const auto arguments = reportArguments(call)) {
    for (const Expr* argument : *arguments) valueOf(argument);
    Returned nothing;
    nothing.any = true;
    return nothing;
  }
  if (readsText(context_.ast, call)) return callText(call);
  if (isMemoryFunction(function)) return callMemory(call);
  if (isSeeded(function)) return callSeeded(call);
  if (isMaths(function)) return callMaths(call, function);
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance()) {
    const Expr* object = objectOf(call);
    if (!object) {
      context_.refuse(call->getBeginLoc(), say::ExplicitObject(method->getNameAsString()));
      return {};
    }
    if (!vectorElement(object->getType()).isNull()) return callVector(call, method);
    if (!smartPointee(object->getType()).isNull()) return callSmartPointer(call);
    if (method->isTrivial()) return callAssignment(call);
    if (isAtomicReference(object->IgnoreParenImpCasts()->getType())) {
      context_.refuse(call->getBeginLoc(), inWords(context_.ast, call, method) + ", " + say::WhichOrdersThreads);
      return {};
    }
  }
  const FunctionDecl* definition = definitionOf(function);
  if (!definition && isOfOtherUnit(function)) return callUnseen(call, function);
  if (!definition) {
    context_.refuse(call->getBeginLoc(), undefinedInWords(function));
    return {};
  }
  return callFunction(call, definition);
}

void BodyWalker::bind(const VarDecl* parameter, const Expr* argument) {
  state_.references.erase(parameter);
  QualType type = parameter->getType();
  if (!type->isReferenceType()) {
    state_.values[parameter] = evaluate(argument);
    return;
  }
  const Expr* plain = argument->IgnoreParens();
  if (auto* full = dyn_cast<FullExpr>(plain)) plain = full->getSubExpr()->IgnoreParens();
  if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(plain)) {
    state_.values[parameter] = evaluate(temporary->getSubExpr());
    return;
  }
  state_.references[parameter] = place(plain);
}

// An object that the iteration itself assigns as a whole.
BodyWalker::Returned BodyWalker::callAssignment(const CallExpr* call) {
  const Expr* object = objectOf(call);
  Value value;
  for (const Expr* argument : argumentsOf(call)) value = valueOf(argument);
  Returned result;
  result.any = true;
  result.place = object->getType()->isPointerType() ? placeBehind(evaluate(object), object) : place(object);
  store(result.place, {.members = std::move(value.members)}, object);
  return result;
}

// What `this` is in a method of the object.
Value BodyWalker::selfOf(const Expr* object) {
  if (object->getType()->isPointerType()) return evaluate(object);
  if (object->isGLValue()) return addressOf(place(object));
  evaluate(object);
  return addressOf({});
}

// A constructor of an object of the iteration itself.
Value BodyWalker::construct(const CXXConstructExpr* construct) {
  const FunctionDecl* definition = definitionOf(construct->getConstructor());
  if (!definition) {
    context_.refuse(construct->getBeginLoc(), say::ConstructsObject(construct->getType().getAsString()));
    return {};
  }
  Place object;
  object.variable = temporary(construct);
  state_.values[object.variable] = Value::unknown();
  ObjectBindings inside;
  inside.isCallee = true;
  follow(construct, definition, llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()), std::move(inside),
         addressOf(object));
  forgetPointersTo(object.variable);
  return {.members = state_.values[object.variable].members};
}

// What a constructor makes of its members before its body runs.
void BodyWalker::initialise(const CXXConstructorDecl* constructor) {
  const VarDecl* object = self_.pointers.size() == 1 ? self_.pointers.front().local : nullptr;
  for (const CXXCtorInitializer* part : constructor->inits()) {
    const bool isReference = part->isMemberInitializer() && part->getMember()->getType()->isReferenceType() &&
                             !part->getMember()->getType()->getPointeeType().isConstQualified();
    Value value = isReference ? addressOf(place(part->getInit())) : valueOf(part->getInit());
    if (!object) continue;
    if (isReference) {
      state_.values[object].members[part->getMember()] = std::move(value);
      continue;
    }
    if (part->isDelegatingInitializer())
      state_.values[object] = {.members = std::move(value.members)};
    else if (part->isMemberInitializer() && part->getMember()->getType()->isPointerType())
      state_.values[object].members[part->getMember()] = std::move(value);
  }
}

BodyWalker::Returned BodyWalker::callFunction(const CallExpr* call, const FunctionDecl* definition) {
  const Expr* object = objectOf(call);
  const auto arguments = argumentsOf(call);
  ObjectBindings inside = context_.objects().enter(definition, object, arguments, bindings_);
  Value self;
  if (object && !inside.self) {
    self = selfOf(object);
    // A lambda that is called where it is made is known only now.
    inside = context_.objects().enter(definition, object, arguments, bindings_);
  }
  return follow(call, definition, arguments, std::move(inside), std::move(self));
}

// A library function calls itself: on any elements of what it was given.
void BodyWalker::recur(llvm::ArrayRef<const Expr*> arguments) {
  for (const Expr* argument : arguments) {
    const Value value = evaluate(argument);
    if (!argument->getType()->isPointerType()) continue;
    Place memory = placeBehind(value, argument);
    for (Pointer& part : memory.elements) part.offset = std::nullopt;
    load(memory, argument);
    store(memory, Value::unknown(), argument);
  }
}

// The `number`-th pointer that a function of another unit gets. What is reached through it is known at the launch.
void BodyWalker::giveAway(const FunctionDecl* function, unsigned number, const Given& given) {
  const std::string name = function->getNameAsString();
  const auto reach = [&](const char* end, const std::string& inside) {
    return symbol(nullptr,
                  std::string("muster_reach_") + end + "(&" + unseenAlias(linkerName(context_.ast, function)) + ", " +
                      std::to_string(number) + ", " + inside + ")",
                  std::string(end) + "_of_" + name + "_" + std::to_string(number));
  };
  Value reached;
  for (Pointer part : given.pointer.pointers) {
    const bool isElement =
        !part.local && part.array != localArray &&
        (part.inside ? !given.ofRows
                     : context_.ast.hasSameUnqualifiedType(given.type, context_.facts.arrays[part.array].element));
    const std::string inside =
        part.inside ? std::to_string(part.before) + ", " + std::to_string(part.ahead) : std::string("0, 0");
    if (isElement && part.offset)
      part.offset =
          add(*part.offset, between(reach("first", inside), reach("last", inside), "reach_of_" + name).forms.front());
    else
      part.offset = std::nullopt;
    part.inside |= given.type->isRecordType();  // it may write some of the members
    reached.pointers.push_back(std::move(part));
  }
  const Place memory = placeBehind(reached, given.expr);
  load(memory, given.expr);
  if (!given.type.isConstQualified()) store(memory, Value::unknown(), given.expr);
}

// Of another unit. That it does no more than its parameters say is known there, and asked for at the launch.
BodyWalker::Returned BodyWalker::callUnseen(const CallExpr* call, const FunctionDecl* function) {
  std::vector<Given> given;
  if (const Expr* object = objectOf(call))
    given.push_back({selfOf(object), cast<CXXMethodDecl>(function)->getThisType()->getPointeeType(), false, object});
  const auto arguments = argumentsOf(call);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const Expr* argument = arguments[i];
    const QualType type = function->getParamDecl(i)->getType(), reached = givenAway(type);
    if (reached.isNull())
      valueOf(argument);
    else if (type->isPointerType() && argument->isNullPointerConstant(context_.ast, Expr::NPC_ValueDependentIsNotNull))
      given.push_back({});
    else
      given.push_back({type->isReferenceType() ? addressOf(place(argument)) : evaluate(argument), reached,
                       type->getPointeeType()->isArrayType(), argument});
  }
  for (unsigned i = 0; i < given.size(); ++i)
    if (!given[i].type.isNull()) giveAway(function, i, given[i]);
  Returned result;
  result.any = true;
  return result;
}

void BodyWalker::runFunction(const FunctionDecl* function, const std::map<const ParmVarDecl*, unsigned>& arrays,
                             std::optional<unsigned> object) {
  const auto start = [](unsigned array) { return Pointer{nullptr, array, constantForm(0)}; };
  for (const auto& [parameter, array] : arrays)
    if (parameter->getType()->isReferenceType())
      state_.references[parameter].elements = {start(array)};
    else
      state_.values[parameter].pointers = {start(array)};
  if (object) self_.pointers = {start(*object)};
  bindings_.isCallee = true;
  followed_.push_back(function);
  frames_.emplace_back();
  exits_.emplace_back();
  labels_ = labelsOf(function->getBody());
  walk(function->getBody());
}

std::optional<std::pair<std::int64_t, std::int64_t>> BodyWalker::reachOf(unsigned array) const {
  std::optional<std::pair<std::int64_t, std::int64_t>> reach;
  for (const AccessFact& access : context_.facts.accesses) {
    if (access.array != array) continue;
    if (!access.index || !access.index->guards.empty()) return std::nullopt;
    const auto [low, high] = rangeOf(*access.index);
    if (!low || !high) return std::nullopt;
    reach = reach ? std::pair(std::min(reach->first, *low), std::max(reach->second, *high)) : std::pair(*low, *high);
  }
  return reach ? reach : std::pair<std::int64_t, std::int64_t>(0, 0);
}

BodyWalker::Returned BodyWalker::follow(const Expr* use, const FunctionDecl* definition,
                                        llvm::ArrayRef<const Expr*> arguments, ObjectBindings inside, Value self) {
  if (mayRecur(definition) && llvm::is_contained(followed_, definition)) {
    recur(arguments);
    return {};
  }
  followed_.push_back(definition);
  context_.calls.push_back({use, definition});
  for (unsigned i = 0; i < definition->getNumParams() && i < arguments.size(); ++i)
    if (const ParmVarDecl* parameter = definition->getParamDecl(i); !inside.knows(parameter))
      bind(parameter, arguments[i]);
  const bool exitedBefore = exited_, jumped = jumped_, jumpedBefore = jumpedBefore_;
  Labels labels = labelsOf(definition->getBody());
  jumpedBefore_ = jumped_;
  std::swap(labels_, labels);
  std::swap(bindings_, inside);
  std::swap(self_, self);
  frames_.emplace_back();
  exits_.emplace_back();
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition)) initialise(constructor);
  walk(definition->getBody());
  for (const State& exit : exits_.back()) join(exit);
  exits_.pop_back();
  Returned result = std::move(frames_.back());
  frames_.pop_back();
  followed_.pop_back();
  context_.calls.pop_back();
  bindings_ = std::move(inside);
  self_ = std::move(self);
  labels_ = std::move(labels);
  jumped_ = jumped, jumpedBefore_ = jumpedBefore;
  exited_ = exitedBefore;
  return result;
}

}  // namespace muster::plugin
