// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variable that a loop refers to is for its launch: an array, a value, or a constant that every rank has.
#include "analysis/references/Parameters.h"

#include "clang/AST/DeclOpenMP.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Infinity and NaN have no literals.
static bool canBeSpelled(const APValue& value) {
  if (value.isFloat()) return value.getFloat().isFinite();
  if (!value.isArray()) return value.isInt();
  for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
    if (!canBeSpelled(value.getArrayInitializedElt(i))) return false;
  return !value.hasArrayFiller() || canBeSpelled(value.getArrayFiller());
}

std::optional<Role> Parameters::constantRole(const VarDecl* var) const {
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

// What native code finds under the name that the body has for it.
static bool isGlobal(const LoopContext& context, const VarDecl* var) {
  return isVisibleInFile(var) && !context.facts.isCopied(var);
}

void Parameters::addConstant(const VarDecl* var, Role role) {
  if (!context_.roles.emplace(var, role).second) return;
  (role == Role::Table ? context_.facts.tables : context_.facts.constants).push_back(var);
}

static bool isLocalOfVariableLength(const ASTContext& ast, const VarDecl* var) {
  return var->isLocalVarDecl() && ast.getAsVariableArrayType(var->getType());
}

bool Parameters::addArray(SourceLocation loc, const VarDecl* var) {
  QualType type = var->getType().getNonReferenceType();
  std::string name = "'" + var->getNameAsString() + "'";
  ArrayFact fact;
  fact.var = var;
  QualType element;
  if (QualType inVector = vectorElement(type); !inVector.isNull()) {
    if (inVector->isBooleanType()) return context_.refuse(loc, say::VectorOfBits(name));
    fact.form = ArrayForm::Vector;
    element = inVector;
  } else {
    QualType row = type;
    // How long the latter is, is known to the program alone. It cannot be managed; so the launch copies what is read.
    if (type->isPointerType() || isLocalOfVariableLength(context_.ast, var)) {
      row = type->isPointerType() ? type->getPointeeType() : context_.ast.getAsArrayType(type)->getElementType();
      fact.form = row->isArrayType() ? ArrayForm::PointerToArray : ArrayForm::Pointer;
    } else {
      fact.form = ArrayForm::ConstantArray;
      row = context_.ast.getAsArrayType(type)->getElementType();
      if (!context_.ast.getAsConstantArrayType(type)) return context_.refuse(loc, say::ArrayOfUnknownLength(name));
    }
    while (auto* array = context_.ast.getAsArrayType(row)) {
      auto* constant = dyn_cast<ConstantArrayType>(array);
      const bool isVariable =
          isa<VariableArrayType>(array) && !var->getType()->isReferenceType() && !context_.objects().find(var);
      if ((!constant && !isVariable) || (constant && constant->isZeroSize()))
        return context_.refuse(loc, say::ArrayOfUnknownLength(name));
      if (isVariable)
        addRowLength(fact);
      else
        fact.extents.push_back(static_cast<std::int64_t>(constant->getZExtSize()));
      row = array->getElementType();
    }
    element = row;
  }
  const bool isTable = !rowElement(type).isNull() && (element->isPointerType() || !rowVectorElement(type).isNull());
  if (isTable) return useAsTable(loc, var);
  if (const std::string reason = canBeElement(context_.ast, element); !reason.empty())
    return context_.refuse(loc, say::ElementsCannotBeManaged(name, element.getAsString(), reason));
  fact.element = element.getUnqualifiedType();
  context_.arrayOf[var] = context_.facts.arrays.size();
  context_.facts.arrays.push_back(fact);
  context_.roles[var] = Role::Array;
  return true;
}

// What is stored are addresses of the program's, so that the loop runs where these are.
bool Parameters::addAddresses(const VarDecl* var) {
  if (context_.arrayOf.count(var)) return true;
  ArrayFact fact;
  fact.var = var;
  fact.element = var->getType()->getPointeeType().getUnqualifiedType();
  fact.addresses = true;
  context_.facts.refuseKernel(context_.facts.directive->getBeginLoc(), say::StoresAddresses);
  context_.arrayOf[var] = context_.facts.arrays.size();
  context_.facts.arrays.push_back(fact);
  context_.roles[var] = Role::Array;
  return true;
}

// A member that a clause makes private is a variable in the syntax tree, however it is spelled.
static bool hasObjectInText(const LoopContext& context, const DeclRefExpr* reference) {
  if (!isa<OMPCapturedExprDecl>(reference->getDecl())) return false;
  const SourceManager& sources = context.ast.getSourceManager();
  const auto [file, offset] = sources.getDecomposedSpellingLoc(reference->getLocation());
  const llvm::StringRef before = sources.getBufferData(file).take_front(offset).rtrim();
  return before.ends_with("->") || before.ends_with("::");
}

bool Parameters::addFromBody(const DeclRefExpr* reference, const VarDecl* var) {
  SourceLocation loc = reference->getLocation();
  std::string name = "'" + var->getNameAsString() + "'";
  if (hasObjectInText(context_, reference)) return context_.refuse(loc, say::PrivateMemberByMoreThanName(name));
  auto known = context_.roles.find(var);
  if (isTable(var)) return useAsTable(loc, var);
  if (known != context_.roles.end()) {
    // Native code redeclares all others under their plain name.
    const bool own = known->second != Role::Table && known->second != Role::Constant &&
                     (known->second != Role::Scalar || !isGlobal(context_, var));
    if (own && reference->hasQualifier()) return context_.refuse(loc, say::NameWithQualifier(name));
    return true;
  }
  QualType type = var->getType().getNonReferenceType();
  if (isThreadLocal(var)) return context_.refuse(loc, say::ThreadLocalVariable(name));
  if (type.isVolatileQualified()) return context_.refuse(loc, say::VolatileVariable(name));
  if (auto role = constantRole(var)) {
    addConstant(var, *role);
    return true;
  }
  if (type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull()) {
    if (reference->hasQualifier()) return context_.refuse(loc, say::NameWithQualifier(name));
    return addArray(loc, var);
  }
  if (Objects::isRecord(type) && !reference->hasQualifier()) return addObject(loc, var);
  if (!isScalarType(type)) return context_.refuse(loc, say::VariableOfType(name, type.getAsString()));
  ScalarFact scalar;
  scalar.var = var;
  scalar.global = isGlobal(context_, var);
  if (scalar.global && (var->getType()->isReferenceType() || isa<VarTemplateSpecializationDecl>(var) ||
                        isa<ClassTemplateSpecializationDecl>(var->getDeclContext())))
    return context_.refuse(loc, say::StaticReference(name));
  context_.facts.scalars.push_back(scalar);
  context_.roles[var] = Role::Scalar;
  return true;
}

// Values alone, of which the launch can send a copy.
static bool isPlainData(const ASTContext& ast, QualType type) {
  if (auto* array = ast.getAsConstantArrayType(type)) return isPlainData(ast, array->getElementType());
  if (type.isVolatileQualified()) return false;
  auto* record = type->getAsRecordDecl();
  if (!record) return isScalarType(type);
  if (!isCopiedByBytes(type) || record->isUnion()) return false;
  if (!llvm::all_of(record->fields(), [&](const FieldDecl* field) { return isPlainData(ast, field->getType()); }))
    return false;
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  return !inCxx || (!inCxx->isLambda() && llvm::all_of(inCxx->bases(), [&](const CXXBaseSpecifier& base) {
    return isPlainData(ast, base.getType());
  }));
}

static bool refuseUnnamed(LoopContext& context, SourceLocation loc, const VarDecl* var) {
  return context.refuse(loc, say::TypeWithoutName(var->getNameAsString()));
}

bool Parameters::addObject(SourceLocation loc, const VarDecl* var) {
  static constexpr std::int64_t mostBytes = 4096;
  if (context_.roles.count(var)) return true;
  const QualType type = var->getType().getNonReferenceType();
  const std::string name = "'" + var->getNameAsString() + "'";
  const std::string typeName = type.getUnqualifiedType().getAsString();
  if (!Objects::isRecord(type)) return context_.refuse(loc, say::VariableOfType(name, typeName));
  // Another variable's type has the name decltype.
  const RecordDecl* record = type->getAsRecordDecl();
  if (!record->getIdentifier() && !record->getTypedefNameForAnonDecl() && context_.objects().find(var))
    return refuseUnnamed(context_, loc, var);
  if (!isPlainData(context_.ast, type)) return context_.refuse(loc, say::WholeIsMoreThanNumbers(name, typeName));
  if (context_.ast.getTypeSizeInChars(type).getQuantity() > mostBytes)
    return context_.refuse(loc, say::WholeIsTooLarge(name, typeName));
  context_.facts.scalars.push_back({.var = var, .byValue = true});
  context_.roles[var] = Role::Scalar;
  return true;
}

// `T data[1]` at a struct's end: the idiom for an array that is as long as the allocation, which only it knows.
static bool mayBeLonger(const ASTContext& ast, const FieldDecl* field) {
  auto* array = field ? ast.getAsConstantArrayType(field->getType()) : nullptr;
  if (!array || array->getZExtSize() > 1 || field->getParent()->isUnion()) return false;
  const auto fields = field->getParent()->fields();
  return field->getFieldIndex() + 1 == static_cast<unsigned>(std::distance(fields.begin(), fields.end()));
}

// What holds for members of all kinds.
bool Parameters::checkMember(SourceLocation loc, const VarDecl* var) {
  const QualType type = var->getType();
  const ObjectPath& path = context_.objects().find(var)->path;
  if (!path.steps.empty() && mayBeLonger(context_.ast, path.steps.back().field))
    return context_.refuse(loc, say::ArrayEndsStruct(var->getNameAsString()));
  // Native code gives a pointer into the stand-in of its object as bytes.
  const bool isPointer = type->isPointerType() && type->getPointeeType()->isRecordType();
  if (!isPointer && !context_.objects().canBeNamed(type)) return refuseUnnamed(context_, loc, var);
  const bool isNumbers =
      isScalarType(type) || (type->isArrayType() && isScalarType(context_.ast.getBaseElementType(type)));
  if (type->isUnionType() || (!isNumbers && path.isInUnion())) return context_.refuse(loc, say::UnionMemberOfObject);
  return true;
}

// What chooses an element of an array in an object: native code spells it.
void Parameters::addIndexes(const ObjectPath& path) {
  for (const ObjectPath::Step& step : path.steps) {
    if (!step.index || context_.roles.count(step.index)) continue;
    if (auto role = constantRole(step.index)) {
      addConstant(step.index, *role);
      continue;
    }
    context_.facts.scalars.push_back({.var = step.index, .global = isGlobal(context_, step.index)});
    context_.roles[step.index] = Role::Scalar;
  }
}

bool Parameters::addMember(SourceLocation loc, const VarDecl* var) {
  if (context_.roles.count(var) && !isTable(var)) return true;
  if (!checkMember(loc, var)) return false;
  addIndexes(context_.objects().find(var)->path);
  const QualType type = var->getType();
  const std::string name = "'" + var->getNameAsString() + "'";
  if (!rowElement(type).isNull() && type->isArrayType())
    return context_.refuse(loc, say::TableInObject(var->getNameAsString()));
  if (!rowElement(type).isNull()) return useAsTable(loc, var);
  if (type->isPointerType() || type->isArrayType() || !vectorElement(type).isNull()) {
    if (!addArray(loc, var)) return false;
    if (context_.facts.arrays.back().form == ArrayForm::Vector)
      context_.facts.scalars.push_back({.var = var, .vectorSize = true});
    return true;
  }
  if (!isScalarType(type)) return addObject(loc, var);
  context_.facts.scalars.push_back({.var = var});
  context_.roles[var] = Role::Scalar;
  return true;
}

// Not a reference or a member of a template, so that the launch's values can be stored under its name.
static bool isPlainGlobal(const VarDecl* var) {
  return isVisibleInFile(var) && !var->isStaticLocal() && !var->getType()->isReferenceType() &&
         !isa<VarTemplateSpecializationDecl>(var) && !isa<ClassTemplateSpecializationDecl>(var->getDeclContext());
}

// A global array or object of numbers, of which the functions that a loop calls see the launch's values, or a pointer.
// Whether an array is small, not managed and only read shows later (SmallArrays.cpp); other elements are an array of
// the launch (CalleeCopies.cpp).
bool Parameters::addWholeFromCallee(SourceLocation loc, const VarDecl* var) {
  if (var->getType()->isArrayType() || var->getType()->isPointerType())
    return context_.arrayOf.count(var) || addArray(loc, var);
  if (!context_.roles.count(var) && !addObject(loc, var)) return false;
  for (ScalarFact& scalar : context_.facts.scalars)
    if (scalar.var == var) scalar.global = scalar.inCallee = true;
  return true;
}

bool Parameters::addFromCallee(const DeclRefExpr* reference, const VarDecl* var, const FunctionDecl* callee) {
  SourceLocation loc = reference->getLocation();
  std::string function = "'" + callee->getNameAsString() + "'";
  std::string name = "'" + var->getNameAsString() + "'";
  if (auto role = constantRole(var)) {
    // The function's own text sees those of the function around it.
    if (isVisibleInFile(var)) addConstant(var, *role);
    return true;
  }
  if (context_.facts.isCopied(var)) return context_.refuse(loc, say::CalleeUsesOriginal(function, name));
  const QualType element = context_.ast.getBaseElementType(var->getType());
  auto known = context_.roles.find(var);
  if (known != context_.roles.end() && known->second != Role::Scalar && known->second != Role::Array)
    return context_.refuse(loc, say::CalleeUsesPrivate(function, name));
  if (isPlainGlobal(var) && !isThreadLocal(var) && !element.isVolatileQualified() &&
      (var->getType()->isConstantArrayType() || var->getType()->isPointerType() || Objects::isRecord(var->getType())))
    return addWholeFromCallee(loc, var);
  if (!isScalarType(var->getType()) || isThreadLocal(var) || var->getType().isVolatileQualified())
    return context_.refuse(loc, say::CalleeUsesGlobal(function, name));
  if (!isVisibleInFile(var) || (var->isStaticLocal() && !context_.objects().isOutside(var)))
    return context_.refuse(loc, say::CalleeUsesLocalOfAnother(function, name));
  if (known == context_.roles.end()) {
    context_.facts.scalars.push_back({var, true, true});
    context_.roles[var] = Role::Scalar;
    return true;
  }
  for (ScalarFact& scalar : context_.facts.scalars)
    if (scalar.var == var) scalar.inCallee = true;
  return true;
}

}  // namespace muster::plugin
