// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Instances.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

using namespace clang;

static bool isInstance(const DeclContext* context) {
  if (auto* function = dyn_cast<FunctionDecl>(context)) return function->isTemplateInstantiation();
  if (auto* type = dyn_cast<ClassTemplateSpecializationDecl>(context)) return !type->isExplicitSpecialization();
  return false;
}

std::string instanceName(const FunctionDecl* function) {
  for (const DeclContext* context = function; context; context = context->getParent())
    if (isInstance(context)) return PredefinedExpr::ComputeName(PredefinedIdentKind::PrettyFunction, function);
  return "";
}

bool isMerged(const FunctionDecl* function) {
  if (!function->isExternallyVisible()) return false;
  return function->isInlined() || !instanceName(function).empty();
}

const FieldDecl* patternOf(const FieldDecl* field) {
  auto* record = dyn_cast<CXXRecordDecl>(field->getParent());
  const CXXRecordDecl* pattern = record ? record->getTemplateInstantiationPattern() : nullptr;
  if (pattern)
    for (const FieldDecl* candidate : pattern->fields())
      if (candidate->getFieldIndex() == field->getFieldIndex()) return candidate->getCanonicalDecl();
  return field->getCanonicalDecl();
}

}  // namespace muster::plugin
