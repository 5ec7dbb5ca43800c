// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: constants, vectors, maths, and functions that are printed along.
#include "analysis/UnitFunctions.h"
#include "analysis/code/Functions.h"
#include "analysis/objects/RowLengths.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/expressions/Expressions.h"
#include "lower/expressions/Inlining.h"
#include "lower/expressions/Maths.h"
#include "lower/types/Constants.h"
#include "print/Print.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// The elements of `std::max({a, b, c})`, or the arguments themselves.
std::vector<const clang::Expr*> selectionArguments(const CallShape& shape) {
  if (shape.arguments.size() != 1) return shape.arguments;
  const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(shape.arguments[0]->IgnoreImplicit());
  const auto* elements = list ? llvm::dyn_cast<clang::InitListExpr>(list->getSubExpr()->IgnoreImplicit()) : nullptr;
  if (!elements) return {};
  return {elements->inits().begin(), elements->inits().end()};
}

const clang::VarDecl* vectorVariable(const Program& program, const Scope& scope, const CallShape& shape) {
  return variableOf(program, scope.spaces, shape.object->IgnoreParenImpCasts());
}

bool isTrivialAssignment(const CallShape& shape) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(shape.callee);
  return method && method->isTrivial() && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
}

}  // namespace

Expression Expressions::VisitCallExpr(const clang::CallExpr* call) {
  if (const auto constant = foldedCall(call)) return *constant;
  if (const auto fetched = fetch(call)) return *fetched;
  if (const clang::Expr* translated = withPointers(program_.context, call)) return Visit(translated);
  const CallShape shape = shapeOf(call);
  if (!shape.callee) return VisitStmt(call);
  if (const VectorOperation operation = vectorOperation(shape); operation != VectorOperation::None)
    return vectorCall(operation, shape, call);
  if (isSmartPointer(shape)) {
    const clang::VarDecl* var = vectorVariable(program_, scope_, shape);
    if (!var) return VisitStmt(call);
    if (shape.arguments.empty()) return variable(var, call);
    return ir::subscript(variable(var, call), converted(shape.arguments[0]));
  }
  if (isTrivialAssignment(shape))
    return dependOnOrder(shape.object, shape.arguments[0])
               ? refuse(call, say::AssignmentOrder)
               : ir::assign(lvalue(shape.object), Visit(shape.arguments[0]));
  if (isIdentity(shape.callee)) return Visit(shape.arguments[0]);
  if (shape.callee->getBuiltinID() == clang::Builtin::BI__builtin_unreachable)
    return ir::cast("void", ir::literal("0"));
  if (const auto memory = memoryCall(shape, call)) return *memory;
  if (const auto complex = complexCall(shape, call)) return *complex;
  if (const auto maths = mathsCall(shape, call)) return *maths;
  const Expression text = functionCall(shape, call);
  if (shape.callee->getReturnType()->isReferenceType()) return ir::target(text);
  return isHalf(call->getType()) ? halfValue(text) : text;
}

Expression Expressions::vectorCall(VectorOperation operation, const CallShape& shape, const clang::CallExpr* call) {
  const clang::VarDecl* reference = rowReference(shape.object);
  const auto use = reference ? rowBehind(reference, *program_.facts.objects, scope_.spaces.bindings())
                             : rowUse(shape.object, *program_.facts.objects, scope_.spaces.bindings());
  if (use && program_.isArray(use->table)) return rowCall(operation, *use, shape);
  const clang::VarDecl* var = vectorVariable(program_, scope_, shape);
  const bool isRow = var && !rowVectorElement(var->getType()).isNull() && operation != VectorOperation::Size;
  if (!var || !program_.isArray(var) || isRow) return VisitStmt(call);
  if (operation == VectorOperation::Data) return variable(var, call);
  if (operation == VectorOperation::Size) {
    const std::string size = scope_.vectorSize(var);
    return size.empty() ? VisitStmt(call) : ir::name(size);
  }
  return ir::subscript(variable(var, call), converted(shape.arguments[0]));
}

