// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the printing of one function's code shares.
#include "lower/types/Scope.h"

#include "analysis/loops/Iterators.h"

namespace muster::plugin::lower {

std::string Scope::declare(const clang::VarDecl* var) {
  const std::string name = program_.names.unique(var->getName());
  names_[var->getCanonicalDecl()] = name;
  return name;
}

std::string Scope::declareValue(const clang::VarDecl* var) {
  values_.insert(var->getCanonicalDecl());
  return declare(var);
}

std::string Scope::variable(const clang::VarDecl* var) {
  if (const auto known = names_.find(var->getCanonicalDecl()); known != names_.end()) return known->second;
  // A lambda may change the iteration's own copy.
  if (program_.isFirstprivate(var)) return outerName(var);
  if (!program_.isArray(var) && !program_.scalar(var)) return "";
  captures_.push_back(var);
  return declareValue(var);
}

bool Scope::isPointer(const clang::VarDecl* var) {
  return var->getType()->isPointerType() || !iteratorPointee(var->getType()).isNull();
}

std::string Scope::outerName(const clang::VarDecl* var) {
  if (const auto known = names_.find(var->getCanonicalDecl()); known != names_.end()) return known->second;
  if (isOutermost_ || !var->hasLocalStorage()) return "";
  outer_.push_back(var->getCanonicalDecl());
  return declare(var);
}

clang::QualType Scope::outerType(const clang::VarDecl* var) const {
  if (isPointer(var)) return var->getType().getUnqualifiedType();
  return var->getType()->isReferenceType() ? var->getType() : program_.context.getPointerType(var->getType());
}

ir::Expression Scope::outerArgument(const clang::VarDecl* var) {
  std::string name = variable(var);
  if (name.empty()) name = outerName(var);
  if (name.empty()) return {};
  return isPointer(var) || isReference(var) ? ir::name(name) : ir::addressOf(ir::name(name));
}

std::string Scope::vectorSize(const clang::VarDecl* vector) {
  if (const auto known = vectorSizes_.find(vector); known != vectorSizes_.end()) return known->second;
  const auto isIts = [&](const ScalarFact& fact) { return fact.vectorSize && fact.var == vector; };
  if (llvm::none_of(program_.facts.scalars, isIts)) return "";
  capturedSizes_.push_back(vector);
  return vectorSizes_[vector] = program_.names.unique((vector->getName() + "_size").str());
}

std::string Scope::temporary(clang::QualType type, clang::SourceLocation loc) {
  const std::string name = program_.names.unique("temporary");
  temporaries_.push_back(program_.types.declare(type.getUnqualifiedType(), name, Space::Private, loc) + ";");
  return name;
}

std::string Scope::declareTemporary(const clang::VarDecl* var) {
  const std::string name = declare(var);
  temporaries_.push_back(
      program_.types.declare(var->getType().getUnqualifiedType(), name, Space::Private, var->getLocation()) + ";");
  return name;
}

}  // namespace muster::plugin::lower
