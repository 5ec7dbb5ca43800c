// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the kernel calls: one text for each combination of address spaces that they are called with.
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/expressions/Inlining.h"
#include "lower/statements/Statements.h"
#include "print/Print.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

const clang::CXXMethodDecl* methodWithObject(const clang::FunctionDecl* function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  return method && !method->isStatic() && !llvm::isa<clang::CXXConstructorDecl>(method) ? method : nullptr;
}

void setArguments(Spaces& spaces, const clang::FunctionDecl* definition, const std::vector<Space>& given) {
  unsigned next = 0;
  if (methodWithObject(definition)) spaces.setThis(given[next++]);
  if (llvm::isa<clang::CXXConstructorDecl>(definition)) spaces.setThis(Space::Private);
  for (const clang::ParmVarDecl* parameter : definition->parameters())
    if (next < given.size()) spaces.set(parameter, given[next++]);
}

// Prints one function.
class FunctionPrinter {
 public:
  FunctionPrinter(Program& program, const clang::FunctionDecl* definition)
      : program_(program), definition_(definition), scope_(program), statements_(program, scope_) {}

  std::string print(const std::string& name, const std::vector<Space>& spaces, const ObjectBindings& bindings);
  void describe(Function& function) const;

 private:
  std::string parameters();
  void noteValue(const ir::Statements& code);
  ir::Statement leave();
  std::string resultType(const std::string& declarator);
  void constructor(const clang::CXXConstructorDecl* constructor);

  Program& program_;
  const clang::FunctionDecl* definition_;
  Scope scope_;
  Statements statements_;
  std::vector<std::string> parameters_;  // their names
  ir::Expression value_;
};

std::string FunctionPrinter::parameters() {
  std::vector<std::string> list;
  const clang::SourceLocation loc = definition_->getLocation();
  const ObjectBindings& bindings = scope_.spaces.bindings();
  const auto* method = methodWithObject(definition_);
  if (method && !bindings.self && !program_.isLambda(method)) {
    scope_.setThisName(program_.names.unique("self"));
    list.push_back(program_.types.declare(method->getThisType(), scope_.thisName(), scope_.spaces.ofThis(), loc));
    parameters_.push_back(scope_.thisName());
  }
  for (const clang::ParmVarDecl* parameter : definition_->parameters()) {
    if (bindings.knows(parameter) || program_.isClosure(parameter->getType()) || isUnused(parameter)) continue;
    parameters_.push_back(scope_.declare(parameter));
    list.push_back(program_.types.declare(parameter->getType().getUnqualifiedType(), parameters_.back(),
                                          scope_.spaces.ofVariable(parameter), parameter->getLocation()));
  }
  return llvm::join(list, ", ");
}

// What it gives back, if it does nothing else, as its type has it.
void FunctionPrinter::noteValue(const ir::Statements& code) {
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(definition_->getBody());
  const auto* statement =
      block && block->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(block->body_front()) : nullptr;
  const bool isOne = statement && statement->getRetValue() && code.size() == 1 &&
                     code.front().kind == ir::StatementKind::Return && scope_.temporaries().empty() && !scope_.ends();
  if (!isOne || !hasNoEffect(code.front().value)) return;
  const clang::QualType type = definition_->getReturnType();
  if (type->isReferenceType() || type->isPointerType()) {
    value_ = code.front().value;
    return;
  }
  const Scalar scalar = scalarOf(program_.context, type);
  if (scalar == Scalar::None || scalar == Scalar::F16) return;
  const clang::QualType given = statement->getRetValue()->IgnoreParenImpCasts()->getType();
  const bool isExact = type->isBooleanType() || scalarOf(program_.context, given) == scalar;
  value_ = isExact ? code.front().value : ir::cast(scalarName(scalar), code.front().value);
}

void FunctionPrinter::describe(Function& function) const {
  function.captures = scope_.captures();
  function.capturedSizes = scope_.capturedSizes();
  function.outer = scope_.outer();
  function.ends = scope_.ends();
  function.value = value_;
  function.parameters = parameters_;
}

// What the function returns when the program ends in it, which nobody uses.
ir::Statement FunctionPrinter::leave() {
  const clang::QualType type = definition_->getReturnType();
  if (type->isVoidType()) return ir::giveBack();
  if (!type->isRecordType() && !type->isAnyComplexType()) return ir::giveBack(ir::literal("0"));
  return ir::giveBack(ir::braces(
      {ir::literal("0")}, program_.types.name(type.getUnqualifiedType(), Space::Private, definition_->getLocation())));
}