// A member of a row of a vector of vectors.
Expression Expressions::rowCall(VectorOperation operation, const RowUse& use, const CallShape& shape) {
  if (operation == VectorOperation::Size) {
    const auto isIts = [&](const ArrayFact& array) { return array.var == use.table; };
    const auto size = rowNumber(program_.facts, *llvm::find_if(program_.facts.arrays, isIts), RowNumber::Size);
    return ir::cast("ulong", ir::name(scope_.variable(program_.facts.scalars[*size].var)));
  }
  const clang::VarDecl* reference = rowReference(shape.object);
  const Expression first = reference ? ir::name(scope_.variable(reference)) : row(use);
  if (operation == VectorOperation::Data) return first;
  return elementOfRow(first, converted(shape.arguments[0]));
}

std::vector<Expression> Expressions::mathsArguments(const CallShape& shape, Scalar common) {
  // The device's functions are overloaded: an argument must have exactly the type that the host's function takes.
  if (common == Scalar::F64) program_.types.noteFp64();
  std::vector<Expression> arguments;
  for (const clang::Expr* argument : shape.arguments) {
    if (argument->getType()->isPointerType()) {
      arguments.push_back(Visit(argument));
      continue;
    }
    if (scalarOfType(argument) == Scalar::None)
      refuse(argument, say::TypeNotInOpenCL(argument->getType().getAsString()));
    const Expression text = Visit(argument);
    const bool isExact = valueScalar(scalarOfType(argument)) == common;
    arguments.push_back(isExact ? text : ir::cast(scalarName(common), text));
  }
  return arguments;
}

Expression Expressions::selectionCall(const std::string& name, const CallShape& shape, const clang::CallExpr* call) {
  const std::string type = scalarName(scalarOfType(call));
  const auto isLess = [&](const std::string& left, const std::string& right) {
    if (!isHalf(call->getType())) return left + " < " + right;
    return print::text(ir::binary("<", halfValue(ir::name(left)), halfValue(ir::name(right))));
  };
  std::string helper = "muster_" + name + "_" + type;
  if (name == "clamp")
    program_.helper(helper, "static " + type + " " + helper + "(" + type + " value, " + type + " low, " + type +
                                " high) {\n  return " + isLess("value", "low") + " ? low : " + isLess("high", "value") +
                                " ? high : value;\n}\n\n");
  else
    program_.helper(helper, "static " + type + " " + helper + "(" + type + " a, " + type + " b) {\n  return " +
                                (name == "min" ? isLess("b", "a") : isLess("a", "b")) + " ? b : a;\n}\n\n");
  std::vector<Expression> arguments;
  for (const clang::Expr* argument : selectionArguments(shape)) {
    arguments.push_back(converted(argument));
    if (name != "clamp" && arguments.size() == 2) arguments = {ir::call(helper, std::move(arguments))};
  }
  const Expression chosen = name == "clamp" ? ir::call(helper, std::move(arguments)) : arguments.front();
  return isHalf(call->getType()) && call->isPRValue() ? halfValue(chosen) : chosen;
}

Expression Expressions::bitsCall(const std::string& name, const CallShape& shape) {
  const bool isWide = scalarOf(program_.context, shape.callee->getParamDecl(0)->getType()) >= Scalar::I64;
  std::vector<Expression> arguments = mathsArguments(shape, isWide ? Scalar::U64 : Scalar::U32);
  if (name != "ctz") return ir::cast("int", ir::call(name, std::move(arguments)));
  const std::string type = isWide ? "ulong" : "uint", helper = "muster_ctz_" + type;
  program_.helper(helper, "static int " + helper + "(" + type + " bits) {\n  return " + (isWide ? "63" : "31") +
                              " - (int)clz(bits & (0 - bits));\n}\n\n");
  return ir::call(helper, std::move(arguments));
}

