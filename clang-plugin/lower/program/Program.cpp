// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel arguments, tables and helpers of a program, and its whole text.
#include "lower/program/Program.h"

#include "analysis/objects/RowLengths.h"
#include "analysis/objects/RowTables.h"
#include "lower/types/Constants.h"
#include "print/Print.h"
#include "source/Compat.h"
#include "source/LibraryTypes.h"

namespace muster::plugin::lower {

namespace {

template <typename Container>
auto* findVariable(const Container& facts, const clang::VarDecl* var) {
  for (const auto& fact : facts)
    if (fact.var->getCanonicalDecl() == var->getCanonicalDecl()) return &fact;
  return static_cast<const typename Container::value_type*>(nullptr);
}

// CUDA's are in its prelude (cdm/src/backends/cuda/prelude.cpp).
struct Macro {
  const char *name, *helper, *text;
};
const Macro macros[] = {
    {ir::makerName, "muster_make", "#ifndef MUSTER_CUDA\n#define MUSTER_MAKE(type) (type)\n#endif\n\n"},
    {"MUSTER_HIDE", "muster_hide", "#ifndef MUSTER_CUDA\n#define MUSTER_HIDE(number) (number)\n#endif\n\n"}};

}  // namespace

bool Program::isArray(const clang::VarDecl* var) const { return findVariable(facts.arrays, var) != nullptr; }

const ScalarFact* Program::scalar(const clang::VarDecl* var) const {
  for (const ScalarFact& fact : facts.scalars)
    if (!fact.vectorSize && fact.var->getCanonicalDecl() == var->getCanonicalDecl()) return &fact;
  return nullptr;
}

bool Program::isFirstprivate(const clang::VarDecl* var) const {
  for (const clang::VarDecl* other : facts.firstprivates)
    if (other->getCanonicalDecl() == var->getCanonicalDecl()) return true;
  return false;
}

clang::QualType Program::argumentType(const clang::VarDecl* var) const {
  const clang::QualType type = var->getType().getNonReferenceType();
  const ArrayFact* array = findVariable(facts.arrays, var);
  if (!array) return type.getUnqualifiedType();
  if (array->form == ArrayForm::Vector) return context.getPointerType(array->element);
  if (array->form == ArrayForm::Starts) return context.getPointerType(array->element.withConst());
  // Rows of unknown length are flattened (Objects.cpp).
  if (array->form == ArrayForm::Rows) return context.getPointerType(rowElement(type));
  if (hasUnknownLengths(*array)) return context.getPointerType(context.getBaseElementType(firstOf(var)));
  if (type->isArrayType()) return context.getArrayDecayedType(type);
  return type.getUnqualifiedType();
}

std::string Program::table(const clang::VarDecl* var) {
  var = var->getCanonicalDecl();
  if (const auto known = tables_.find(var); known != tables_.end()) return known->second;
  if (isArray(var) || isFirstprivate(var)) return "";
  const clang::QualType type = var->getType();
  const clang::VarDecl* initialised = nullptr;
  // A constant struct of its own function may as well live there.
  const bool isTable = type->isArrayType() || (type->isRecordType() && var->hasGlobalStorage());
  const bool isConst = context.getBaseElementType(type).isConstQualified();
  if (!isTable || !isConst || type->isDependentType() || !var->getAnyInitializer(initialised)) return "";
  const clang::APValue* value = initialised->evaluateValue();
  const ir::Expression given = value ? constantInitialiser(*this, *value, initialised->getType()) : ir::Expression();
  if (!given) return "";
  const std::string name = names.uniqueOutside(var->getName());
  clang::Qualifiers qualifiers;  // __constant says all of them
  const clang::QualType plain = context.getUnqualifiedArrayType(initialised->getType(), qualifiers);
  tableText_ += "__constant " + types.declare(plain, name, Space::Constant, var->getLocation()) + " = " +
                print::text(given) + ";\n\n";
  return tables_[var] = name;
}

std::optional<ir::Expression> Program::foldedVariable(const clang::VarDecl* var) {
  const clang::VarDecl* initialised = nullptr;
  const clang::QualType type = var->getType();
  if (!type.isConstQualified() || type.isVolatileQualified() || !var->getAnyInitializer(initialised))
    return std::nullopt;
  const clang::APValue* value = initialised->evaluateValue();
  return value ? storedConstant(*this, *value, type) : std::nullopt;
}

bool Program::isLambda(const clang::FunctionDecl* function) const {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (!method || !method->isInstance() || !method->getParent()->isLambda()) return false;
  return method->getParent()->field_empty() || isClosure(compat::recordType(context, method->getParent()));
}

void Program::enterLambda(const clang::LambdaExpr* lambda, const Spaces& spaces) {
  facts.objects->addLambda(lambda, spaces.bindings());
  ++lambdas_[lambda->getLambdaClass()];
  for (const auto& [var, space] : spaces.all()) outerSpaces_[var] = space;
}

const std::string& Program::helper(const std::string& name, const std::string& text) {
  return helpers_.try_emplace(name, text).first->second;
}

std::string Program::text(const std::string& last) const {
  std::string out;
  if (types.usesFp64()) out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  const bool fuses = context.getLangOpts().getDefaultFPContractMode() == clang::LangOptions::FPM_Fast;
  out += std::string("#pragma OPENCL FP_CONTRACT ") + (fuses ? "ON" : "OFF") + "\n\n";
  const std::string code = functionText_ + last;
  for (const Macro& macro : macros)
    if (code.find(macro.name) != std::string::npos) out += definedOnce(macro.helper, macro.text);
  out += types.definitions() + tableText_;
  for (const auto& [name, helper] : helpers_) out += definedOnce(name, helper);
  return out + code;
}

}  // namespace muster::plugin::lower
