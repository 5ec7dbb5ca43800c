// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's body and the functions that it calls refer to, and what keeps them from running on another rank.
#include "analysis/Context.h"
#include "analysis/RowLengths.h"
#include "analysis/RowTables.h"
#include "analysis/SourceText.h"
#include "analysis/ThisUses.h"
#include "analysis/Updates.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

QualType vectorElement(QualType type) {
  auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  auto* vector = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (!vector || !vector->isInStdNamespace() || vector->getName() != "vector") return {};
  return vector->getTemplateArgs()[0].getAsType();
}

namespace {

// Trivial structs and arithmetic types, arrays of them, pointers to arithmetic types, and references to these.
bool isLocalType(const ASTContext& ast, QualType type) {
  type = type.getNonReferenceType();
  if (type->isIncompleteArrayType()) return false;
  if (auto* array = ast.getAsArrayType(type)) return isLocalType(ast, array->getElementType());
  if (type->isPointerType()) {
    QualType pointee = type->getPointeeType();
    if (auto* array = ast.getAsConstantArrayType(pointee)) pointee = ast.getBaseElementType(array);
    return isScalarType(pointee) || pointee->isRecordType();
  }
  return isScalarType(type) || isCopiedByBytes(type);
}

bool isThreadLocal(const VarDecl* var) {
  return var->getTLSKind() != VarDecl::TLS_None || var->hasAttr<OMPThreadPrivateDeclAttr>();
}

class ReferenceFinder : public RecursiveASTVisitor<ReferenceFinder> {
 public:
  ReferenceFinder(LoopContext& context, std::vector<const FunctionDecl*> stack, ObjectBindings bindings)
      : context_(context), stack_(std::move(stack)), bindings_(std::move(bindings)) {}

  bool shouldVisitImplicitCode() const { return false; }

  // One reason for each statement that native code in another place, or another process, would not do alike.
  bool VisitStmt(Stmt* statement) {
    if (const char* what = unsupported(statement)) return context_.refuse(statement->getBeginLoc(), what);
    return true;
  }