std::optional<Expression> Expressions::mathsCall(const CallShape& shape, const clang::CallExpr* call) {
  const MathsEntry* entry = findMaths(shape.callee);
  if (!entry) return std::nullopt;
  // std::abs of a complex number is a function like any other.
  if (llvm::any_of(shape.arguments, [](const clang::Expr* argument) { return argument->getType()->isRecordType(); }))
    if (entry->shape != MathsShape::Selection) return std::nullopt;
  const std::string device = entry->device;
  const Scalar result = scalarOfType(call);
  const auto plain = [&](Scalar common) { return ir::call(device, mathsArguments(shape, common)); };
  if (entry->shape == MathsShape::Selection) {
    const std::size_t count = selectionArguments(shape).size();
    const bool isPlain = device == "clamp" ? count == 3 : count >= 2 && (count == 2 || shape.arguments.size() == 1);
    if (result == Scalar::None || !isPlain) return std::nullopt;
    return selectionCall(device, shape, call);
  }
  if (shape.arguments.size() != entry->arity) return std::nullopt;
  Scalar first = scalarOfType(shape.arguments[0]);
  // What is normal is another thing for a half, and functions of halves are functions like any other.
  if (result == Scalar::F16 || (first == Scalar::F16 && device == "isnormal")) return std::nullopt;
  first = valueScalar(first);
  switch (entry->shape) {
    case MathsShape::Uniform:
      return plain(result);
    case MathsShape::Query:
      return plain(isFloating(first) ? first : Scalar::F64);
    case MathsShape::Compare: {
      const Scalar common = valueScalar(usualArithmetic(first, scalarOfType(shape.arguments[1])));
      return plain(isFloating(common) ? common : Scalar::F64);
    }
    case MathsShape::ToInteger:
      return ir::cast("long", plain(isFloating(first) ? first : Scalar::F64));
    case MathsShape::Scale: {
      if (result == Scalar::F64) program_.types.noteFp64();
      const Expression number =
          first == result ? Visit(shape.arguments[0]) : cast(call->getType(), shape.arguments[0], call);
      return ir::call(device, {number, ir::cast("int", Visit(shape.arguments[1]))});
    }
    case MathsShape::PointerOut:
      return plain(result);
    case MathsShape::Absolute:
      if (isFloating(result)) return ir::call("fabs", mathsArguments(shape, result));
      // OpenCL's abs gives the unsigned type.
      return ir::cast(scalarName(result), plain(result));
    default:
      return bitsCall(device, shape);
  }
}

// memcpy, memmove and memset, byte by byte.
std::optional<Expression> Expressions::memoryCall(const CallShape& shape, const clang::CallExpr* call) {
  if (!isLibraryFunction(shape.callee) || !shape.callee->getIdentifier() || shape.arguments.size() != 3)
    return std::nullopt;
  llvm::StringRef name = shape.callee->getName();
  name.consume_front("__builtin_");
  const bool isSet = name == "memset";
  if (!isSet && name != "memcpy" && name != "memmove") return std::nullopt;
  const auto prefix = [&](const clang::Expr* pointer) {
    return std::string(spacePrefix(scope_.spaces.ofPointee(pointer)));
  };
  const auto letter = [](const std::string& space) {
    return space.empty() ? "p" : space == spacePrefix(Space::Global) ? "g" : "c";
  };
  const std::string to = prefix(shape.arguments[0]), source = isSet ? "" : prefix(shape.arguments[1]);
  // What is constant needs no other word for it.
  const std::string from = source == spacePrefix(Space::Constant) ? source : "const " + source;
  const std::string helper = "muster_" + std::string(isSet ? "memset_" : "memmove_") + letter(to) + letter(source);
  const std::string head = "static " + to + "void *" + helper + "(" + to + "void *to, ";
  if (isSet)
    program_.helper(helper, head + "int value, ulong count) {\n  for (ulong i = 0; i < count; ++i) ((" + to +
                                "uchar *)to)[i] = (uchar)value;\n  return to;\n}\n\n");
  else
    program_.helper(helper,
                    head + from + "void *from, ulong count) {\n" +
                        (to == source ? "  if ((" + to + "uchar *)to > (" + from +
                                            "uchar *)from) {\n    for (ulong i = count; i-- > 0;) ((" + to +
                                            "uchar *)to)[i] = ((" + from + "uchar *)from)[i];\n    return to;\n  }\n"
                                      : "") +
                        "  for (ulong i = 0; i < count; ++i) ((" + to + "uchar *)to)[i] = ((" + from +
                        "uchar *)from)[i];\n  return to;\n}\n\n");
  std::vector<Expression> arguments;
  for (const clang::Expr* argument : shape.arguments) arguments.push_back(Visit(argument));
  return ir::call(helper, std::move(arguments));
}

