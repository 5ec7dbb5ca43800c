// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that are made in a loop: what their bodies see of the code around them.
#include "analysis/objects/Objects.h"

namespace muster::plugin {

using namespace clang;

bool holdsCaptures(QualType type) {
  if (auto* array = type->getAsArrayTypeUnsafe()) return holdsCaptures(array->getElementType());
  auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition()) return false;
  if (record->isLambda()) return !record->field_empty();
  return llvm::any_of(record->fields(), [](const FieldDecl* field) { return holdsCaptures(field->getType()); }) ||
         llvm::any_of(record->bases(), [](const CXXBaseSpecifier& base) { return holdsCaptures(base.getType()); });
}

void Objects::addLambda(const LambdaExpr* lambda, const ObjectBindings& bindings) {
  ObjectBindings& inside = lambdas_[lambda->getLambdaClass()] = bindings;
  for (const LambdaCapture& capture : lambda->captures()) {
    if (!capture.capturesVariable()) continue;
    if (const VarDecl* copy = copyOf(lambda->getLambdaClass(), capture.getCapturedVar()))
      inside.copies[cast<VarDecl>(capture.getCapturedVar())] = copy;
  }
}

const CXXRecordDecl* Objects::ownLambda(QualType type) const {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && lambdas_.count(record) ? record : nullptr;
}

const VarDecl* Objects::addCopy(const LambdaExpr* lambda, const VarDecl* var, Expr* value) {
  const VarDecl*& copy = copies_[{lambda->getLambdaClass(), var}];
  if (copy) return copy;
  auto& ast = const_cast<ASTContext&>(ast_);
  auto* made = VarDecl::Create(ast, const_cast<DeclContext*>(var->getDeclContext()), lambda->getBeginLoc(),
                               lambda->getBeginLoc(), var->getIdentifier(),
                               var->getType().getNonReferenceType().getUnqualifiedType(), nullptr, SC_None);
  made->setInit(value);
  return copy = made;
}

const VarDecl* Objects::copyOf(const CXXRecordDecl* lambda, const ValueDecl* var) const {
  const auto known = copies_.find({lambda, var});
  return known == copies_.end() ? nullptr : known->second;
}

const VarDecl* Objects::copyNamed(const DeclRefExpr* reference, const ObjectBindings& bindings) {
  auto* var = dyn_cast<VarDecl>(reference->getDecl());
  const auto copy =
      var && reference->refersToEnclosingVariableOrCapture() ? bindings.copies.find(var) : bindings.copies.end();
  return copy == bindings.copies.end() ? nullptr : copy->second;
}

}  // namespace muster::plugin