  bool VisitVarDecl(VarDecl* var) {
    context_.declaredInside.insert(var);
    std::string name = "'" + var->getNameAsString() + "'";
    if (context_.managed.count(var)) return context_.refuse(var->getLocation(), "declares the managed array " + name);
    if (var->isStaticLocal() || isThreadLocal(var)) {
      if (var->isConstexpr() || constantRole(var)) return true;
      return context_.refuse(var->getLocation(), "declares the static variable " + name);
    }
    if (isa<DecompositionDecl>(var) && bindings_.objects.count(var))
      return context_.refuse(var->getLocation(), "binds names to the members of an object outside of the loop");
    if (var->getType().isVolatileQualified() ||
        (!bindings_.objects.count(var) && !isLocalType(context_.ast, var->getType())))
      return context_.refuse(var->getLocation(),
                             "declares " + name + " of type '" + var->getType().getAsString() + "'");
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl());
        binding && !context_.declaredInside.count(cast<VarDecl>(binding->getDecomposedDecl())))
      return context_.refuse(reference->getLocation(),
                             "uses the structured binding '" + reference->getDecl()->getNameAsString() + "'");
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (var && bindings_.objects.count(var) && !var->getType()->isPointerType())
      return context_.refuse(reference->getLocation(), "uses '" + var->getNameAsString() +
                                                           "', an object outside of the loop, as a whole; name the "
                                                           "members that are meant");
    if (!var || context_.declaredInside.count(var)) return true;
    return stack_.empty() ? addFromBody(reference, var) : addFromCallee(reference, var);
  }

  // What names an object outside of the loop is bound to it; only its members count.
  bool TraverseVarDecl(VarDecl* var) {
    if (!context_.objects().bindLocal(var, bindings_)) return RecursiveASTVisitor::TraverseVarDecl(var);
    return VisitVarDecl(var);
  }

  bool TraverseMemberExpr(MemberExpr* member, DataRecursionQueue* = nullptr) {
    if (const VarDecl* var = context_.objects().member(member, bindings_))
      return addMember(member->getMemberLoc(), var);
    return RecursiveASTVisitor::TraverseMemberExpr(member);
  }

  // Their operands name variables that native code has to know, but nothing is called.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* expr, DataRecursionQueue* = nullptr) {
    return unevaluated([&] { return RecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(expr); });
  }
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc type) {
    return unevaluated([&] { return RecursiveASTVisitor::TraverseTypeOfExprTypeLoc(type); });
  }

  // Native code declares a table of rows as an array of rows, which has no pointers to them.
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast, DataRecursionQueue* = nullptr) {
    const auto use = stack_.empty() ? rowUse(cast) : std::nullopt;
    if (!use || context_.declaredInside.count(use->table)) return RecursiveASTVisitor::TraverseImplicitCastExpr(cast);
    if (!addTable(cast->getExprLoc(), use->table)) return false;
    return !use->index || TraverseStmt(const_cast<Expr*>(use->index));
  }

  bool TraverseCallExpr(CallExpr* call, DataRecursionQueue* = nullptr) { return traverseCall(call); }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* call, DataRecursionQueue* = nullptr) { return traverseCall(call); }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr* call, DataRecursionQueue* = nullptr) {
    return traverseCall(call);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* construct) {
    const CXXConstructorDecl* constructor = construct->getConstructor();
    if (constructor->isTrivial()) return true;
    const FunctionDecl* definition = definitionOf(constructor);
    if (!definition)
      return context_.refuse(construct->getBeginLoc(),
                             "constructs an object of type '" + construct->getType().getAsString() + "'");
    ObjectBindings inside;
    inside.isCallee = true;
    return addCallee(construct->getBeginLoc(), definition, std::move(inside));
  }

  bool TraverseCXXForRangeStmt(CXXForRangeStmt* loop, DataRecursionQueue* = nullptr) {
    if (context_.objects().object(loop->getRangeInit(), bindings_))
      return context_.refuse(loop->getBeginLoc(), "contains a range-based 'for' over an object outside of the loop");
    if (!TraverseStmt(loop->getInit())) return false;
    // The visitor leaves out what the user did not write.
    for (DeclStmt* statement : {loop->getRangeStmt(), loop->getBeginStmt(), loop->getEndStmt()})
      if (!TraverseVarDecl(cast<VarDecl>(statement->getSingleDecl()))) return false;
    return TraverseStmt(loop->getCond()) && TraverseStmt(loop->getInc()) && TraverseStmt(loop->getLoopVarStmt()) &&
           TraverseStmt(loop->getBody());
  }

 private:
  template <class Action>
  bool unevaluated(Action traverse) {
    ++unevaluated_;
    const bool goOn = traverse();
    --unevaluated_;
    return goOn;
  }
  const char* unsupported(const Stmt* statement) const;
  bool traverseCall(CallExpr* call);
  bool traverseAll(llvm::iterator_range<Stmt::child_iterator> parts) {
    return llvm::all_of(parts, [&](Stmt* part) { return TraverseStmt(part); });
  }
  bool addMethod(CallExpr* call, const CXXMethodDecl* method, bool& follow);
  bool addCallee(SourceLocation loc, const FunctionDecl* definition, ObjectBindings inside);
  bool addMember(SourceLocation loc, const VarDecl* var);
  bool addFromBody(const DeclRefExpr* reference, const VarDecl* var);
  bool addFromCallee(const DeclRefExpr* reference, const VarDecl* var);
  bool addArray(SourceLocation loc, const VarDecl* var);
  bool addTable(SourceLocation loc, const VarDecl* var);
  void addRowLength(ArrayFact& fact);
  bool isTable(const VarDecl* var) const {
    const auto array = context_.arrayOf.find(var);
    return array != context_.arrayOf.end() && context_.facts.arrays[array->second].form == ArrayForm::Rows;
  }
  // Tables and constants, which are no parameters. nullopt: something else.
  std::optional<Role> constantRole(const VarDecl* var) const;
  void addConstant(const VarDecl* var, Role role);

  LoopContext& context_;
  std::vector<const FunctionDecl*> stack_;  // empty in the body itself
  ObjectBindings bindings_;
  unsigned unevaluated_ = 0;  // how many operands deep
};

