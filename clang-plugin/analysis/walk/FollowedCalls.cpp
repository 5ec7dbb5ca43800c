// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: std::vector's members, maths, std::swap, and functions of this translation unit, which are followed.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/Library.h"
#include "analysis/code/LinkerNames.h"
#include "analysis/facts/Context.h"
#include "analysis/objects/Objects.h"
#include "analysis/references/ProgramEnds.h"
#include "analysis/walk/BodyWalker.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/SourceText.h"
#include "source/Types.h"

namespace muster::plugin {

using namespace clang;

BodyWalker::Returned BodyWalker::call(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) {
    context_.refuse(call->getBeginLoc(), "calls a function through a pointer; call it by its name");
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
  if (isMaths(function)) return callMaths(call, function);
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance()) {
    const Expr* object = objectOf(call);
    if (!object) {
      context_.refuse(call->getBeginLoc(), "calls a method through a pointer");
      return {};
    }
    if (!vectorElement(object->getType()).isNull()) return callVector(call, method);
    if (!smartPointee(object->getType()).isNull()) return callSmartPointer(call);
    if (method->isTrivial()) return callAssignment(call);
    if (isAtomicReference(object->IgnoreParenImpCasts()->getType())) {
      context_.refuse(call->getBeginLoc(), inWords(context_.ast, call, method) + ", " + whyAtomic);
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

BodyWalker::Returned BodyWalker::callVector(const CallExpr* call, const CXXMethodDecl* method) {
  const Expr* object =
      isa<CXXOperatorCallExpr>(call) ? call->getArg(0) : cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument();
  const Expr* index = nullptr;
  if (isa<CXXOperatorCallExpr>(call)) index = call->getArg(1);
  std::string name = method->getNameAsString();
  if (name == "at" || (name == "operator[]" && !index)) index = call->getArg(0);
  if (const auto use = rowUse(call, context_.objects(), bindings_); use && context_.arrayOf.count(use->table)) {
    Returned row;
    row.any = true;
    row.place.rows = rowOf(*use, call).pointers;
    return row;
  }
  Place vector = place(object);
  if (!vector.rows.empty()) return callRow(call, index, vector.rows);
  auto array = vector.variable ? context_.arrayOf.find(vector.variable) : context_.arrayOf.end();
  if (array == context_.arrayOf.end()) {
    context_.refuse(call->getBeginLoc(), "calls the method '" + name + "'");
    return {};
  }
  const Pointer start{nullptr, array->second, constantForm(0)};
  Returned result;
  result.any = true;
  QualType element = context_.facts.arrays[array->second].element;
  if (name == "size" || name == "empty") {
    const ObjectMember* member = context_.objects().find(vector.variable);
    const std::string text = (member ? member->text : vector.variable->getNameAsString()) + ".size()";
    if (name == "size")
      result.value = Value::of(symbol(call, text, member ? vector.variable->getNameAsString() + ".size()" : ""));
  } else if (name == "data") {
    result.value.pointers.push_back(start);
  } else if (index) {
    Value position = evaluate(index);
    result.place = placeBehind(movePointer({{}, {start}}, position, element, false), call);
  } else if (name == "front") {
    result.place.elements.push_back(start);
  } else {  // back
    result.place.elements.push_back({nullptr, array->second, std::nullopt});
  }
  return result;
}

// `p[i]` and `p.get()` of a smart pointer to an array outside of the loop.
BodyWalker::Returned BodyWalker::callSmartPointer(const CallExpr* call) {
  Place pointer = place(objectOf(call));
  auto array = pointer.variable ? context_.arrayOf.find(pointer.variable) : context_.arrayOf.end();
  if (array == context_.arrayOf.end()) {
    context_.refuse(call->getBeginLoc(), "uses a smart pointer to something else than an array outside of the loop");
    return {};
  }
  const Value start{{}, {Pointer{nullptr, array->second, constantForm(0)}}};
  Returned result;
  result.any = true;
  const auto arguments = argumentsOf(call);
  if (arguments.empty())
    result.value = start;
  else
    result.place =
        placeBehind(movePointer(start, evaluate(arguments[0]), call->getType().getNonReferenceType(), false), call);
  return result;
}

BodyWalker::Returned BodyWalker::callMaths(const CallExpr* call, const FunctionDecl* function) {
  Returned result;
  result.any = true;
  std::vector<Value> values;
  for (const Expr* argument : call->arguments()) {
    if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(argument)) argument = temporary->getSubExpr();
    values.push_back(valueOf(argument));
    // frexp, modf and remquo give a second result.
    if (!argument->getType()->isPointerType()) continue;
    store(placeBehind(values.back(), argument), Value::unknown(), argument);
  }
  const llvm::StringRef name = function->getName();
  QualType type = call->getType().getNonReferenceType();
  if (!type->isIntegerType()) return result;
  if ((name == "min" || name == "max") && values.size() == 2)
    result.value = extremum(values[0], values[1], name == "min", type);
  if (name == "clamp" && values.size() == 3)
    result.value = extremum(extremum(values[0], values[1], false, type), values[2], true, type);
  if (name.ends_with("abs") && values.size() == 1) result.value = magnitude(values[0], type);
  return result;
}

void BodyWalker::callSwap(const CallExpr* call) {
  const Expr *first = call->getArg(0), *second = call->getArg(1);
  Place left = place(first), right = place(second);
  Value leftValue = load(left, first), rightValue = load(right, second);
  store(left, rightValue, first);
  store(right, leftValue, second);
}

namespace {

// Stops at all but arithmetic with what the parameters lead to, and with variables of its own.
class PlainComparison : public AstVisitor {
 public:
  bool VisitStmt(Stmt* statement) override {
    return isa<CompoundStmt, IfStmt, DeclStmt, ReturnStmt, Expr>(statement) &&
           !isa<CallExpr, StmtExpr, LambdaExpr, CXXConstructExpr, CXXThisExpr, CXXNewExpr, CXXThrowExpr, AtomicExpr>(
               statement);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { return !op->isAssignmentOp(); }
  bool VisitUnaryOperator(UnaryOperator* op) override { return !op->isIncrementDecrementOp(); }
  bool VisitVarDecl(VarDecl* var) override { return var->hasLocalStorage() && !var->getType().isVolatileQualified(); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return var ? var->hasLocalStorage() : isa<EnumConstantDecl>(reference->getDecl());
  }
};

}  // namespace

// The argument is the name of a function that only compares.
static bool onlyCompares(const Expr* argument) {
  argument = argument->IgnoreParenImpCasts();
  if (auto* op = dyn_cast<UnaryOperator>(argument); op && op->getOpcode() == UO_AddrOf)
    argument = op->getSubExpr()->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(argument);
  const FunctionDecl* definition = reference ? definitionOf(dyn_cast<FunctionDecl>(reference->getDecl())) : nullptr;
  return definition && PlainComparison().TraverseStmt(definition->getBody());
}

// Where the text ends is not known, nor what the other ranks' locale is.
BodyWalker::Returned BodyWalker::callText(const CallExpr* call) {
  context_.facts.readsText = true;
  context_.facts.refuseKernel(call->getBeginLoc(), "calls '" + nameOfCallee(call->getDirectCallee()) +
                                                       "', which reads text, in the locale of rank 0; it runs there");
  for (const Expr* argument : llvm::drop_begin(call->arguments())) valueOf(argument);
  Value text = evaluate(call->getArg(0));
  for (Pointer& part : text.pointers) part.offset = std::nullopt;
  load(placeBehind(text, call->getArg(0)), call->getArg(0));
  return {true, {}, {}};
}

// How many elements the bytes are is not followed: all of an array. Nor how many are sorted (isMemoryFunction).
BodyWalker::Returned BodyWalker::callMemory(const CallExpr* call) {
  if (call->getNumArgs() != 3) {
    const FunctionDecl* function = call->getDirectCallee();
    if (call->getNumArgs() == 4 && !onlyCompares(call->getArg(3)))
      context_.refuse(call->getBeginLoc(), undefinedInWords(function));
    context_.facts.refuseKernel(call->getBeginLoc(),
                                "calls '" + nameOfCallee(function) + "', which OpenCL does not have");
    evaluate(call->getArg(1));
    if (call->getNumArgs() == 4) evaluate(call->getArg(2));
    Value any = evaluate(call->getArg(0));
    const auto isRow = [&](const Pointer& pointer) {
      return !pointer.local && pointer.array != localArray && context_.facts.arrays[pointer.array].isTable();
    };
    if (call->getNumArgs() == 2 && llvm::any_of(any.pointers, isRow))
      context_.tables = std::max(context_.tables, TableUse::Ends);
    for (Pointer& part : any.pointers) part.offset = std::nullopt;
    const Place memory = placeBehind(any, call->getArg(0));
    load(memory, call->getArg(0));
    store(memory, Value::unknown(), call->getArg(0));
    return {true, any, {}};
  }
  const auto anywhere = [&](const Value& pointer, const Expr* expr) {
    Place memory = placeBehind(pointer, expr);
    for (Pointer& part : memory.elements) part.offset = std::nullopt;
    return memory;
  };
  Returned result;
  result.any = true;
  result.value = evaluate(call->getArg(0));
  const Value source = evaluate(call->getArg(1));
  evaluate(call->getArg(2));
  const auto pointee = [&](unsigned i) { return call->getArg(i)->IgnoreParenCasts()->getType()->getPointeeType(); };
  if (!pointee(1).isNull() && pointee(1)->isPointerType() && !(!pointee(0).isNull() && pointee(0)->isPointerType()))
    context_.refuse(call->getExprLoc(), "copies the bytes of a pointer to something else; use an index instead");
  if (call->getArg(1)->getType()->isPointerType()) load(anywhere(source, call->getArg(1)), call->getArg(1));
  store(anywhere(result.value, call->getArg(0)), Value::unknown(), call->getArg(0));
  return result;
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
    context_.refuse(construct->getBeginLoc(),
                    "constructs an object of type '" + construct->getType().getAsString() + "'");
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