Expression Expressions::argumentFor(const clang::ParmVarDecl* parameter, const clang::Expr* argument) {
  return parameter->getType()->isReferenceType() ? address(argument) : converted(argument);
}

std::vector<const clang::VarDecl*> Expressions::makeClosure(const clang::Expr* expr) {
  for (;;) {
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(expr);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
    if (construct && construct->getNumArgs() == 1 && program_.isClosure(construct->getType()))
      expr = construct->getArg(0);
    else if (call && isIdentity(call->getDirectCallee()))
      expr = call->getArg(0);
    else if (const clang::Expr* inner = expr->IgnoreParens()->IgnoreImplicit(); inner != expr)
      expr = inner;
    else
      break;
  }
  const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(expr);
  if (!lambda) {
    // Another name of one that was made before.
    if (!llvm::isa<clang::DeclRefExpr>(expr)) refuse(expr, say::ReturnedLambda);
    return {};
  }
  program_.enterLambda(lambda, scope_.spaces);
  std::vector<const clang::VarDecl*> made;
  for (const clang::LambdaCapture& capture : lambda->captures()) {
    const auto* var = capture.capturesVariable() ? llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar()) : nullptr;
    const clang::VarDecl* copy = var ? program_.facts.objects->copyOf(lambda->getLambdaClass(), var) : nullptr;
    // Its copies have other values.
    if (lambda->isMutable() && (copy || lambda->isInitCapture(&capture))) refuse(lambda, say::MutableLambda);
    if (copy)
      made.push_back(copy);
    else if (var && lambda->isInitCapture(&capture))
      made.push_back(var);
    else if (var && var->getType()->isReferenceType() && capture.getCaptureKind() == clang::LCK_ByCopy)
      // The object may change by another name.
      refuse(lambda, say::CapturesReferredCopy(var->getName()));
  }
  return made;
}

// A lambda that is called, or given to a function, where it is made: its init captures are variables of this function.
std::vector<Expression> Expressions::closureArguments(const CallShape& shape) {
  std::vector<const clang::Expr*> closures = shape.arguments;
  if (shape.object) closures.push_back(shape.object);
  std::vector<Expression> before;
  for (const clang::Expr* closure : closures) {
    if (!program_.isClosure(closure->getType())) continue;
    for (const clang::VarDecl* var : makeClosure(closure)) {
      if (!var->getType()->isArithmeticType()) {
        refuse(closure, say::NoNumberInLambda(var->getName()));
        continue;
      }
      const Expression value = converted(var->getInit());
      before.push_back(ir::assign(ir::name(scope_.declareTemporary(var)), value));
    }
  }
  return before;
}

// The runtime puts the function's text in front of the program's.
Expression Expressions::unseenCall(const CallShape& shape, const clang::Expr* at) {
  // It is called by a macro.
  std::vector<Expression> arguments;
  if (shape.object)
    arguments.push_back(ir::parentheses(shape.objectIsPointer ? Visit(shape.object) : address(shape.object)));
  for (unsigned i = 0; i < shape.arguments.size(); ++i)
    arguments.push_back(ir::parentheses(argumentFor(shape.callee->getParamDecl(i), shape.arguments[i])));
  const std::vector<Space> spaces = scope_.spaces.ofArguments(shape);
  for (const Space space : spaces)
    if (space == Space::Constant || space == Space::Mixed)
      return refuse(at, say::GivesUnitFunctionPointer(shape.callee->getNameAsString()));
  return ir::call(deviceName(linkerName(program_.context, shape.callee), spaces), std::move(arguments));
}