const char* ReferenceFinder::unsupported(const Stmt* statement) const {
  if (isa<OMPAtomicDirective>(statement)) return nullptr;
  if (auto* critical = dyn_cast<OMPCriticalDirective>(statement))
    return updateOf(context_.ast, critical) ? nullptr : "contains 'omp critical' around something else than one update";
  if (isa<OMPExecutableDirective>(statement)) return "contains another OpenMP directive";
  if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(statement)) return "contains 'goto' or a label";
  if (isa<AsmStmt>(statement)) return "contains inline assembly";
  if (isa<CXXThrowExpr, CXXTryStmt>(statement)) return "throws or catches exceptions";
  if (isa<CXXNewExpr, CXXDeleteExpr>(statement)) return "allocates or frees memory";
  if (isa<LambdaExpr, BlockExpr>(statement)) return "contains a lambda expression";
  if (isa<CXXThisExpr>(statement) && stack_.empty()) return "uses 'this' for something else than members";
  if (isa<StmtExpr>(statement)) return "contains a statement expression";
  if (isa<PredefinedExpr>(statement)) return "uses the name of the function that it is in";
  if (isa<CXXTypeidExpr, CXXDynamicCastExpr>(statement)) return "uses run-time type information";
  if (isa<VAArgExpr, CoroutineBodyStmt>(statement)) return "uses variable arguments or a coroutine";
  return nullptr;
}

// Whether the method's definition is to be followed; all others have an effect that is known.
bool ReferenceFinder::addMethod(CallExpr* call, const CXXMethodDecl* method, bool& follow) {
  const Expr* object = objectOf(call);
  std::string name = method->getNameAsString();
  follow = false;
  if (object && !vectorElement(object->getType()).isNull()) {
    static const std::set<std::string> known = {"operator[]", "at", "size", "data", "front", "back", "empty"};
    if (known.count(name)) return true;
    return context_.refuse(call->getBeginLoc(), "calls 'std::vector::" + name + "'");
  }
  if (object && !smartPointee(object->getType()).isNull()) {
    if (name == "operator[]" || name == "get") return true;
    return context_.refuse(call->getBeginLoc(), "calls '" + name + "' of a smart pointer");
  }
  if (method->isTrivial()) {  // a struct's assignment
    if (!object || !context_.objects().object(object, bindings_)) return true;
    return context_.refuse(call->getBeginLoc(), "assigns to an object outside of the loop");
  }
  if (method->isVirtual()) return context_.refuse(call->getBeginLoc(), "calls the virtual method '" + name + "'");
  follow = true;
  return true;
}

bool ReferenceFinder::traverseCall(CallExpr* call) {
  if (unevaluated_ > 0) return traverseAll(call->children());
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) return context_.refuse(call->getBeginLoc(), "calls a function through a pointer");
  if (isMaths(function) || isSwap(function) || isMemoryFunction(function) || isForwarding(function))
    return traverseAll(call->children());
  if (const std::string reason = unservedCall(function); !reason.empty())
    return context_.refuse(call->getBeginLoc(), "calls '" + function->getNameAsString() + "', " + reason);
  bool follow = true;
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance())
    if (!addMethod(call, method, follow)) return false;
  if (!follow) return traverseAll(call->children());
  const FunctionDecl* definition = definitionOf(function);
  if (!definition)
    return context_.refuse(call->getBeginLoc(), "calls '" + function->getNameAsString() +
                                                    "', which is not defined in this translation unit");
  const Expr* object = objectOf(call);
  const auto arguments = argumentsOf(call);
  ObjectBindings inside = context_.objects().enter(definition, object, arguments, bindings_);
  if (object && !inside.self && !TraverseStmt(const_cast<Expr*>(object))) return false;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const bool bound = i < definition->getNumParams() && inside.objects.count(definition->getParamDecl(i));
    if (!bound && !TraverseStmt(const_cast<Expr*>(arguments[i]))) return false;
  }
  return addCallee(call->getBeginLoc(), definition, std::move(inside));
}

