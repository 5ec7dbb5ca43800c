// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the library in the walk: members of vectors and smart pointers, maths, and what copies or sorts elements.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/walk/BodyWalker.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

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
    context_.refuse(call->getBeginLoc(), say::CallsMethod(name));
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
    context_.refuse(call->getBeginLoc(), say::CallsOfSmartPointer(nameOfCallee(call->getDirectCallee())));
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
  context_.facts.refuseKernel(call->getBeginLoc(), say::ReadsText(nameOfCallee(call->getDirectCallee())));
  for (const Expr* argument : llvm::drop_begin(call->arguments())) valueOf(argument);
  Value text = evaluate(call->getArg(0));
  for (Pointer& part : text.pointers) part.offset = std::nullopt;
  load(placeBehind(text, call->getArg(0)), call->getArg(0));
  return {true, {}, {}};
}

// All that it knows is in the seed. Its arithmetic is the C library's own, which devices do not have.
BodyWalker::Returned BodyWalker::callSeeded(const CallExpr* call) {
  context_.facts.refuseKernel(call->getBeginLoc(), say::CallsWithoutOpenCL(nameOfCallee(call->getDirectCallee())));
  const Expr* seed = call->getArg(0);
  const Place place = placeBehind(valueOf(seed), seed);
  load(place, seed);
  store(place, Value::unknown(), seed);
  return {true, {}, {}};
}

// How many elements the bytes are is not followed: all of an array. Nor how many are sorted (isMemoryFunction).
BodyWalker::Returned BodyWalker::callMemory(const CallExpr* call) {
  if (call->getNumArgs() != 3) {
    const FunctionDecl* function = call->getDirectCallee();
    if (call->getNumArgs() == 4 && !onlyCompares(call->getArg(3)))
      context_.refuse(call->getBeginLoc(), undefinedInWords(function));
    context_.facts.refuseKernel(call->getBeginLoc(), say::CallsWithoutOpenCL(nameOfCallee(function)));
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
    context_.refuse(call->getExprLoc(), say::CopiesBytesOfPointer);
  if (call->getArg(1)->getType()->isPointerType()) load(anywhere(source, call->getArg(1)), call->getArg(1));
  store(anywhere(result.value, call->getArg(0)), Value::unknown(), call->getArg(0));
  return result;
}

}  // namespace muster::plugin