std::string FunctionPrinter::resultType(const std::string& declarator) {
  clang::QualType type = definition_->getReturnType();
  const clang::SourceLocation loc = definition_->getLocation();
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(definition_))
    type = compat::recordType(program_.context, constructor->getParent());
  Space space = Space::Private;
  if (type->isPointerType() || type->isReferenceType()) {
    space = returnedSpace(definition_->getBody(), scope_.spaces);
    if (space == Space::Mixed)
      program_.refusals.add(loc, say::ReturnsTwoKindsOfPointers(definition_->getNameAsString()));
  }
  return program_.types.declare(type.getUnqualifiedType(), declarator, space, loc);
}

void FunctionPrinter::constructor(const clang::CXXConstructorDecl* constructor) {
  const std::string object = program_.names.unique("object"), self = program_.names.unique("self");
  const std::string type = program_.types.name(compat::recordType(program_.context, constructor->getParent()),
                                               Space::Private, constructor->getLocation());
  scope_.setThisName(self);
  statements_.add(ir::define(type + " " + object));
  statements_.setLeave([object] { return ir::giveBack(ir::name(object)); });
  statements_.add(ir::define(type + " *const " + self, ir::addressOf(ir::name(object))));
  Expressions expressions(program_, scope_);
  for (const clang::CXXCtorInitializer* init : constructor->inits()) {
    const clang::CXXRecordDecl* base = init->isBaseInitializer() ? init->getBaseClass()->getAsCXXRecordDecl() : nullptr;
    if (base && base->isEmpty()) continue;
    const clang::FieldDecl* field = init->getMember();
    const clang::Expr* value = init->getInit();
    if (!base && (!field || field->getType()->isArrayType())) {
      program_.refusals.add(constructor->getLocation(),
                            say::ConstructorInitialisesMore(constructor->getNameAsString()));
      continue;
    }
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(value);
    if (construct && construct->getConstructor()->isTrivial() && construct->getNumArgs() == 0) continue;
    statements_.evaluate(
        ir::assign(ir::arrow(ir::name(self), base ? program_.types.base(base) : program_.types.field(field)),
                   expressions.converted(value)));
  }
  statements_.lowerInside(constructor->getBody());
  statements_.add(ir::giveBack(ir::name(object)));
}

std::string FunctionPrinter::print(const std::string& name, const std::vector<Space>& spaces,
                                   const ObjectBindings& bindings) {
  setArguments(scope_.spaces, definition_, spaces);
  scope_.spaces.setBindings(bindings);
  const clang::Stmt* body = definition_->getBody();
  scope_.spaces.infer({body});
  std::string list = parameters();
  statements_.setLeave([this] { return leave(); });
  if (const auto* constructed = llvm::dyn_cast<clang::CXXConstructorDecl>(definition_))
    constructor(constructed);
  else
    statements_.lowerInside(body);
  // Known only now: the kernel's arguments that the body uses.
  const auto add = [&](const std::string& name, const std::string& declaration) {
    parameters_.push_back(name);
    list += (list.empty() ? "" : ", ") + declaration;
  };
  for (const clang::VarDecl* capture : scope_.captures()) {
    const std::string name = scope_.variable(capture);
    const clang::QualType type = capture->getType().getNonReferenceType();
    // A pointer to the elements of an array, which may be constant.
    const bool isBlock = type->isArrayType() && !program_.isArray(capture);
    add(name, program_.types.declare(isBlock ? type : program_.argumentType(capture), name, Space::Global,
                                     capture->getLocation()));
  }
  for (const clang::VarDecl* vector : scope_.capturedSizes())
    add(scope_.vectorSize(vector), "ulong " + scope_.vectorSize(vector));
  for (const clang::VarDecl* var : scope_.outer()) {
    const std::string name = scope_.outerName(var);
    add(name, program_.types.declare(scope_.outerType(var), name, scope_.spaces.ofVariable(var), var->getLocation()));
  }
  const ir::Statements code = statements_.take();
  noteValue(code);
  if (scope_.ends()) list += (list.empty() ? "" : ", ") + std::string(Scope::endParameters);
  std::string text = "static " + resultType(name + "(" + (list.empty() ? "void" : list) + ")") + " {\n";
  for (const std::string& temporary : scope_.temporaries()) text += "  " + temporary + "\n";
  return text + print::text(code, 1) + "}\n\n";
}