bool ReferenceFinder::addCallee(SourceLocation loc, const FunctionDecl* definition, ObjectBindings inside) {
  std::string name = definition->getNameAsString();
  for (const FunctionDecl* caller : stack_)
    if (caller == definition) return context_.refuse(loc, "calls the recursive function '" + name + "'");
  if (!context_.followed.insert({definition, inside.key()}).second) return true;
  if (context_.ast.getSourceManager().isInSystemHeader(definition->getLocation()) && !definition->isConstexpr() &&
      !definition->isInlined() && !definition->isTemplateInstantiation() && !definition->isStatic())
    return context_.refuse(loc, "calls the library function '" + name + "'");
  auto stack = stack_;
  stack.push_back(definition);
  ReferenceFinder inner(context_, std::move(stack), std::move(inside));
  for (const ParmVarDecl* parameter : definition->parameters()) context_.declaredInside.insert(parameter);
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer* part : constructor->inits())
      if (!inner.TraverseStmt(part->getInit())) return false;
  if (!inner.TraverseStmt(definition->getBody())) return false;
  auto& callees = context_.facts.callees;
  if (!llvm::is_contained(callees, definition)) callees.push_back(definition);
  return true;
}

// Infinity and NaN have no literals.
static bool canBeSpelled(const APValue& value) {
  if (value.isFloat()) return value.getFloat().isFinite();
  if (!value.isArray()) return value.isInt();
  for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
    if (!canBeSpelled(value.getArrayInitializedElt(i))) return false;
  return !value.hasArrayFiller() || canBeSpelled(value.getArrayFiller());
}

std::optional<Role> ReferenceFinder::constantRole(const VarDecl* var) const {
  QualType type = var->getType();
  // A member of a template may have no initialiser yet, or have it at another declaration.
  const VarDecl* holder = nullptr;
  if (const Expr* init = var->getAnyInitializer(holder); !init || init->isValueDependent()) return std::nullopt;
  if (auto* array = context_.ast.getAsArrayType(type)) {
    QualType element = context_.ast.getBaseElementType(array);
    const bool canBe =
        isScalarType(element) || (var->hasGlobalStorage() && canBeElement(context_.ast, element).empty());
    if (!element.isConstQualified() || !canBe || !var->getAnyInitializer()->isConstantInitializer(context_.ast, false))
      return std::nullopt;
    if (isVisibleInFile(var)) return Role::Table;
    // One of automatic storage is written out again in the native code.
    const APValue* value = element->isBuiltinType() ? holder->evaluateValue() : nullptr;
    if (!value || !canBeSpelled(*value)) return std::nullopt;
    return Role::Table;
  }
  if (type->isRecordType()) {
    const bool known = var->hasGlobalStorage() && type.isConstQualified() && canBeElement(context_.ast, type).empty() &&
                       holder->evaluateValue();
    return known ? std::optional(Role::Table) : std::nullopt;
  }
  if (type->isReferenceType() || !isScalarType(type)) return std::nullopt;
  if (!type.isConstQualified()) return std::nullopt;
  const APValue* value = holder->evaluateValue();
  if (!value || (!isVisibleInFile(var) && !canBeSpelled(*value))) return std::nullopt;
  return Role::Constant;
}

void ReferenceFinder::addConstant(const VarDecl* var, Role role) {
  if (!context_.roles.emplace(var, role).second) return;
  (role == Role::Table ? context_.facts.tables : context_.facts.constants).push_back(var);
}