Expression Expressions::functionCall(const CallShape& shape, const clang::Expr* at) {
  if (isOfOtherUnit(shape.callee)) return unseenCall(shape, at);
  std::vector<Expression> before = closureArguments(shape);
  const ObjectBindings bindings = program_.bindingsOf(shape, scope_.spaces.bindings());
  const Function* function = program_.function(shape.callee, scope_.spaces.ofArguments(shape), bindings, at);
  if (!function) return ir::literal("0");
  if (shape.arguments.size() != shape.callee->getNumParams()) return VisitStmt(at);
  std::vector<Expression> arguments;
  std::vector<std::pair<std::size_t, Scalar>> conversions;
  bool isExact = true;
  if (shape.object && !bindings.self && !program_.isLambda(shape.callee))
    arguments.push_back(shape.objectIsPointer ? Visit(shape.object) : address(shape.object));
  const clang::FunctionDecl* definition = nullptr;
  shape.callee->hasBody(definition);
  for (unsigned i = 0; i < shape.arguments.size(); ++i) {
    const clang::ParmVarDecl* parameter = definition->getParamDecl(i);
    if (bindings.knows(parameter) || program_.isClosure(shape.arguments[i]->getType())) continue;
    if (!isUnused(parameter)) {
      arguments.push_back(argumentFor(shape.callee->getParamDecl(i), shape.arguments[i]));
      const Scalar type = scalarOf(program_.context, parameter->getType());
      const clang::QualType given = shape.arguments[i]->IgnoreParenImpCasts()->getType();
      if (type != Scalar::None && !parameter->getType()->isBooleanType() && type != scalarOf(program_.context, given))
        conversions.emplace_back(arguments.size() - 1, type);
      isExact &= type != Scalar::F16;
    } else if (shape.arguments[i]->HasSideEffects(program_.context))
      before.push_back(ir::cast("void", Visit(shape.arguments[i])));
  }
  if (function->ends && (at != mayEnd_ || shape.callee->getReturnType()->isReferenceType()))
    return refuse(at, say::MayEndProgramInExpression(shape.callee->getNameAsString()));
  for (const clang::VarDecl* capture : function->captures) arguments.push_back(ir::name(scope_.variable(capture)));
  for (const clang::VarDecl* vector : function->capturedSizes) arguments.push_back(ir::name(scope_.vectorSize(vector)));
  for (const clang::VarDecl* var : function->outer) {
    arguments.push_back(scope_.outerArgument(var));
    if (!arguments.back()) arguments.back() = VisitStmt(at);
  }
  if (function->ends) {
    scope_.noteEnd();
    mayHaveEnded_ = true;
    for (Expression& argument : scope_.endArguments()) arguments.push_back(std::move(argument));
  }
  if (before.empty() && isExact && function->value) {
    std::vector<Expression> exact = arguments;
    for (const auto& [number, type] : conversions) exact[number] = ir::cast(scalarName(type), exact[number]);
    if (auto value = inlined(*function, exact)) return *value;
  }
  before.push_back(ir::call(program_.called(*function), std::move(arguments)));
  return ir::comma(std::move(before));
}

Expression Expressions::VisitCXXConstructExpr(const clang::CXXConstructExpr* construct) {
  if (const clang::Expr* translated = withPointers(program_.context, construct)) return Visit(translated);
  const clang::CXXConstructorDecl* constructor = construct->getConstructor();
  if (!iteratorPointee(construct->getType()).isNull() && construct->getNumArgs() == 0) return ir::literal("0");
  if (construct->getType()->isArrayType()) return refuse(construct, say::ConstructsArray);
  if (isPlainConstructor(constructor) && constructor->isCopyOrMoveConstructor()) return Visit(construct->getArg(0));
  if (constructor->isTrivial())
    return ir::braces({ir::literal("0")},
                      typeName(construct->getType().getUnqualifiedType(), Space::Private, construct));
  CallShape shape;
  shape.callee = constructor;
  shape.arguments.assign(construct->arg_begin(), construct->arg_end());
  return functionCall(shape, construct);
}

}  // namespace muster::plugin::lower