std::string nameFor(const clang::FunctionDecl* function) {
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
    return "make_" + constructor->getParent()->getNameAsString();
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method && method->getParent()->isLambda()) return "lambda";
  const std::string prefix = method ? method->getParent()->getNameAsString() + "_" : "";
  if (function->getIdentifier()) return prefix + function->getName().str();
  return prefix + (function->getOverloadedOperator() == clang::OO_None ? "conversion" : "operator");
}

// The definition to print, or nullptr and a refusal.
const clang::FunctionDecl* printable(Program& program, const clang::FunctionDecl* callee, clang::SourceLocation loc) {
  const clang::FunctionDecl* definition = nullptr;
  const std::string name = "'" + callee->getQualifiedNameAsString() + "'";
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (callee->isVariadic() || (method && method->isVirtual()))
    program.refusals.add(loc, say::CalleeWithoutCounterpart(name));
  else if (!callee->hasBody(definition))
    program.refusals.add(loc,
                         (isLibraryFunction(callee) ? say::CalleeWithoutCounterpart : say::CalleeNotDefined)(name));
  return program.refusals.any() ? nullptr : definition;
}

}  // namespace

ObjectBindings Program::bindingsOf(const CallShape& call, const ObjectBindings& caller) const {
  const clang::FunctionDecl* definition = nullptr;
  if (!call.callee->hasBody(definition)) return {};
  return facts.objects->enter(definition, call.object, call.arguments, caller);
}

// Closures are no arguments; what a lambda sees is that of the place where it was made last.
Program::FunctionKey Program::keyOf(const clang::FunctionDecl* definition, const std::vector<Space>& spaces,
                                    const ObjectBindings& bindings) const {
  std::string key = bindings.key();
  const auto add = [&](const clang::CXXRecordDecl* lambda) {
    const auto made = lambdas_.find(lambda);
    if (made != lambdas_.end()) key += "#" + std::to_string(made->second);
  };
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(definition)) add(method->getParent());
  for (const clang::ParmVarDecl* parameter : definition->parameters())
    if (const auto* lambda = facts.objects->ownLambda(parameter->getType())) add(lambda);
  return {definition, spaces, key};
}

const Function* Program::function(const clang::FunctionDecl* callee, const std::vector<Space>& spaces,
                                  const ObjectBindings& bindings, const clang::Expr* at) {
  const clang::SourceLocation loc = at->getBeginLoc();
  const clang::FunctionDecl* definition = printable(*this, callee, loc);
  if (!definition) return nullptr;
  const auto [entry, isNew] = functions_.try_emplace(keyOf(definition, spaces, bindings));
  Function& function = entry->second;
  if (isNew) {
    function.name = names.uniqueOutside(nameFor(definition));
    FunctionPrinter printer(*this, definition);
    refusals.enter(at, definition);
    uncalled_[&function] = printer.print(function.name, spaces, bindings);
    refusals.leave();
    printer.describe(function);
    function.isComplete = true;
  } else if (!function.isComplete) {
    refusals.add(loc, say::CallsItself);
  }
  return &function;
}

const std::string& Program::called(const Function& function) {
  const auto text = uncalled_.find(&function);
  if (text != uncalled_.end()) {
    functionText_ += text->second;
    uncalled_.erase(text);
  }
  return function.name;
}

Space Program::returnedSpace(const clang::FunctionDecl* callee, const std::vector<Space>& spaces,
                             const ObjectBindings& bindings) {
  const clang::FunctionDecl* definition = nullptr;
  if (!callee->hasBody(definition)) return Space::Private;
  const FunctionKey key = keyOf(definition, spaces, bindings);
  const auto [entry, isNew] = returned_.try_emplace(key, Space::Any);
  if (!isNew) return entry->second;
  Spaces inside(*this);
  setArguments(inside, definition, spaces);
  inside.setBindings(bindings);
  inside.infer({definition->getBody()});
  const Space space = lower::returnedSpace(definition->getBody(), inside);
  returned_[key] = space;
  return space;
}

}  // namespace muster::plugin::lower