bool ReferenceFinder::addArray(SourceLocation loc, const VarDecl* var) {
  QualType type = var->getType().getNonReferenceType();
  std::string name = "'" + var->getNameAsString() + "'";
  ArrayFact fact;
  fact.var = var;
  QualType element;
  if (QualType inVector = vectorElement(type); !inVector.isNull()) {
    if (inVector->isBooleanType()) return context_.refuse(loc, "uses " + name + ", a vector of bits");
    fact.form = ArrayForm::Vector;
    element = inVector;
  } else {
    QualType row = type;
    if (type->isPointerType()) {
      row = type->getPointeeType();
      fact.form = row->isArrayType() ? ArrayForm::PointerToArray : ArrayForm::Pointer;
    } else {
      fact.form = ArrayForm::ConstantArray;
      row = context_.ast.getAsArrayType(type)->getElementType();
      if (!context_.ast.getAsConstantArrayType(type))
        return context_.refuse(loc, "uses " + name + ", an array of unknown or variable length");
    }
    while (auto* array = context_.ast.getAsArrayType(row)) {
      auto* constant = dyn_cast<ConstantArrayType>(array);
      const bool isVariable = isa<VariableArrayType>(array) && !var->getType()->isReferenceType() && stack_.empty();
      if ((!constant && !isVariable) || (constant && constant->isZeroSize()))
        return context_.refuse(loc, "uses " + name + ", an array of unknown or variable length");
      if (isVariable)
        addRowLength(fact);
      else
        fact.extents.push_back(static_cast<std::int64_t>(constant->getZExtSize()));
      row = array->getElementType();
    }
    element = row;
  }
  if (element->isPointerType() && !rowElement(type).isNull())
    return context_.refuse(loc, "uses " + name + ", a table of rows, for something else than elements of its rows");
  if (const std::string reason = canBeElement(context_.ast, element); !reason.empty())
    return context_.refuse(loc, "uses " + name + ", whose elements of type '" + element.getAsString() + "' " + reason);
  fact.element = element.getUnqualifiedType();
  context_.arrayOf[var] = context_.facts.arrays.size();
  context_.facts.arrays.push_back(fact);
  context_.roles[var] = Role::Array;
  return true;
}

void ReferenceFinder::addRowLength(ArrayFact& fact) {
  const VarDecl* length = makeRowLength(context_.ast, context_.facts, fact.var, fact.extents.size());
  context_.facts.scalars.push_back({length});
  context_.roles[length] = Role::Scalar;
  fact.extents.push_back(unknownLength);
}

bool ReferenceFinder::addTable(SourceLocation loc, const VarDecl* var) {
  if (isTable(var)) return true;
  const std::string name = "'" + var->getNameAsString() + "'";
  if (context_.roles.count(var)) return context_.refuse(loc, "uses " + name + ", of which each thread has its own");
  if (isThreadLocal(var)) return context_.refuse(loc, "uses the thread-local variable " + name);
  ArrayFact fact;
  fact.var = var;
  fact.form = ArrayForm::Rows;
  fact.element = rowElement(var->getType()).getUnqualifiedType();
  if (const std::string reason = canBeElement(context_.ast, fact.element); !reason.empty())
    return context_.refuse(loc,
                           "uses " + name + ", whose elements of type '" + fact.element.getAsString() + "' " + reason);
  addRowLength(fact);
  context_.arrayOf[var] = context_.facts.arrays.size();
  context_.facts.arrays.push_back(fact);
  context_.roles[var] = Role::Array;
  return true;
}

bool ReferenceFinder::addFromBody(const DeclRefExpr* reference, const VarDecl* var) {
  SourceLocation loc = reference->getLocation();
  std::string name = "'" + var->getNameAsString() + "'";
  auto known = context_.roles.find(var);
  if (isTable(var))
    return context_.refuse(loc, "uses " + name + ", a table of rows, for something else than elements of its rows");
  if (known != context_.roles.end()) {
    // Native code redeclares all others under their plain name.
    const bool own = known->second != Role::Table && known->second != Role::Constant &&
                     (known->second != Role::Scalar || !isVisibleInFile(var));
    if (own && reference->hasQualifier()) return context_.refuse(loc, "names " + name + " with a qualifier");
    return true;
  }
  QualType type = var->getType().getNonReferenceType();
  if (isThreadLocal(var)) return context_.refuse(loc, "uses the thread-local variable " + name);
  if (type.isVolatileQualified()) return context_.refuse(loc, "uses the volatile variable " + name);
  if (auto role = constantRole(var)) {
    addConstant(var, *role);
    return true;
  }
  if (type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull()) {
    if (reference->hasQualifier()) return context_.refuse(loc, "names " + name + " with a qualifier");
    return addArray(loc, var);
  }
  if (!isScalarType(type)) return context_.refuse(loc, "uses " + name + " of type '" + type.getAsString() + "'");
  ScalarFact scalar;
  scalar.var = var;
  scalar.global = isVisibleInFile(var);
  if (scalar.global && (var->getType()->isReferenceType() || isa<VarTemplateSpecializationDecl>(var) ||
                        isa<ClassTemplateSpecializationDecl>(var->getDeclContext())))
    return context_.refuse(loc, "uses " + name + ", a reference or a member of a template of static storage");
  context_.facts.scalars.push_back(scalar);
  context_.roles[var] = Role::Scalar;
  return true;
}

bool ReferenceFinder::addMember(SourceLocation loc, const VarDecl* var) {
  if (context_.roles.count(var)) return true;
  const std::string name = "'" + var->getNameAsString() + "'";
  const QualType type = var->getType();
  if (!rowElement(type).isNull())
    return context_.refuse(
        loc, "uses " + name + ", a table of rows that is a member; a local variable can hold it before the loop");
  if (type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull()) {
    if (!addArray(loc, var)) return false;
    if (context_.facts.arrays.back().form == ArrayForm::Vector)
      context_.facts.scalars.push_back({.var = var, .vectorSize = true});
    return true;
  }
  if (type->isUnionType()) return context_.refuse(loc, "uses a member of a union in an object outside of the loop");
  if (!isScalarType(type))
    return context_.refuse(loc, "uses " + name + " of type '" + type.getUnqualifiedType().getAsString() + "'");
  context_.facts.scalars.push_back({.var = var});
  context_.roles[var] = Role::Scalar;
  return true;
}

bool ReferenceFinder::addFromCallee(const DeclRefExpr* reference, const VarDecl* var) {
  SourceLocation loc = reference->getLocation();
  std::string function = "'" + stack_.back()->getNameAsString() + "'";
  std::string name = "'" + var->getNameAsString() + "'";
  if (auto role = constantRole(var)) {
    addConstant(var, *role);
    return true;
  }
  if (!isScalarType(var->getType()) || isThreadLocal(var) || var->getType().isVolatileQualified())
    return context_.refuse(loc, "calls " + function + ", which uses the global " + name);
  auto known = context_.roles.find(var);
  if (known != context_.roles.end() && known->second != Role::Scalar)
    return context_.refuse(loc, "calls " + function + ", which uses " + name + ", private in the loop");
  if (known == context_.roles.end()) {
    context_.facts.scalars.push_back({var, true, true});
    context_.roles[var] = Role::Scalar;
    return true;
  }
  for (ScalarFact& scalar : context_.facts.scalars)
    if (scalar.var == var) scalar.inCallee = true;
  return true;
}

// A vector whose size() the body asks for needs it as a parameter.
class SizeFinder : public RecursiveASTVisitor<SizeFinder> {
 public:
  explicit SizeFinder(std::set<const VarDecl*>& sized) : sized_(sized) {}
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* call) {
    auto* object = dyn_cast<DeclRefExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts());
    auto* method = call->getMethodDecl();
    if (!object || !method || !method->getDeclName().isIdentifier()) return true;
    llvm::StringRef name = method->getName();
    if (name == "size" || name == "empty" || name == "back" || name == "at")
      if (auto* var = dyn_cast<VarDecl>(object->getDecl())) sized_.insert(var);
    return true;
  }

 private:
  std::set<const VarDecl*>& sized_;
};

// Native code evaluates clauses where the objects have no stand-ins yet.
bool usesObjects(const Stmt* statement) {
  if (auto* expr = dyn_cast<Expr>(statement); expr && isa<MemberExpr, CXXThisExpr>(expr)) return true;
  return llvm::any_of(statement->children(), [&](const Stmt* part) { return part && usesObjects(part); });
}

}  // namespace

bool readReferences(LoopContext& context) {
  LoopFacts& facts = context.facts;
  ReferenceFinder finder(context, {}, {});
  if (!finder.TraverseStmt(const_cast<Stmt*>(facts.body))) return false;
  // Arrays with a reduction, and what their sections' bounds need.
  for (SectionFact& section : facts.sections) {
    const std::size_t others = facts.arrays.size() - context.arrayOf.count(section.var);
    if (!finder.TraverseStmt(const_cast<Expr*>(section.item))) return false;
    auto array = context.arrayOf.find(section.var);
    if (array == context.arrayOf.end() || facts.arrays.size() != others + 1)
      return context.refuse(section.item->getExprLoc(), "'reduction' over a section with bounds that are no scalars");
    section.array = array->second;
    const QualType element = facts.arrays[section.array].element;
    if (!canBeMerged(context.ast, element))
      return context.refuse(section.item->getExprLoc(),
                            "'reduction' over elements of type '" + element.getAsString() + "'");
    if (facts.arrays[section.array].element->isBooleanType()) {
      if (section.kind == MUSTER_REDUCE_AND) section.kind = MUSTER_REDUCE_LAND;
      if (section.kind == MUSTER_REDUCE_OR) section.kind = MUSTER_REDUCE_LOR;
    }
  }
  // Values that the native code's own clauses need.
  for (const OMPClause* clause : facts.directive->clauses()) {
    const Expr* value = nullptr;
    if (auto* threads = dyn_cast<OMPNumThreadsClause>(clause)) value = clauseValue(threads->getNumThreads());
    if (auto* schedule = dyn_cast<OMPScheduleClause>(clause)) value = clauseValue(schedule->getChunkSize());
    if (auto* condition = dyn_cast<OMPIfClause>(clause)) value = clauseValue(condition->getCondition());
    if (!value) continue;
    if (value->HasSideEffects(context.ast))
      return context.refuse(clause->getBeginLoc(), "has a clause whose value is not a simple expression");
    const std::size_t arrays = facts.arrays.size();
    if (!finder.TraverseStmt(const_cast<Expr*>(value))) return false;
    const bool isMember = context.objects().member(value->IgnoreImpCasts(), {}) && !isa<OMPScheduleClause>(clause);
    if (facts.arrays.size() != arrays || (usesObjects(value) && !isMember))
      return context.refuse(clause->getBeginLoc(), "has a clause whose value is not a simple expression");
  }
  const ThisUses uses = thisUses(facts.body);
  for (const auto* names : {&uses.keywords, &uses.methods})
    for (SourceLocation loc : *names)
      if (loc.isMacroID()) return context.refuse(loc, "uses 'this' in a macro");
  std::set<const VarDecl*> sized;
  SizeFinder(sized).TraverseStmt(const_cast<Stmt*>(facts.body));
  for (const ArrayFact& array : facts.arrays)
    if (sized.count(array.var) && !context.objects().find(array.var))
      facts.scalars.push_back({array.var, false, false, true});
  // A kernel reduces in place, where another name of the array would show it.
  facts.needsDistinct = !facts.sections.empty() && facts.arrays.size() > 1;
  return true;
}

}  // namespace muster::plugin
